//! Each way that an access can take.

use bus::{BusError, Memory, ProfileId, SuggestedStub, WaitStates};
use isa_thumb::decode_at;

use super::slow::on_bus;
use super::{Refused, word};
use crate::config::Config;
use crate::core::{Core, Trap};
use crate::fault::{Fault, NotModelled};
use crate::microop::Step;
use crate::state::Deviation;
use crate::testing::{BROKEN, PORT, RAM, at, config, core, core_as, fault_of, get, op, op_with, put, region};

fn bits(core: &mut Core) -> Deviation {
    std::mem::take(&mut core.deviation)
}

/// Executes these halfwords from R15 on, one instruction each.
fn execute(core: &mut Core, code: &[u16]) {
    let at = core.regs.r[15];
    for (offset, halfword) in (0..).step_by(2).zip(code) {
        assert!(core.bus.load(at + offset, &halfword.to_le_bytes()));
    }
    let end = at + 2 * code.len() as u32;
    while core.regs.r[15] != end {
        assert_eq!(core.execute_alone(), crate::exec::Effect::Done);
    }
}

#[test]
fn plain_memory_costs_what_was_expected() {
    let mut core = core();
    let op = op(&core);
    assert_eq!(core.store::<4>(&op, RAM + 8, 0x8765_4321), Step::Next);
    assert_eq!(core.load::<4>(&op, RAM + 8), (0x8765_4321, Step::Next));
    assert_eq!(core.load::<2>(&op, RAM + 10), (0x8765, Step::Next));
    assert_eq!(core.load::<1>(&op, RAM + 11), (0x87, Step::Next));
    assert_eq!(core.store::<1>(&op, RAM + 9, 0xfff), Step::Next);
    assert_eq!(core.load_aligned(&op, RAM + 8), (0x8765_ff21, Step::Next));
    assert_eq!(bits(&mut core), Deviation::default());
}

#[test]
fn another_kind_of_memory_is_announced_with_its_waits() {
    let mut core = core();
    let op = op(&core);
    let (_, step) = core.load::<4>(&op, PORT);
    let port = core.bus.profile_at(PORT);
    assert_eq!(step, Step::Irregular);
    assert_eq!(
        bits(&mut core),
        Deviation {
            profile: port,
            extra_wait: 2,
            ..Deviation::default()
        }
    );
    let quick = op_with(port.unwrap());
    core.load::<4>(&quick, RAM);
    let ram = core.bus.profile_at(RAM);
    assert_eq!(
        bits(&mut core),
        Deviation {
            profile: ram,
            extra_wait: -2,
            ..Deviation::default()
        }
    );
}

#[test]
fn a_device_write_asks_for_attention_if_it_may_matter_at_once() {
    let mut core = core();
    let op = op(&core);
    assert_eq!(core.store::<4>(&op, PORT, 7), Step::Irregular, "it moved nothing");
    assert_eq!(bits(&mut core).extra_wait, 3);
    core.recognise_from = 10;
    assert_eq!(
        core.store::<4>(&op, PORT, 7),
        Step::Attention,
        "something is to be recognised"
    );
}

/// Drives a line with what is written to it.
#[derive(Clone, Default)]
struct Driver(bool);

impl bus::Device for Driver {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, bus::DeviceError> {
        Ok(0)
    }

    fn write(&mut self, _: u32, _: u32, value: u32, _: u64) -> Result<(), bus::DeviceError> {
        self.0 = value != 0;
        Ok(())
    }

    fn poll(&mut self, _: u64, line: &mut dyn FnMut(bus::Irq, bool)) {
        line(bus::Irq::External(0), self.0);
    }
}

#[test]
fn a_device_write_that_moves_a_line_asks_for_attention() {
    let mut core = core();
    let driver = bus::Region::new("driver", 0x4800_0000, 0x100);
    core.bus.add_device(driver, Box::new(Driver::default()));
    let op = op(&core);
    for (value, attention) in [(0, false), (1, true), (1, false), (0, true)] {
        let step = core.store::<4>(&op, 0x4800_0000, value);
        assert_eq!(step == Step::Attention, attention, "{value}");
    }
}

