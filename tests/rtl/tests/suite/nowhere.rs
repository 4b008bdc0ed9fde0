//! Checks accesses to unmapped addresses. The harness answers with a bus error that no `VexRiscv` sees: its Wishbone bridge ignores ERR
//! (`iBus_rsp_payload_error` and `dBus_rsp_payload_error` are 0), so that it continues with whatever is on the bus. The model cannot know
//! that value and stops.

use core_rv32::{Config, Hart, NotModelled, Stop};
use events::Silent;
use machine::cores;
use rtl::{Core, Job};

use crate::common::{oracle, vexriscv};

/// Unmapped addresses: one in a cached part of the address space, and one in an uncached part.
const NOWHERE: [u32; 2] = [0x5000_0000, 0xf000_0000];
const HANDLER: u32 = 0x100;
/// The address of the access that [`program`] makes.
const ACCESS: u32 = 12;

/// The access: lw x10,0(x8); sw x10,0(x8); jr x8.
const LOAD: u32 = 0x0004_2503;
const STORE: u32 = 0x00a4_2023;
const JUMP: u32 = 0x0004_0067;

fn job(place: u32, access: u32) -> Job {
    // li x5,HANDLER; csrw mtvec,x5; lui x8,place; the access; j .
    let code = [HANDLER << 20 | 0x293, 0x3052_9073, place | 0x437, access, 0x6f];
    let mut memory: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.resize(HANDLER as usize, 0);
    memory.extend(0x6f_u32.to_le_bytes());
    Job {
        memory,
        latency: 1,
        beat: 1,
        limit: 2_000,
        ..Job::default()
    }
}

/// Every variant, including those without packaged Verilog.
fn variants() -> impl Iterator<Item = Config> {
    let by_hand = Core::BY_HAND
        .iter()
        .filter_map(|core| cores::rv32_named(core.name));
    vexriscv().chain(by_hand)
}

#[test]
fn no_vexriscv_learns_of_a_bus_error() {
    for config in variants() {
        let Some(oracle) = oracle(Core::named(config.name).expect("it has Verilog")) else {
            continue;
        };
        for place in NOWHERE {
            for access in [LOAD, STORE] {
                let outcome = oracle.run(&job(place, access)).unwrap();
                let at = format!("{}, {access:#010x} at {place:#x}", config.name);
                assert!(outcome.traps.is_empty(), "{at}: {:?}", outcome.traps);
                assert!(
                    outcome.stream.iter().any(|step| step.pc == ACCESS + 4),
                    "{at}: it goes on"
                );
            }
            // The zeros read there are illegal, or execute.
            let outcome = oracle.run(&job(place, JUMP)).unwrap();
            let illegal = outcome.traps.first().map(|trap| (trap.cause, trap.epc)) == Some((2, place));
            let executed = outcome.stream.iter().any(|step| step.pc == place);
            assert!(illegal || executed, "{}, a jump to {place:#x}", config.name);
        }
    }
}

#[test]
fn the_model_stops_where_a_vexriscv_would_go_on_with_anything() {
    for config in variants() {
        for place in NOWHERE {
            for (access, pc) in [(LOAD, ACCESS), (STORE, ACCESS), (JUMP, place)] {
                let job = job(place, access);
                let bus = rtl::model::surroundings(&job).unwrap();
                let mut hart = Hart::new(config, bus, 0);
                let stop = hart.run(job.limit, &mut Silent);
                let expected = Stop::NotModelled(NotModelled::Unmapped { address: place });
                assert_eq!(stop, expected, "{}, {access:#010x}", config.name);
                assert_eq!(hart.core().pc, pc, "{}, {access:#010x}", config.name);
            }
        }
    }
}
