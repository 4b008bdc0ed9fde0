//! Costs of cycles do not depend on how a run executes: cached or one instruction at a time, in slices or whole, with all, some or no
//! events emitted.

use bus::{
    Bus, CacheShape, Effect, Flash, FlashSettings, FlashShape, Memory, Region, Replacement, Slave, WaitStates,
};
use core_cortex_m::CoreKind;
use core_cortex_m::timing::Model;
use core_cortex_m::{Config, Core, Debugger, Options, Stop};
use events::{Costs, Event, Flow, Interest, Pcs, RuleSet, Sink, Window};
use proptest::prelude::*;

const RAM: u32 = 0x2000_0000;
const SIZE: u32 = 0x2000;
const CODE: u32 = 0x100;
/// The address of all handlers, and that of every third exception's.
const HANDLERS: [u32; 2] = [0x1000, 0x1010];
/// The address of the vectors in RAM, if they are there.
const VECTORS: u32 = RAM + 0x1000;
const UNTIL: u64 = 1_500;

/// How memories answer.
#[derive(Clone, Debug)]
struct Around {
    code: WaitStates,
    data: WaitStates,
    /// Both come from the same slave.
    shared: bool,
    /// The latency of a flash interface, and whether it has caches.
    flash: Option<(u8, bool)>,
    /// Fetches and data come from the flash over one bus, and it has no caches.
    one_bus: bool,
    /// An ARMv7-M core has its vectors in RAM.
    vectors_in_ram: bool,
}

/// A program and what comes to it from outside.
#[derive(Clone, Debug)]
struct Trial {
    kind: CoreKind,
    around: Around,
    code: Vec<u16>,
    raises: Vec<(u64, u16)>,
}

impl Trial {
    fn core(&self, remembers: bool) -> Core {
        let mut core = Core::new(self.config(), self.bus());
        core.set_cost_reuse(remembers);
        core.reset().unwrap();
        // The first four interrupts are enabled, two more that come are not.
        core.poke(0xe000_e100, 4, 0xf).unwrap();
        if self.around.vectors_in_ram && self.kind.isa.is_v7() {
            core.poke(0xe000_ed08, 4, VECTORS).unwrap();
        }
        for &(cycle, number) in &self.raises {
            core.raise_at(cycle, number);
        }
        core
    }

    fn config(&self) -> Config {
        let old = !self.kind.isa.is_v7();
        Config {
            core: self.kind,
            model: Model::of(self.kind),
            options: Options::ALL,
            priority_bits: if old { 2 } else { 4 },
            irqs: 16,
            mpu_regions: 0,
            bit_band: !old,
            stack_align: true,
            cpuid: 0x410f_0001 | self.kind.part_number << 4,
            vector_table: 0,
            systick_reference: 0,
            systick_calibration: 0,
            debugger: Debugger::Attached,
        }
    }

    fn bus(&self) -> Bus {
        let mut bus = Bus::new();
        let region = |name, base, wait, slave| Region {
            wait,
            slave: Slave(slave),
            ..Region::new(name, base, SIZE)
        };
        let second = u8::from(!self.around.shared);
        bus.add_memory(Memory::rom(region("code", 0, self.around.code, 0)));
        bus.add_memory(Memory::ram(region("data", RAM, self.around.data, second)));
        let vectors = (1..32).map(|number| if number == 1 { CODE } else { HANDLERS[usize::from(number % 3 == 0)] } | 1);
        let table: Vec<u8> = [RAM + SIZE]
            .into_iter()
            .chain(vectors)
            .flat_map(u32::to_le_bytes)
            .collect();
        assert!(bus.load(0, &table) && bus.load(VECTORS, &table));
        let halves = |code: &[u16]| -> Vec<u8> { code.iter().flat_map(|half| half.to_le_bytes()).collect() };
        assert!(bus.load(CODE, &halves(&self.code)));
        // bx lr; ldr r0, [sp]; str r0, [sp]; bx lr
        assert!(bus.load(HANDLERS[0], &halves(&[0x4770])));
        assert!(bus.load(HANDLERS[1], &halves(&[0x9800, 0x9000, 0x4770])));
        if let Some((latency, caches)) = self.around.flash {
            let one_bus = self.around.one_bus;
            let caches = caches && !one_bus;
            let cache = caches.then_some(CacheShape {
                lines: 8,
                ways: 2,
                line: 16,
                replacement: Replacement::Lru,
            });
            bus.set_flash(Flash::new(
                vec![(0, SIZE)],
                FlashShape {
                    line: 8,
                    prefetches: !one_bus,
                    instruction_cache: cache,
                    data_cache: cache,
                    data_buffer: !one_bus,
                    shared: one_bus,
                    shared_cache: None,
                },
            ));
            bus.set(Effect::Flash(FlashSettings {
                latency,
                prefetch: !one_bus,
                instruction_cache: caches,
                data_cache: caches,
                ..FlashSettings::default()
            }));
        }
        bus
    }
}

