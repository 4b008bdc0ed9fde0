//! Runs random programs on the model and checks that a rule explains each waiting cycle.

use core_rv32::timing::rules::{self, Rule, RuleSet};
use core_rv32::{Config, Timing, Translation};
use events::{Costs, Event, Flow, Interest, Sink, Window};
use fastrand::Rng;
use isa_rv32::{Op, decode};
use machine::cores;
use rtl::{Job, model};

use crate::common::has_verilog;
use crate::cycles::interrupts;
use crate::privileged;
use crate::programs::{entry, number, program};

/// Retired instructions (cycle, encoding, rules that made it wait), and all windows with their events.
#[derive(Default)]
struct Retired {
    steps: Vec<(u64, u32, RuleSet)>,
    windows: Vec<(Window, Costs, Event)>,
    fetch: bool,
}

impl Sink for Retired {
    fn interest(&self) -> Interest {
        Interest {
            fetch: self.fetch,
            ..Interest::windows()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        if let Event::Retire(retire) = event {
            let rules = RuleSet::told(retire.rules);
            self.steps.push((retire.issued, retire.raw, rules));
        }
        if let Some((at, costs)) = event.window() {
            self.windows.push((at, *costs, *event));
        }
        Flow::On
    }
}

/// Checks that the windows tile the run, their costs add up, and each lost cycle has a known rule.
fn add_up(told: &Retired, pace: u64, known: &[Rule], place: &str) {
    let mut end = 0;
    for (at, costs, event) in &told.windows {
        assert_eq!(at.from, end, "{place}: {event:?}");
        end = at.to;
        assert_eq!(costs.total(), at.length(), "{place}: {event:?}");
        let turn = if matches!(event, Event::Retire(_)) {
            pace.min(at.length())
        } else {
            0
        };
        let issue = costs.iter().find(|cost| cost.rule == Rule::Issue.into());
        let issue = issue.map_or(0, |cost| u64::from(cost.cycles));
        assert_eq!(issue, turn, "{place}: {event:?}");
        for cost in costs.iter() {
            let is_known = known.iter().any(|&rule| cost.rule == rule.into());
            assert!(is_known, "{place}: {event:?}");
        }
    }
}

/// Instructions that the programs do not contain; the second is rdcycle a0.
const WFI: u32 = 0x1050_0073;
const RDCYCLE: u32 = 0xc000_2573;

/// Cycles per instruction without waits.
fn pace(timing: Timing) -> u64 {
    if timing == Timing::PicoRv32 { 3 } else { 1 }
}

#[test]
fn what_waits_says_why() {
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for config in cores::rv32() {
        let timing = config.timing.expect("it has one");
        let book = rules::book(&config);
        let known: Vec<Rule> = Rule::ALL
            .into_iter()
            .filter(|&rule| book.get(rule.into()).is_some())
            .collect();
        let mut seen = RuleSet::NONE;
        for round in 0..number("RTL_PROGRAMS", 40) {
            let privileged = config.translation != Translation::None && round % 2 == 1;
            let mut memory = if privileged {
                privileged::program(&config, &mut rng)
            } else {
                program(&config, &mut rng)
            };
            if !privileged {
                let rare = if config.waits { WFI } else { RDCYCLE };
                memory[0x300..0x304].copy_from_slice(&rare.to_le_bytes());
            }
            let job = Job {
                reset_vector: if privileged { 0 } else { entry(&config) },
                memory,
                latency: rng.u32(..3) * rng.u32(..3),
                changes: interrupts(&mut rng),
                limit: 20_000,
                ..Job::default()
            };
            let mut hart = model::hart(config, &job).unwrap();
            let mut retired = Retired {
                fetch: rng.bool(),
                ..Retired::default()
            };
            hart.run(job.limit, &mut retired);
            let place = format!("{}, RTL_SEED={seed}, program {round}", config.name);
            add_up(&retired, pace(timing), &known, &place);
            for (_, costs, _) in &retired.windows {
                seen = seen.and(RuleSet::told(costs.rules()));
            }
            for pair in retired.steps.windows(2) {
                let ((before, ..), (cycle, raw, waits)) = (pair[0], pair[1]);
                let place = format!(
                    "{}, RTL_SEED={seed}, program {round}, cycle {cycle}, {raw:08x}",
                    config.name
                );
                let gap = cycle - before;
                assert!(
                    gap <= pace(timing) || waits != RuleSet::NONE,
                    "{place}: {gap} cycles"
                );
                // A write-back stage hides its instruction's waits; a jump of PicoRV32 is as fast as other instructions.
                let shows = timing == Timing::Ibex;
                assert!(gap > 1 || !shows || waits == RuleSet::NONE, "{place}: {waits:?}");
                for rule in waits.iter() {
                    assert!(known.contains(&rule), "{place}: {rule:?}");
                    fits(rule, raw, &config, &place);
                }
                seen = seen.and(waits);
            }
        }
        if !has_verilog(&config) {
            // The programs that change modes are made for VexRiscv only.
            continue;
        }
        let unseen: Vec<_> = known.iter().filter(|&&rule| !seen.has(rule)).collect();
        assert!(unseen.is_empty(), "{}: {unseen:?} in no program", config.name);
    }
}

/// The pages list every rule that makes an instruction wait.
#[test]
fn the_pages_have_every_rule() {
    let pages = [
        ("vexriscv-min", "vexriscv"),
        ("vexriscv-lite", "vexriscv"),
        ("vexriscv-full", "vexriscv"),
        ("vexriscv-linux", "vexriscv"),
        ("ibex", "ibex"),
        ("ibex-wb", "ibex"),
        ("picorv32", "picorv32"),
    ];
    for (core, page) in pages {
        let config = cores::rv32_named(core).unwrap();
        let path = format!("{}/../../docs/timing/{page}.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(&path).unwrap();
        for known in rules::of(&config) {
            let row = format!("| `{}` | ", known.id);
            assert!(page.contains(&row), "{path}: no {}", known.id);
        }
    }
}

/// Checks rules that only one kind of instruction waits for.
fn fits(rule: Rule, raw: u32, config: &Config, place: &str) {
    let Ok(insn) = decode(raw, config.isa) else { return };
    let is = match rule {
        Rule::Divide => insn.is_division(),
        Rule::Multiply => matches!(insn.op, Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu),
        Rule::Split => insn.access_size() != 0,
        // With a write-back stage or a data cache, the following instruction waits too.
        Rule::Access => {
            let alone = matches!(
                config.timing,
                Some(Timing::Ibex | Timing::PicoRv32 | Timing::Simple | Timing::Lite)
            );
            insn.access_size() != 0 || !alone
        }
        _ => true,
    };
    assert!(is, "{place}: {rule:?} of {:?}", insn.op);
}