/// Has a line that is high until it is read, and no event to come.
#[derive(Clone)]
struct Received(bool);

impl bus::Device for Received {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, bus::DeviceError> {
        self.0 = false;
        Ok(0)
    }

    fn write(&mut self, _: u32, _: u32, _: u32, _: u64) -> Result<(), bus::DeviceError> {
        Ok(())
    }

    fn poll(&mut self, _: u64, line: &mut dyn FnMut(bus::Irq, bool)) {
        line(bus::Irq::External(0), self.0);
    }
}

#[test]
fn a_device_read_that_lets_a_line_fall_asks_for_attention() {
    let mut core = core();
    let received = bus::Region::new("received", 0x4800_0000, 0x100);
    core.bus.add_device(received, Box::new(Received(true)));
    core.poll_devices(0);
    let op = op(&core);
    let steps = [(); 2].map(|()| core.load::<4>(&op, 0x4800_0000).1);
    assert_eq!(steps, [Step::Attention, Step::Irregular]);
}

#[test]
fn unaligned_accesses_are_split() {
    let mut core = core();
    let op = op(&core);
    for (offset, size, extra) in [(1, 2, 1), (3, 2, 1), (2, 4, 1), (1, 4, 2), (3, 4, 2), (4, 4, 0)] {
        let bytes: [u8; 12] = std::array::from_fn(|i| 0x10 + i as u8);
        core.bus.load(RAM, &bytes);
        let (value, _) = match size {
            2 => core.load::<2>(&op, RAM + offset),
            _ => core.load::<4>(&op, RAM + offset),
        };
        let expected = (0..size)
            .rev()
            .fold(0, |value, i| value << 8 | (0x10 + offset + i));
        assert_eq!(value, expected, "{size} bytes at {offset}");
        assert_eq!(bits(&mut core).extra_transactions, extra);
        let step = match size {
            2 => core.store::<2>(&op, RAM + offset, 0xaabb_ccdd),
            _ => core.store::<4>(&op, RAM + offset, 0xaabb_ccdd),
        };
        assert_eq!(step, if extra == 0 { Step::Next } else { Step::Irregular });
        assert_eq!(bits(&mut core).extra_transactions, extra);
        let mut now = [0; 12];
        core.bus.peek(RAM, &mut now);
        let stored = 0xaabb_ccdd_u32.to_le_bytes();
        for (i, &byte) in (0..).zip(&now) {
            let inside = (offset..offset + size).contains(&i);
            assert_eq!(
                byte,
                if inside {
                    stored[(i - offset) as usize]
                } else {
                    0x10 + i as u8
                }
            );
        }
    }
}

#[test]
fn waits_of_split_accesses_add_up() {
    let mut core = core();
    let wait = WaitStates {
        fetch: 0,
        read: 1,
        write: 4,
        grant: 0,
        beat: 0,
        write_beat: 0,
    };
    core.bus
        .add_memory(Memory::ram(region("slow", 0x6000_0000, 0x100, wait)));
    let op = op_with(core.bus.profile_at(0x6000_0000).unwrap());
    core.load::<4>(&op, 0x6000_0001);
    assert_eq!(
        bits(&mut core),
        Deviation {
            extra_wait: 2,
            extra_transactions: 2,
            ..Deviation::default()
        }
    );
    core.store::<4>(&op, 0x6000_0002, 0);
    assert_eq!(
        bits(&mut core),
        Deviation {
            extra_wait: 4,
            extra_transactions: 1,
            ..Deviation::default()
        }
    );
}

#[test]
fn unaligned_accesses_fault_where_they_must() {
    let mut core = core();
    let op = op(&core);
    let (_, step) = core.load_aligned(&op, RAM + 2);
    assert_eq!(fault_of(&core, step), Some(Fault::Unaligned(RAM + 2)));
    let step = core.store_aligned(&op, RAM + 1, 0);
    assert_eq!(fault_of(&core, step), Some(Fault::Unaligned(RAM + 1)));
    assert_eq!(core.load::<4>(&op, RAM + 2).1, Step::Irregular);
    put(&mut core, at::CCR, 1 << 3);
    let (_, step) = core.load::<4>(&op, RAM + 2);
    assert_eq!(fault_of(&core, step), Some(Fault::Unaligned(RAM + 2)));
    let step = core.store::<2>(&op, RAM + 1, 0);
    assert_eq!(fault_of(&core, step), Some(Fault::Unaligned(RAM + 1)));
    assert_eq!(core.load::<1>(&op, RAM + 1).1, Step::Next);
}

