//! Fuzz campaigns for internals that the command line does not reach; `measure/cli/tests/cli/campaign.rs` covers the rest.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Inputs in a run of all tests.
const FEW: u64 = 1_000;
/// The longest that one input may take, even on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);

/// A deterministic pseudo-random generator (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Calls `one` for each input with its own random numbers and counts the outcomes it returns; there must be at least two different ones.
pub(crate) fn campaign(name: &str, mut one: impl FnMut(&mut Random) -> &'static str) {
    let (seed, inputs) = (number("CAMPAIGN_SEED", 1), number("CAMPAIGN_INPUTS", FEW));
    let (mut outcomes, mut slowest) = (BTreeMap::<_, u64>::new(), Duration::ZERO);
    for input in 0..inputs {
        let began = Instant::now();
        let mut random =
            Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ input.wrapping_mul(0xd134_2543_de82_ef95));
        *outcomes.entry(one(&mut random)).or_default() += 1;
        slowest = slowest.max(began.elapsed());
        assert!(
            slowest < LONGEST,
            "{name}: input {input} of seed {seed} took {slowest:?}"
        );
    }
    assert!(
        outcomes.len() > 1,
        "{name}: all inputs came to the same: {outcomes:?}"
    );
    let Some(folder) = std::env::var_os("CAMPAIGN_FOLDER") else {
        return;
    };
    let mut row = format!("| {name} | {inputs} | {seed} | 0 | ");
    for (index, (outcome, count)) in outcomes.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let _ = write!(row, "{comma}{outcome} {count}");
    }
    let _ = writeln!(row, " | {} ms |", slowest.as_millis());
    std::fs::write(Path::new(&folder).join(format!("{name}.txt")), row).expect("the folder is there");
}
