//! A run depends on nothing but the program and its interrupts: twice the same, whoever listens, however it is cut.
//!
//! Tiny programs, streams of any instructions, and every program that is built under `target/firmware`.

mod common;
#[path = "determinism/listeners.rs"]
mod listeners;
#[path = "determinism/masters.rs"]
mod masters;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use common::{CODE, DATA, elf, flash, image, load, program, with_literals};
use events::{Event, Pcs, Retire, RuleSet, Silent, Sink};
use listeners::{Accesses, Few, Steps};
use machine::{Board, Debugger, Exception, Image, Machine, Options, Outcome};
use proptest::prelude::*;

/// Cycles of a run: more than one slice, after which a run looks up.
const LIMIT: u64 = 150_000;
const SELF_BRANCH: u16 = 0xe7fe;
const BOARD: &str = "cortex-m3";
/// One for each pipeline and set of instructions.
const BOARDS: [&str; 5] = ["cortex-m0", "cortex-m0plus", BOARD, "cortex-m4", "cortex-m4f"];

/// The inputs of a program from outside.
#[derive(Clone, Debug)]
struct Trial {
    board: &'static str,
    image: Arc<Image>,
    limit: u64,
    /// Exception and cycle.
    raises: Vec<(u16, u64)>,
}

/// Everything that a run leaves behind.
#[derive(PartialEq, Debug)]
struct End {
    cycle: u64,
    outcome: String,
    registers: String,
    /// Address and value of every word that is not 0.
    memory: Vec<(u32, u32)>,
}

impl Trial {
    fn new(image: Arc<Image>) -> Trial {
        let raises = Vec::new();
        Trial {
            board: BOARD,
            image,
            limit: LIMIT,
            raises,
        }
    }

    fn interrupted(mut self, raises: &[(u16, u64)]) -> Trial {
        self.raises.extend_from_slice(raises);
        self
    }

    fn machine(&self) -> Machine {
        self.machine_that(true)
    }

    /// A machine that reuses what it worked out, or not.
    fn machine_that(&self, remember: bool) -> Machine {
        let options = Options {
            debugger: Debugger::Attached,
            remember,
            ..Options::default()
        };
        let board = Board::find(self.board).unwrap();
        let mut machine = Machine::new(&board, &self.image, options).unwrap();
        for &(number, cycle) in &self.raises {
            machine.raise(Exception::of_number(number), cycle);
        }
        machine
    }

    fn end(machine: &Machine, outcome: &Outcome) -> End {
        let core = machine.cortex_m().unwrap();
        End {
            cycle: machine.cycle(),
            outcome: format!("{outcome:?}"),
            registers: format!(
                "{:x?} {:x} {:x?}",
                core.regs,
                core.regs.xpsr(),
                core.fault_status()
            ),
            memory: writable_memory(machine),
        }
    }

    fn silent(&self) -> End {
        let mut machine = self.machine();
        let outcome = machine.run(self.limit, &mut Silent);
        Self::end(&machine, &outcome)
    }

    fn listening(&self) -> (End, Vec<Event>) {
        let (mut machine, mut events) = (self.machine(), Vec::new());
        let outcome = machine.run(self.limit, &mut events);
        (Self::end(&machine, &outcome), events)
    }

    /// Each instruction timed by itself.
    fn careful(&self) -> (End, Vec<Event>) {
        let (mut machine, mut events) = (self.machine_that(false), Vec::new());
        let outcome = machine.run(self.limit, &mut events);
        (Self::end(&machine, &outcome), events)
    }

    fn cut_at(&self, cut: u64) -> End {
        let mut machine = self.machine();
        let outcome = match machine.run(cut, &mut Silent) {
            Outcome::Limit { .. } => machine.run(self.limit, &mut Silent),
            ended => ended,
        };
        Self::end(&machine, &outcome)
    }