#[test]
fn unaligned_accesses_to_registers_stop_the_run() {
    let mut core = core();
    let op = op(&core);
    for address in [at::ICSR + 2, 0x2200_0002] {
        let (_, step) = core.load::<4>(&op, address);
        let unpredictable = matches!(&core.trap, Trap::NotModelled(what) if matches!(**what, NotModelled::Unpredictable { .. }));
        assert!(step == Step::Trap && unpredictable);
    }
}

#[test]
fn bit_band_aliases_are_single_bits() {
    let mut core = core();
    let op = op(&core);
    put(&mut core, RAM + 4, 0x8000_0001);
    let alias = 0x2200_0000 + 32 * 4;
    assert_eq!(core.load::<4>(&op, alias).0, 1);
    assert_eq!(core.load::<4>(&op, alias + 4).0, 0);
    assert_eq!(core.load::<1>(&op, alias + 4 * 31).0, 1, "any size reads the bit");
    bits(&mut core);
    assert_eq!(core.store::<4>(&op, alias + 4 * 8, 0xffff_ffff), Step::Irregular);
    assert_eq!(bits(&mut core).extra_transactions, 1, "it reads first");
    assert_eq!(get(&mut core, RAM + 4), 0x8000_0101);
    core.store::<1>(&op, alias, 0xfe);
    core.store::<2>(&op, alias + 4 * 31, 2);
    assert_eq!(get(&mut core, RAM + 4), 0x0000_0100, "bit 0 of the value counts");
    put(&mut core, PORT, 0);
    put(&mut core, 0x4200_0000 + 4 * 5, 1);
    assert_eq!(get(&mut core, PORT), 1 << 5);
}

#[test]
fn without_bit_band_an_alias_is_an_address_like_any() {
    let mut core = core_as(Config {
        bit_band: false,
        ..config()
    });
    let op = op(&core);
    assert_eq!(core.load::<4>(&op, 0x2200_0000).1, Step::Trap);
    let expected = NotModelled::Unmapped {
        address: 0x2200_0000,
        size: 4,
        write: false,
    };
    assert_eq!(core.trap, Trap::NotModelled(Box::new(expected)));
}

#[test]
fn what_the_board_does_not_describe_stops_the_run() {
    let mut core = core();
    let op = op(&core);
    assert_eq!(core.store::<2>(&op, 0x5000_0000, 1), Step::Trap);
    let expected = NotModelled::Unmapped {
        address: 0x5000_0000,
        size: 2,
        write: true,
    };
    assert_eq!(core.trap, Trap::NotModelled(Box::new(expected)));
}

#[test]
fn a_device_that_does_not_model_something_is_named() {
    let error = |instead| BusError::NotModelled {
        region: "uart".into(),
        what: "CR2".into(),
        instead,
    };
    for (instead, expected) in [
        (SuggestedStub::ThereToo, (Some(PORT), Some(PORT))),
        (SuggestedStub::At(0x6000_0000), (None, Some(0x6000_0000))),
        (SuggestedStub::Nowhere, (None, None)),
    ] {
        let Refused::NotModelled(what) = on_bus(error(instead), PORT, 4, true) else {
            panic!("not a fault")
        };
        let (address, instead) = expected;
        assert_eq!(
            *what,
            NotModelled::Device {
                region: "uart".into(),
                what: "CR2".into(),
                address,
                instead,
            }
        );
    }
}

#[test]
fn a_failing_load_is_precise() {
    let mut core = core();
    let op = op(&core);
    let (_, step) = core.load::<4>(&op, BROKEN);
    assert_eq!(fault_of(&core, step), Some(Fault::DataBus(BROKEN)));
}