/// Hears what it asks for; a sleep that was cut is one.
struct Hears {
    interest: Interest,
    heard: Vec<Event>,
}

impl Hears {
    fn new(interest: Interest) -> Hears {
        Hears {
            interest,
            heard: Vec::new(),
        }
    }
}

impl Sink for Hears {
    fn interest(&self) -> Interest {
        self.interest.clone()
    }

    fn event(&mut self, event: &Event) -> Flow {
        // An input that wakes the core is emitted when the core sees it.
        let mut timed = self.heard.iter_mut().rev();
        let last = timed.find(|event| !matches!(event, Event::Input { .. }));
        if let (
            Some(Event::Sleep { at, costs }),
            Event::Sleep {
                at: next,
                costs: more,
            },
        ) = (last, event)
            && at.to == next.from
        {
            at.to = next.to;
            costs.join(more);
        } else {
            self.heard.push(*event);
        }
        Flow::On
    }
}

/// The outcome of a run.
#[derive(Clone, PartialEq, Debug)]
struct Went {
    stop: Stop,
    cycle: u64,
    instructions: u64,
    relied: RuleSet,
}

/// Runs in slices of these lengths, repeatedly; `interest` selects the events before each slice.
fn run(mut core: Core, slices: &[u64], mut interest: impl FnMut(usize) -> Interest) -> (Went, Vec<Event>) {
    let (mut until, mut hears) = (0, Hears::new(Interest::none()));
    for place in 0.. {
        until = (until + slices[place % slices.len()]).min(UNTIL);
        hears.interest = interest(place);
        let stop = core.run(until, &mut hears);
        if stop != Stop::Cycle || until == UNTIL {
            let (cycle, instructions, relied) = (core.cycle(), core.instructions(), core.rules_used());
            let went = Went {
                stop,
                cycle,
                instructions,
                relied,
            };
            return (went, hears.heard);
        }
    }
    unreachable!("it returns at the end")
}

/// The part of an event that does not depend on other selected events.
fn core_of(event: &Event) -> Option<(Window, Costs, RuleSet, String)> {
    let (at, costs) = event.window()?;
    let (rules, which) = match event {
        Event::Retire(retire) => (retire.rules, format!("{:#x}", retire.pc)),
        Event::Enter(enter) => (
            enter.rules,
            format!("enter {:?} {:?}", enter.exception, enter.kind),
        ),
        Event::Exit(exit) => (exit.rules, format!("exit {:?}", exit.exception)),
        _ => (RuleSet::EMPTY, String::new()),
    };
    Some((at, *costs, rules, which))
}

fn same(one: &[Event], other: &[Event], way: &str) {
    let different = one.iter().zip(other).find(|(one, other)| one != other);
    assert_eq!(different, None, "{way}");
    assert_eq!(one.len(), other.len(), "{way}");
}