    /// Runs the program in every way; what happened, for tests that ask whether it was worth running.
    fn check(&self) -> Vec<Event> {
        let (first, events) = self.listening();
        let (second, again) = self.listening();
        assert_eq!(trace(&events), trace(&again), "two traces");
        assert_eq!(first, second, "two runs");
        assert_eq!(self.silent(), first, "nobody listens, somebody listens");
        assert_eq!(self.cut_at(self.limit / 3), first, "cut and whole");
        let (third, careful) = self.careful();
        assert_eq!(third, first, "worked out once, and each time");
        assert_same(&careful, &events);
        tiles(&events);
        self.hears_what_it_asks_for(&events);
        self.hears_accesses(&events);
        self.hears_steps(&events);
        events
    }
}

impl Trial {
    /// Whoever is content with little of each instruction hears that of all. How many of them came so.
    fn hears_steps(&self, events: &[Event]) -> usize {
        let mut wanted = Steps::default();
        for event in events {
            let _ = wanted.event(event);
        }
        let mut steps = Steps::default();
        let mut machine = self.machine();
        machine.run(self.limit, &mut steps);
        assert!(steps.heard == wanted.heard, "steps");
        assert_eq!(machine.relied(), self.relied(), "rules");
        steps.by_step
    }

    fn relied(&self) -> RuleSet {
        let mut machine = self.machine();
        machine.run(self.limit, &mut Silent);
        machine.relied()
    }

    /// Whoever asks for a few instructions hears of these what who hears everything does, wherever it pauses.
    fn hears_what_it_asks_for(&self, events: &[Event]) {
        let retired = events.iter().filter_map(|event| match event {
            Event::Retire(retire) => Some(*retire),
            _ => None,
        });
        let all: Vec<Retire> = retired.collect();
        let mut some = Few {
            pcs: Pcs::at(all.iter().step_by(1 + all.len() / 3).map(|retire| retire.pc)),
            heard: Vec::new(),
        };
        let mut machine = self.machine();
        while let Outcome::Paused { .. } = machine.run(self.limit, &mut some) {
            // Right behind what was told last.
            let Some(Event::Retire(last)) = some.heard.last() else {
                panic!("nothing to pause for");
            };
            let same =
                |retire: &Retire| (retire.at, retire.issued, retire.pc) == (last.at, last.issued, last.pc);
            let before = all.iter().position(same).unwrap() as u64;
            assert_eq!(machine.instructions(), before + 1, "a pause");
        }
        assert_eq!(machine.instructions(), self.instructions(), "instructions");
        let wanted = all.iter().filter(|retire| some.pcs.contains(retire.pc));
        let heard = some.heard.iter().map(|event| match event {
            Event::Retire(retire) => Retire {
                since: RuleSet::EMPTY,
                ..*retire
            },
            other => panic!("{other:?} was not asked for"),
        });
        let wanted: Vec<Retire> = wanted
            .map(|retire| Retire {
                since: RuleSet::EMPTY,
                ..*retire
            })
            .collect();
        assert_eq!(heard.collect::<Vec<_>>(), wanted);
    }

    /// Who asks for stores and loads alone hears of these what who hears everything does.
    fn hears_accesses(&self, events: &[Event]) {
        let plain = |event: &Event| match *event {
            Event::Write {
                cycle,
                pc,
                address,
                value,
                sp,
                ..
            }
            | Event::Read {
                cycle,
                pc,
                address,
                value,
                sp,
                ..
            } => Some((cycle, pc, address, value, sp)),
            _ => None,
        };
        let mut alone = Accesses(Vec::new());
        self.machine().run(self.limit, &mut alone);
        let heard: Vec<_> = alone.0.iter().filter_map(plain).collect();
        let wanted: Vec<_> = events.iter().filter_map(plain).collect();
        assert!(heard == wanted, "accesses");
    }

    fn instructions(&self) -> u64 {
        let mut machine = self.machine_that(false);
        machine.run(self.limit, &mut Silent);
        machine.instructions()
    }
}