#[test]
fn a_failing_store_is_imprecise_unless_it_is_not_buffered() {
    let mut core = core();
    let op = op(&core);
    put(&mut core, at::SHCSR, 1 << 17);
    assert_eq!(core.store::<4>(&op, BROKEN, 1), Step::Attention);
    assert_eq!(get(&mut core, at::CFSR), 1 << 10);
    assert_eq!(core.pending_exception(), Some(5));
    assert_eq!(core.faults()[0].fault, Fault::ImpreciseBus);
    put(&mut core, at::ACTLR, 2);
    let step = core.store::<4>(&op, BROKEN, 1);
    assert_eq!(fault_of(&core, step), Some(Fault::DataBus(BROKEN)));
}

#[test]
fn stores_to_read_only_memory_fault() {
    let mut core = core();
    let op = op(&core);
    assert_eq!(core.store::<4>(&op, 0x100, 1), Step::Attention);
    assert_eq!(core.pending_exception(), Some(3), "BusFault is not enabled");
    assert_eq!(get(&mut core, at::HFSR), 1 << 30);
}

#[test]
fn strongly_ordered_stores_fault_precisely() {
    let mut core = core();
    let op = op(&core);
    put(&mut core, at::MPU_RBAR, PORT | 16);
    put(&mut core, at::MPU_RASR, 3 << 24 | 8 << 1 | 1);
    put(&mut core, at::MPU_CTRL, 5);
    let step = core.store::<4>(&op, BROKEN, 1);
    assert_eq!(fault_of(&core, step), Some(Fault::DataBus(BROKEN)));
    put(&mut core, at::MPU_RASR, 3 << 24 | 1 << 16 | 8 << 1 | 1);
    assert_eq!(
        core.store::<4>(&op, BROKEN, 1),
        Step::Attention,
        "a device region is buffered"
    );
}

#[test]
fn bus_faults_can_be_ignored_below_priority_zero() {
    let mut core = core();
    let op = op(&core);
    put(&mut core, at::CCR, 1 << 8);
    let (_, step) = core.load::<4>(&op, BROKEN);
    assert_eq!(step, Step::Trap, "not at this priority");
    core.regs.faultmask = true;
    assert_eq!(core.load::<4>(&op, BROKEN), (0, Step::Irregular));
    let broken = core.bus.profile_at(BROKEN);
    assert_eq!(core.deviation.profile, broken, "it takes the time of what it met");
    assert_eq!(
        get(&mut core, at::CFSR),
        1 << 9 | 1 << 15,
        "the status still tells a probing program"
    );
    assert_eq!(get(&mut core, at::BFAR), BROKEN);
}

#[test]
fn the_mpu_watches_loads_stores_and_fetches() {
    let mut core = core();
    let op = op(&core);
    put(&mut core, at::MPU_RBAR, RAM | 16);
    put(&mut core, at::MPU_RASR, 1 << 28 | 2 << 24 | 9 << 1 | 1);
    put(&mut core, at::MPU_CTRL, 5);
    assert_eq!(core.store::<4>(&op, RAM, 5), Step::Next);
    let step = core.store_unprivileged::<4>(&op, RAM + 8, 5);
    assert_eq!(fault_of(&core, step), Some(Fault::DataAccess(RAM + 8)));
    assert_eq!(core.load_unprivileged::<4>(&op, RAM).0, 5);
    assert_eq!(core.may_fetch(RAM), Err(Fault::InstructionAccess));
    core.regs.unprivileged = true;
    let (_, step) = core.load::<4>(&op, RAM + 0x400);
    assert_eq!(
        fault_of(&core, step),
        Some(Fault::DataAccess(RAM + 0x400)),
        "outside, without a background"
    );
    let (_, step) = core.load::<4>(&op, RAM + 0x3fe);
    assert_eq!(
        fault_of(&core, step),
        Some(Fault::DataAccess(RAM + 0x400)),
        "the second half"
    );
    core.regs.faultmask = true;
    assert_eq!(core.load::<4>(&op, RAM + 0x400).1, Step::Next, "HFNMIENA is 0");
}