fn check(trial: &Trial, slices: &[u64]) {
    let whole = [UNTIL];
    let everything = |_| Interest::everything();
    let (went, events) = run(trial.core(false), &whole, everything);
    for (remembers, slices, way) in [
        (true, &whole[..], "remembered"),
        (true, slices, "remembered and cut"),
        (false, slices, "cut"),
    ] {
        let (as_well, heard) = run(trial.core(remembers), slices, everything);
        same(&events, &heard, way);
        assert_eq!(as_well, went, "{way}");
    }
    let wanted: Vec<u32> = trial
        .code
        .iter()
        .zip((CODE..).step_by(2))
        .step_by(3)
        .map(|(_, pc)| pc)
        .collect();
    let some = Interest {
        pcs: Pcs::at(wanted.iter().copied()),
        control: true,
        ..Interest::none()
    };
    let is_wanted = |event: &&Event| !matches!(event, Event::Retire(retire) if !wanted.contains(&retire.pc));
    let told: Vec<_> = events.iter().filter(is_wanted).filter_map(core_of).collect();
    for (remembers, slices) in [(true, &whole[..]), (true, slices), (false, slices)] {
        let (as_well, heard) = run(trial.core(remembers), slices, |_| some.clone());
        let heard: Vec<_> = heard.iter().filter_map(core_of).collect();
        let different = heard.iter().zip(&told).find(|(one, other)| one != other);
        assert_eq!(different, None, "told a part, {remembers} {slices:?}");
        assert_eq!((heard.len(), as_well), (told.len(), went.clone()));
    }
    for (remembers, slices) in [(true, &whole[..]), (true, slices), (false, slices)] {
        let (as_well, _) = run(trial.core(remembers), slices, |_| Interest::none());
        assert_eq!(as_well, went, "silent, {remembers} {slices:?}");
        let turns = |place: usize| match place % 3 {
            0 => Interest::none(),
            1 => some.clone(),
            _ => Interest::everything(),
        };
        let (as_well, _) = run(trial.core(remembers), slices, turns);
        assert_eq!(as_well, went, "in turns, {remembers} {slices:?}");
    }
}

fn waits() -> impl Strategy<Value = WaitStates> {
    let wait = || prop_oneof![3 => Just(0u8), 1 => 1..4u8];
    (wait(), wait(), wait()).prop_map(|(fetch, read, write)| WaitStates {
        fetch,
        read,
        write,
        ..WaitStates::default()
    })
}

fn around() -> impl Strategy<Value = Around> {
    let flash = prop::option::weighted(0.3, (0..5u8, any::<bool>()));
    (waits(), waits(), any::<bool>(), flash, any::<[bool; 2]>()).prop_map(
        |(code, data, shared, flash, [one_bus, vectors_in_ram])| Around {
            code: if flash.is_some() {
                WaitStates::default()
            } else {
                code
            },
            data,
            shared,
            flash,
            one_bus,
            vectors_in_ram,
        },
    )
}

/// Many are harmless instructions, some are branches, IT, a switch of a mask, sleep, or no instruction at all.
fn instruction() -> impl Strategy<Value = Vec<u16>> {
    let narrow = prop_oneof![
        6 => 0u16..0x4800,
        4 => 0x5000u16..0xa000,
        2 => 0xb000u16..0xc000,
        1 => 0xc000u16..0xd000,
        1 => 0xd000u16..0xde00,
        1 => any::<u16>(),
        // svc; cpsid i; cpsie i; wfi; wfe; sev; b over one
        1 => prop::sample::select(vec![0xdf00u16, 0xb672, 0xb662, 0xbf30, 0xbf20, 0xbf40, 0xe000]),
    ];
    // Data processing; parallel arithmetic; multiplications and divides.
    let first = prop_oneof![0xea00u16..0xebff, 0xfa80u16..0xfaff, 0xfb00u16..0xfbff];
    let wide = (first, 0u16..8, any::<u8>(), any::<bool>()).prop_map(|(first, register, rest, high)| {
        let accumulator = if high { 0xf000 } else { 0 };
        vec![
            first & 0xfff7,
            accumulator | register << 8 | u16::from(rest) & 0xf7,
        ]
    });
    prop_oneof![4 => narrow.prop_map(|half| vec![half]), 1 => wide]
}