fn assert_same(one: &[Event], other: &[Event]) {
    let different = one.iter().zip(other).find(|(one, other)| one != other);
    assert_eq!(different, None);
    assert_eq!(one.len(), other.len());
}

/// Each cycle from reset on belongs to one window, and what a window's cycles went to adds up to it.
fn tiles(events: &[Event]) {
    let mut end = 0;
    for event in events {
        if let Some((at, costs)) = event.window() {
            assert_eq!(at.from, end, "{event:?}");
            assert_eq!(costs.total(), at.length(), "{event:?}");
            end = at.to;
        }
    }
}

/// The words of all writable memory that are not 0.
fn writable_memory(machine: &Machine) -> Vec<(u32, u32)> {
    let bus = machine.bus();
    let memories = bus.regions().map(|region| bus.memory(region.base));
    let words = memories.filter(|memory| memory.is_writable()).flat_map(|memory| {
        let words = memory.bytes().as_chunks().0.iter();
        let words = words.map(|bytes| u32::from_le_bytes(*bytes));
        (memory.region().base..).step_by(4).zip(words)
    });
    words.filter(|(_, word)| *word != 0).collect()
}

/// One line for each event.
fn trace(events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        writeln!(text, "{event:?}").unwrap();
    }
    text
}

/// Counts in RAM: ldr r1, =DATA; loop: ldr r0, [r1]; adds r0, #1; str r0, [r1]; b loop
fn counter() -> Vec<u16> {
    with_literals(&[load(1, CODE, 0), 0x6808, 0x3001, 0x6008, 0xe7fb], &[DATA])
}

/// The image of `code`, whose exceptions from 2 to 17 all return at once (`bx lr`).
fn with_returning_handlers(code: &[u16]) -> Arc<Image> {
    let mut part = flash(0, code);
    part.bytes[common::HANDLER as usize..][..2].copy_from_slice(&0x4770u16.to_le_bytes());
    image(&elf(&[part, common::Part::ram(DATA, vec![0; 64])]))
}

/// Who listens again behind a stretch that nobody listened to, and that was gone back over, hears the same.
#[test]
fn going_back_loses_nobody_who_listens() {
    let trial = Trial::new(program(&counter(), &[]));
    let mut machine = trial.machine();
    let heard = || Few {
        pcs: Pcs::at([CODE + 4]),
        heard: Vec::new(),
    };
    let listen = |machine: &mut Machine, until: u64| {
        let mut few = heard();
        while let Outcome::Paused { .. } = machine.run(until, &mut few) {}
        few.heard.len()
    };
    assert!(listen(&mut machine, 1_000) > 50);
    let there = machine.snapshot();
    let first = listen(&mut machine, 2_000);
    machine.restore(&there);
    machine.run(2_000, &mut Silent);
    machine.restore(&there);
    assert_eq!(listen(&mut machine, 2_000), first);
}

#[test]
fn a_loop_over_memory() {
    let trial = Trial::new(program(&counter(), &[]));
    let events = trial.check();
    assert!(trial.hears_steps(&events) > 1_000);
    let writes = events
        .iter()
        .filter(|event| matches!(event, Event::Write { .. }))
        .count();
    assert!(writes > 1_000, "{writes}");
}

#[test]
fn interrupts_at_many_cycles() {
    let raises: Vec<(u16, u64)> = (0..200)
        .map(|n| (if n % 3 == 0 { 2 } else { 14 }, 50 + 97 * n + n % 7))
        .collect();
    let trial = Trial::new(with_returning_handlers(&counter())).interrupted(&raises);
    let events = trial.check();
    let entries = events
        .iter()
        .filter(|event| matches!(event, Event::Enter(_)))
        .count();
    assert_eq!(entries, raises.len());
}