#[test]
fn the_default_map_has_parts_where_nothing_executes() {
    let mut core = core();
    for (address, executable) in [
        (0x0000_0000, true),
        (0x2000_0000, true),
        (0x4000_0000, false),
        (0x6000_0000, true),
        (0x9fff_fffe, true),
        (0xa000_0000, false),
        (0xdfff_fffe, false),
        (0xe000_0000, false),
        (0xf000_0000, false),
    ] {
        assert_eq!(core.may_fetch(address).is_ok(), executable, "{address:#x}");
    }
    put(&mut core, at::MPU_RASR, 3 << 24 | 31 << 1 | 1);
    put(&mut core, at::MPU_CTRL, 1);
    assert!(core.may_fetch(0x4000_0000).is_ok(), "a region without XN");
    assert!(
        core.may_fetch(0xe000_0000).is_err(),
        "the system part never executes"
    );
}

#[test]
fn a_write_to_code_makes_the_runs_stale() {
    let mut core = core();
    let op = op(&core);
    core.bus.memory_mut(RAM).mark_code();
    assert_eq!(core.store::<4>(&op, RAM + 64, 1), Step::Attention);
    assert!(core.code.is_stale());
    assert_eq!(get(&mut core, RAM + 64), 1);
}

#[test]
fn an_access_leaves_the_fast_way_only_where_somebody_wants_to_hear_of_it() {
    let mut core = core();
    let op = op(&core);
    put(&mut core, RAM, 1);
    let interest = events::Interest {
        writes: events::Ranges::of([(RAM + 4, RAM + 5)]),
        reads: events::Ranges::of([(RAM + 8, RAM + 8)]),
        ..events::Interest::none()
    };
    core.set_interest(interest);
    assert_eq!(core.store::<2>(&op, RAM, 0x1_2345), Step::Next);
    assert_eq!(
        core.store::<1>(&op, RAM + 6, 0),
        Step::Next,
        "only in the same word"
    );
    assert_eq!(core.store::<2>(&op, RAM + 4, 0x1_2345), Step::Irregular);
    assert_eq!(core.load::<4>(&op, RAM + 4).1, Step::Next);
    assert_eq!(core.load::<4>(&op, RAM + 8), (0, Step::Irregular));
    let told = Deviation {
        observed: true,
        ..Deviation::default()
    };
    assert_eq!(core.deviation, told, "the cost is the same");
}

#[test]
fn exclusives_store_once() {
    let mut core = core();
    core.regs.r[15] = 0x1000;
    core.regs.r[1] = RAM;
    core.regs.r[2] = 77;
    // ldrex r0, [r1]; strex r3, r2, [r1]; strex r4, r2, [r1]
    execute(&mut core, &[0xe851, 0x0f00, 0xe841, 0x2300, 0xe841, 0x2400]);
    assert_eq!((core.regs.r[3], core.regs.r[4]), (0, 1));
    // ldrex r0, [r1]; clrex; strex r4, r2, [r1]
    execute(&mut core, &[0xe851, 0x0f00, 0xf3bf, 0x8f2f, 0xe841, 0x2400]);
    assert_eq!((core.regs.r[0], core.regs.r[4]), (77, 1));
}

#[test]
fn an_exclusive_store_may_go_to_another_address() {
    let mut core = core();
    core.regs.r[15] = 0x1000;
    core.regs.r[1] = RAM;
    // ldrex r0, [r1]; strex r3, r2, [r1, #4]
    execute(&mut core, &[0xe851, 0x0f00, 0xe841, 0x2301]);
    assert_eq!(core.regs.r[3], 0, "the monitor holds no address");
}

#[test]
fn the_test_programs_are_what_their_comments_say() {
    let text = |first, second| decode_at(first, Some(second)).unwrap().disassemble(0).to_string();
    assert!(
        text(0xe851, 0x0f00).starts_with("ldrex r0, [r1]"),
        "{}",
        text(0xe851, 0x0f00)
    );
    assert!(
        text(0xe841, 0x2300).starts_with("strex r3, r2, [r1]"),
        "{}",
        text(0xe841, 0x2300)
    );
    assert!(text(0xf3bf, 0x8f2f).starts_with("clrex"));
}

#[test]
fn words_are_little_endian() {
    assert_eq!(word([0x34, 0x12]), 0x1234);
    assert_eq!(ProfileId::default(), ProfileId::PRIVATE);
}
