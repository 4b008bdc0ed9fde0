//! `continue` gets on, whatever the program and its timers do.

use std::sync::Arc;

use gdb::Stopped;
use machine::Image;
use programs::{EXIT, Firmware, NOP};
use proptest::prelude::*;

use super::session;

/// Cycles between two looks at whether the program is to be interrupted.
const STRIDE: u64 = 1 << 20;

/// MOVW or MOVT of this register.
fn half(register: u16, value: u16, top: bool) -> [u16; 2] {
    let first = if top { 0xf2c0 } else { 0xf240 };
    let second = (value >> 8 & 7) << 12 | register << 8 | value & 0xff;
    [first | value >> 12 | (value >> 11 & 1) << 10, second]
}

fn load(register: u16, value: u32) -> Vec<u16> {
    [
        half(register, value as u16, false),
        half(register, (value >> 16) as u16, true),
    ]
    .concat()
}

/// Stores a word.
fn store(address: u32, value: u32) -> Vec<u16> {
    // str r1, [r0]
    [load(0, address), load(1, value), vec![0x6001]].concat()
}

/// The reason why a program waits or is interrupted.
#[derive(Clone, Copy, Debug)]
enum Timer {
    None,
    /// With its handler.
    SysTick,
    /// TIM2, whose interrupt is not enabled.
    Device,
}

impl Timer {
    fn start(self, reload: u32) -> Vec<u16> {
        let stores: &[(u32, u32)] = match self {
            Timer::None => &[],
            Timer::SysTick => &[(0xe000_e014, reload), (0xe000_e018, 0), (0xe000_e010, 7)],
            Timer::Device => &[
                (0x4002_101c, 1),
                (0x4000_002c, reload & 0xffff),
                (0x4000_000c, 1),
                (0x4000_0000, 1),
            ],
        };
        stores
            .iter()
            .flat_map(|(address, value)| store(*address, *value))
            .collect()
    }
}

/// Counts in a loop with this body.
fn looping(timer: Timer, reload: u32, body: &[u16], count: u32) -> Arc<Image> {
    let back = -(body.len() as i32 + 3);
    // subs r6, #1; bne back
    let turn = [body, &[0x3e01, 0xd100 | (back as u16 & 0xff)]].concat();
    let main = [timer.start(reload), load(6, count), turn].concat();
    // bx lr
    let firmware = Firmware::new(&[&main, EXIT]).handler(15, "SysTick", &[&[0x4770]]);
    Arc::new(Image::parse("app.elf", &firmware.elf()).unwrap())
}

/// NOPs, `udiv r0, r1, r2`, PUSH and POP of four registers, and WFI where something wakes it.
fn body(timer: Timer) -> impl Strategy<Value = Vec<u16>> {
    let mut pieces = vec![
        vec![NOP],
        vec![NOP; 7],
        vec![0xfbb1, 0xf0f2],
        vec![0xb40f, 0xbc0f],
    ];
    if matches!(timer, Timer::SysTick) {
        pieces.push(vec![0xbf30]);
    }
    let piece = proptest::sample::select(pieces);
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn timer() -> impl Strategy<Value = Timer> {
    prop_oneof![1 => Just(Timer::None), 2 => Just(Timer::SysTick), 1 => Just(Timer::Device)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_program_is_run_to_its_end(
        (timer, body) in timer().prop_flat_map(|timer| (Just(timer), body(timer))),
        reload in 100u32..30_000,
        turns in 1u32..400_000,
    ) {
        // A turn with WFI takes as long as the timer does.
        let turns = if body.contains(&0xbf30) { turns.min(6_000_000 / reload) } else { turns };
        let image = looping(timer, reload, &body, turns);
        let (mut session, _) = session("stm32f100rb", &image);
        let mut looks = 0;
        let stopped = session.go_on(|| {
            looks += 1;
            looks > 100
        });
        prop_assert_eq!(stopped.unwrap(), Stopped::Exited(0));
        let most = session.cycle() / STRIDE;
        prop_assert!(looks <= most, "{} looks in {} strides", looks, most);
    }
}

/// The same on RV32: a loop with a machine timer that is due all the time, which `virt` tells to its core.
#[test]
fn a_program_on_rv32_is_run_to_its_end() {
    // lui t0, 0x00400 (a million turns); loop: addi t0, t0, -1; bnez t0, loop; lui t1, 0x00100; lui t2, 5; addi t2, t2, 0x555; sw t2, 0(t1).
    let code = [
        0x0040_02b7u32,
        0xfff2_8293,
        0xfe02_9ee3,
        0x0010_0337,
        0x0000_53b7,
        0x5553_8393,
        0x0073_2023,
    ];
    let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let image = Arc::new(Image::parse("app.elf", &programs::rv32(0x8000_0000, &code)).unwrap());
    let (mut session, _) = session("virt", &image);
    let mut looks = 0;
    let stopped = session.go_on(|| {
        looks += 1;
        looks > 100
    });
    assert_eq!(stopped.unwrap(), Stopped::Exited(0));
    assert!(looks >= 4);
}