#[test]
fn a_ticking_timer() {
    // ldr r1, =SYST_RVR; movs r0, #99; str r0, [r1]; movs r0, #7; ldr r2, =SYST_CSR; str r0, [r2]; wfi; b back
    let code = [
        load(1, CODE, 0),
        0x2063,
        0x6008,
        0x2007,
        load(2, CODE + 8, 1),
        0x6010,
        0xbf30,
        0xe7fd,
    ];
    let code = with_literals(&code, &[0xe000_e014, 0xe000_e010]);
    let events = Trial::new(with_returning_handlers(&code)).check();
    let ticks = events
        .iter()
        .filter(|event| matches!(event, Event::Enter(enter) if enter.exception == Exception::System(15)))
        .count();
    assert!(ticks > 1_000, "{ticks}");
}

#[test]
fn code_that_rewrites_itself() {
    // r1 = DATA; r0 = 0x4770_3201 (adds r2, #1; bx lr); loop: str r0, [r1]; blx r3 (DATA + 1); adds r0, #1; b loop
    let code = [
        load(1, CODE, 0),
        load(0, CODE + 2, 1),
        load(3, CODE + 4, 2),
        0x6008,
        0x4798,
        0x3001,
        0xe7fb,
    ];
    let code = with_literals(&code, &[DATA, 0x4770_3201, DATA + 1]);
    let mut trial = Trial::new(program(&code, &[]));
    trial.limit = 2_000;
    let events = trial.check();
    let ran_there = |raw: u32| {
        events
            .iter()
            .any(|event| matches!(event, Event::Retire(retire) if (retire.pc, retire.raw) == (DATA, raw)))
    };
    assert!(ran_there(0x3201) && ran_there(0x3202));
}

#[test]
fn a_fault_and_the_spin_behind_it() {
    // ldr r1, =an address without memory: the board does not describe it; udf: a fault
    let undescribed = with_literals(&[load(1, CODE, 0), 0x6808, SELF_BRANCH], &[0x6000_0000]);
    for code in [undescribed, vec![0xde00, SELF_BRANCH]] {
        Trial::new(program(&code, &[])).check();
    }
}

/// The default memory map forbids it; the fast way, which nobody watches, must notice as well.
#[test]
fn a_jump_to_where_nothing_may_be_executed() {
    for target in [0xffff_ff1b_u32, 0xffff_ffff, 0x4000_0001, 0xe000_0001] {
        // ldr r1, =target; bx r1
        let code = with_literals(&[load(1, CODE, 0), 0x4708], &[target]);
        let trial = Trial::new(program(&code, &[]));
        trial.check();
        assert!(trial.silent().outcome.contains("Crash"), "{target:#x}");
    }
}

/// RAM from before `0x4000_0000` to behind it: code runs up to that address and faults there, also in the middle of an
/// instruction.
#[test]
fn code_that_runs_into_where_nothing_may_be_executed() {
    const START: u32 = 0x3fff_ff00;
    let (nop, narrow, wide) = (0xbf00u16, 0x3001, [0xf100, 0x0001]);
    for last in [
        vec![narrow, narrow, SELF_BRANCH],
        vec![nop, wide[0], wide[1], SELF_BRANCH],
    ] {
        let mut code = vec![nop; 0x7e];
        code.extend(&last);
        let bytes = code.iter().flat_map(|half| half.to_le_bytes()).collect();
        // ldr r1, =START + 1; bx r1
        let jump = with_literals(&[load(1, CODE, 0), 0x4708], &[START | 1]);
        let high = common::Part {
            flags: 7,
            ..common::Part::ram(START, bytes)
        };
        let parts = [flash(0, &jump), high, common::Part::ram(DATA, vec![0; 4])];
        let trial = Trial::new(image(&elf(&parts)));
        trial.check();
        assert!(trial.silent().outcome.contains("Crash"), "{last:x?}");
    }
}

