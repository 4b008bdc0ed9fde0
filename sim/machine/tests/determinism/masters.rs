//! The core beside another master of its bus: DMA from memory to memory, in the memory that the core uses.

use core_cortex_m::timing::Rule;
use machine::Machine;

use super::common::{CODE, DATA, Part, elf, flash, image, load};
use super::{Trial, writable_memory};

const FLASH: u32 = 0x0800_0000;
/// Words that are copied.
const COUNT: u32 = 64;
const TO: u32 = DATA + 0x200;

/// Copies by DMA1's first channel, and loads, stores and LDM meanwhile.
fn copying() -> Trial {
    // DMA's clock; from DATA, to TO, COUNT words; then all of them.
    let mut code = vec![
        load(1, CODE, 8),
        0x2215,
        0x614a,
        load(0, CODE + 6, 9),
        load(3, CODE + 8, 10),
        0x6103,
        load(4, CODE + 12, 11),
        0x6144,
        0x2500 | COUNT as u16,
        0x60c5,
        load(6, CODE + 20, 12),
        0x6086,
    ];
    // loop: ldr r7, [r3]; str r7, [r3]; mov r1, r3; ldm r1!, {r2, r7}; ldr r2, [r0]; lsls r2, r2, #30; bpl loop; b .
    code.extend([0x681f, 0x601f, 0x4619, 0xc984, 0x6802, 0x0792, 0xd5f8, 0xe7fe]);
    code.resize(0x20, 0xbf00);
    let memory_to_memory = 1 << 14 | 2 << 10 | 2 << 8 | 1 << 7 | 1 << 6 | 1;
    for literal in [0x4002_1000, 0x4002_0000, DATA, TO, memory_to_memory] {
        code.extend([literal as u16, (literal >> 16) as u16]);
    }
    let words = (1..=COUNT).flat_map(u32::to_le_bytes).collect();
    let parts = [flash(FLASH, &code), Part::ram(DATA, words)];
    Trial {
        board: "stm32f100rb",
        ..Trial::new(image(&elf(&parts)))
    }
}

fn run(trial: &Trial) -> Machine {
    let mut machine = trial.machine();
    machine.run(trial.limit, &mut events::Silent);
    machine
}

#[test]
fn a_copy_takes_its_cycles_and_the_core_waits_for_it() {
    let trial = copying();
    trial.check();
    let machine = run(&trial);
    let copied = writable_memory(&machine);
    let copied: Vec<u32> = copied
        .iter()
        .filter(|word| word.0 >= TO)
        .map(|word| word.1)
        .collect();
    assert_eq!(copied[..COUNT as usize], (1..=COUNT).collect::<Vec<_>>()[..]);
    let cycles = machine.cycle();
    let least = u64::from(5 * COUNT);
    assert!((least..least + 100).contains(&cycles), "{cycles}");
    assert!(machine.relied().contains(Rule::MasterContention));
}

#[test]
fn going_back_into_a_copy_leads_to_the_same() {
    let trial = copying();
    let end = run(&trial).cycle();
    for cut in (20..end).step_by(7) {
        let mut machine = trial.machine();
        machine.run(cut, &mut events::Silent);
        let there = machine.snapshot();
        machine.run(trial.limit, &mut events::Silent);
        machine.restore(&there);
        machine.run(trial.limit, &mut events::Silent);
        assert_eq!(machine.cycle(), end, "from cycle {cut}");
    }
}
