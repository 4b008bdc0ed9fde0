//! Checks that the cost of each window does not depend on the listeners, on where a run is cut, or on memoisation.

use core_rv32::{Hart, Stop};
use events::{Costs, Event, Flow, Interest, Pcs, RuleSet, Sink, Window};
use fastrand::Rng;
use machine::cores;

use crate::fast::{endless, hart};
use crate::loops;
use crate::programs::number;

/// Cycles per program.
const UNTIL: u64 = 12_000;

/// A window: its cycles, its costs, the rules of its instruction, and the instruction's address or the event's name.
type Told = (Window, Costs, RuleSet, String);

/// Keeps the windows that it receives.
struct Windows {
    interest: Interest,
    told: Vec<Told>,
}

impl Sink for Windows {
    fn interest(&self) -> Interest {
        self.interest.clone()
    }

    fn event(&mut self, event: &Event) -> Flow {
        let Some((at, costs)) = event.window() else {
            return Flow::On;
        };
        let (rules, what) = match event {
            Event::Retire(retire) => (retire.rules, format!("{:#x}", retire.pc)),
            Event::Enter(enter) => (enter.rules, format!("enter {}", enter.exception.name())),
            Event::Exit(exit) => (exit.rules, format!("exit {}", exit.exception.name())),
            _ => (RuleSet::EMPTY, String::new()),
        };
        self.told.push((at, *costs, rules, what));
        Flow::On
    }
}

/// Runs in slices of these lengths, repeated cyclically.
fn run(mut hart: Hart, slices: &[u64], interest: &Interest) -> (Stop, u64, Vec<Told>) {
    let mut windows = Windows {
        interest: interest.clone(),
        told: Vec::new(),
    };
    let mut slices = slices.iter().cycle();
    loop {
        let until = (hart.cycle() + slices.next().expect("there are slices")).min(UNTIL);
        let stop = hart.run(until, &mut windows);
        if stop != Stop::Cycle || hart.cycle() >= UNTIL {
            return (stop, hart.retired(), windows.told);
        }
    }
}

fn compare(name: &str, start: &Hart, rng: &mut Rng) {
    let clocked = |remembers| {
        let mut hart = start.clone();
        hart.set_cost_reuse(remembers);
        hart
    };
    let (stop, retired, all) = run(clocked(false), &[UNTIL], &Interest::everything());
    for pair in all.windows(2) {
        assert_eq!(pair[0].0.to, pair[1].0.from, "{name}");
    }
    for (at, costs, ..) in &all {
        assert_eq!(costs.total(), at.length(), "{name}: {at:?}");
    }
    let pcs: Vec<u32> = (0..0x600).filter(|_| rng.u8(..4) == 0).collect();
    let names: Vec<String> = pcs.iter().map(|pc| format!("{pc:#x}")).collect();
    let some = Interest {
        pcs: Pcs::at(pcs),
        control: true,
        ..Interest::none()
    };
    let wanted = |told: &&Told| !told.3.starts_with("0x") || names.contains(&told.3);
    let few: Vec<Told> = all.iter().filter(wanted).cloned().collect();
    let cut: Vec<u64> = (0..rng.usize(1..8)).map(|_| rng.u64(1..400)).collect();
    for (interest, expected) in [(Interest::everything(), &all), (some, &few)] {
        for (remembers, slices) in [(true, &[UNTIL][..]), (true, &cut), (false, &cut)] {
            let (its_stop, its_retired, told) = run(clocked(remembers), slices, &interest);
            let place = format!("{name}, remembered {remembers}, slices {slices:?}");
            for (at, (one, other)) in told.iter().zip(expected).enumerate() {
                assert_eq!(one, other, "{place}: window {at}");
            }
            assert_eq!(told.len(), expected.len(), "{place}");
            assert_eq!((its_stop, its_retired), (stop.clone(), retired), "{place}");
        }
    }
}

#[test]
fn causes_are_the_same_whoever_hears_of_them() {
    let seed = number("RTL_SEED", Rng::new().u64(..));
    for config in cores::rv32().filter(|config| config.timing.is_some() && !config.halts) {
        println!("{}: RTL_SEED={seed}", config.name);
        let mut rng = Rng::with_seed(seed);
        for _ in 0..number("RTL_PROGRAMS", 2) {
            let memory = endless(&config, &mut rng);
            compare(config.name, &hart(&config, &memory, &mut rng), &mut rng);
            let memory = loops::endless(&config, &mut rng);
            compare(config.name, &hart(&config, &memory, &mut rng), &mut rng);
        }
    }
}