/// An exception that is recognised in the cycle in which a BKPT would execute comes before it, though the BKPT takes no
/// time: the address to return to is that of the BKPT.
#[test]
fn an_exception_right_before_a_breakpoint() {
    // str r0, [r4] with r4 = 0, read-only memory: an imprecise bus fault; bkpt
    let events = Trial::new(with_returning_handlers(&[0x6020, 0xbe00, SELF_BRANCH])).check();
    let returns_to = events.iter().find_map(|event| match event {
        Event::Enter(enter) => Some(enter.return_address),
        _ => None,
    });
    assert_eq!(returns_to, Some(CODE + 2));
}

/// Halfwords: many are harmless instructions, some are branches, IT, or no instruction at all.
fn halfword() -> impl Strategy<Value = u16> {
    prop_oneof![
        6 => 0u16..0x4800,
        4 => 0x5000u16..0xa000,
        2 => 0xb000u16..0xc000,
        1 => 0xc000u16..0xd000,
        1 => any::<u16>(),
        1 => 0u16..16,
    ]
}

/// Points R0 to R7 into RAM, in steps of 64 bytes, with instructions that every core has.
fn point_to_ram() -> Vec<u16> {
    let base = [0x2020, 0x0600]; // movs r0, #0x20; lsls r0, r0, #24
    // mov r1, r0; adds r1, #64
    let others =
        (1..8u16).flat_map(|register| [0x4600 | (register - 1) << 3 | register, 0x3040 | register << 8]);
    base.into_iter().chain(others).collect()
}

/// Instructions of the kind that only some cores have: they compute from R0 to R7 into R0 to R7.
fn wide() -> impl Strategy<Value = Vec<u16>> {
    // Data processing; parallel arithmetic and its neighbours; multiplications.
    let first = prop_oneof![0xea00u16..0xebff, 0xfa80u16..0xfaff, 0xfb00u16..0xfbff];
    let second = (0u16..8, any::<u8>(), any::<bool>());
    (first, second).prop_map(|(first, (register, rest, high))| {
        let accumulator = if high { 0xf000 } else { 0 };
        vec![
            first & 0xfff7,
            accumulator | register << 8 | u16::from(rest) & 0xf7,
        ]
    })
}

/// Mostly narrow instructions, some wide ones.
fn some_code() -> impl Strategy<Value = Vec<u16>> {
    let narrow = halfword().prop_map(|halfword| vec![halfword]);
    prop::collection::vec(prop_oneof![4 => narrow, 1 => wide()], 1..60).prop_map(|code| code.concat())
}

/// Programs; `DETERMINISM_PROGRAMS` asks for more of them.
fn programs() -> ProptestConfig {
    let asked = std::env::var("DETERMINISM_PROGRAMS").ok();
    ProptestConfig::with_cases(asked.map_or(300, |text| {
        text.parse().expect("DETERMINISM_PROGRAMS is a number")
    }))
}

proptest! {
    #![proptest_config(programs())]

    #[test]
    fn any_instructions_and_interrupts(
        board in prop::sample::select(&BOARDS[..]),
        code in some_code(),
        raises in prop::collection::vec((prop_oneof![Just(2u16), Just(14), Just(15)], 0u64..600), 0..6),
    ) {
        let code: Vec<u16> = point_to_ram().into_iter().chain(code).chain([SELF_BRANCH]).collect();
        let mut trial = Trial::new(with_returning_handlers(&code)).interrupted(&raises);
        trial.board = board;
        trial.limit = 1_500;
        trial.check();
    }
}

/// Every program that is built, as far as it starts on the plain board; none on a fresh checkout.
#[test]
fn every_program_that_is_built() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/firmware");
    let Some(programs) = skipped::programs(&folder) else {
        return;
    };
    for path in programs {
        println!("{}", path.display());
        let mut trial = Trial::new(Arc::new(Image::load(&path).unwrap()));
        trial.limit = 20_000;
        assert!(!trial.check().is_empty());
    }
}