/// r0 to r7 point into RAM: movs r0, #0x20; lsls r0, r0, #24; mov r1, r0; adds r1, #64; …
fn pointing_to_ram(code: impl IntoIterator<Item = u16>) -> Vec<u16> {
    let others =
        (1..8u16).flat_map(|register| [0x4600 | (register - 1) << 3 | register, 0x3040 | register << 8]);
    let start = [0x2020, 0x0600].into_iter().chain(others);
    start.chain(code).chain([0xe7fe]).collect()
}

fn code() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(instruction(), 1..60).prop_map(|code| pointing_to_ram(code.concat()))
}

fn trial() -> impl Strategy<Value = Trial> {
    let cycle = prop_oneof![3 => 20..400u64, 1 => 400..UNTIL - 1];
    let raise = (cycle, prop_oneof![Just(2u16), Just(14), Just(15), 16..22u16]);
    let raises = prop::collection::vec(raise, 0..8);
    (prop::sample::select(&CoreKind::ALL[..]), around(), code(), raises).prop_map(
        |(kind, around, code, raises)| Trial {
            kind,
            around,
            code,
            raises,
        },
    )
}

/// Programs; `CAUSES_PROGRAMS` asks for more of them.
fn programs() -> ProptestConfig {
    let asked = std::env::var("CAUSES_PROGRAMS").ok();
    let cases = asked.map_or(250, |text| text.parse().expect("CAUSES_PROGRAMS is a number"));
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(programs())]

    #[test]
    fn causes_are_the_same_however_a_run_goes(trial in trial(), slices in prop::collection::vec(1..90u64, 1..12)) {
        check(&trial, &slices);
    }
}

/// A program that once differed, of a core whose memories have no wait states.
fn known(kind: CoreKind, code: &[u16], raises: &[(u64, u16)]) -> Trial {
    Trial {
        kind,
        around: Around {
            code: WaitStates::default(),
            data: WaitStates::default(),
            shared: false,
            flash: None,
            one_bus: false,
            vectors_in_ram: false,
        },
        code: pointing_to_ram(code.iter().copied()),
        raises: raises.to_vec(),
    }
}

#[test]
fn a_store_that_fails_meets_the_memory_that_refused_it() {
    // stmia r0!, {r0, r1}; lsrs r1, r0, #30; ldmia r0!, {r0-r3}; bhs. The second time r0 is 0: ROM, where writing takes no wait
    // states, refuses both words.
    let mut trial = known(CoreKind::CORTEX_M3, &[0xc003, 0x0f81, 0xc80f, 0xd2ec], &[]);
    trial.around.data.write = 1;
    check(&trial, &[1]);
}

#[test]
fn an_input_is_told_behind_the_sleep_that_it_ends() {
    // add sp, #8; wfi: stacking for the NMI fails, and with it the run.
    let trial = known(CoreKind::CORTEX_M0, &[0xb002, 0xbf30], &[(101, 2)]);
    check(&trial, &[5, 4, 15, 12, 10]);
}

#[test]
fn a_sleep_for_ever_begins_where_nothing_more_comes() {
    // wfi: the input is not enabled.
    let trial = known(CoreKind::CORTEX_M3, &[0xbf30], &[(101, 20)]);
    for slice in [5, 33, 70] {
        check(&trial, &[slice]);
    }
}

#[test]
fn a_load_that_a_cache_serves_is_told_to_rely_on_it() {
    // rsbs r1, r0, r0, lsl #3; ldrsh r1, [r1, r0]; bmi to the second instruction.
    let mut trial = known(CoreKind::CORTEX_M4, &[0xebd0, 0x01c0, 0x5e09, 0xd4eb], &[]);
    trial.around.flash = Some((1, true));
    check(&trial, &[1]);
}

#[test]
fn a_handler_is_fetched_behind_what_was_asked_for_before() {
    // lsls r0, r0, #0; movs r7, #0; ldmia r5!, {r0, r2-r6}: an NMI comes meanwhile, whose vector is in RAM.
    let mut trial = known(CoreKind::CORTEX_M3, &[0x0000, 0x2700, 0xcd7d], &[(26, 2)]);
    trial.around.flash = Some((4, false));
    trial.around.vectors_in_ram = true;
    check(&trial, &[1]);
}
