//! Compares programs in several memories of different speeds, some behind a cache shared by both ports: every instruction retires in the
//! same cycle as on the Verilog. The harness implements that cache in C++.

use crate::common::random_wait;
use crate::cycles::{LIMIT, compare_on};
use crate::privileged;
use crate::programs::{DATA, entry, program};
use bus::{L2Shape, L2Wait, Replacement, WritePolicy};
use core_rv32::Config;
use fastrand::Rng;
use rtl::{Around, Ram, Shared};

/// A cache small enough for evictions.
fn cache(rng: &mut Rng) -> L2Shape {
    let (line, ways) = (4 << rng.u32(..6), 1 << rng.u32(..3));
    L2Shape {
        size: (line * ways) << rng.u32(..5),
        ways,
        line,
        width: (4 << rng.u32(..6)).min(line),
        replacement: *rng.choice([Replacement::Lru, Replacement::Fifo].iter()).unwrap(),
        write: *rng
            .choice([WritePolicy::Back, WritePolicy::Through].iter())
            .unwrap(),
        allocates: rng.bool(),
        wait: L2Wait {
            hit: rng.u8(..4),
            beat: rng.u8(..3),
            miss: rng.u8(..3),
            switch: rng.u8(..2),
        },
    }
}

/// A cache large enough for a program and its data.
pub(crate) fn large_cache() -> L2Shape {
    L2Shape {
        size: 0x1_0000,
        ways: 1,
        line: 32,
        width: 4,
        replacement: Replacement::Lru,
        write: WritePolicy::Back,
        allocates: true,
        wait: L2Wait {
            hit: 1,
            beat: 1,
            miss: 1,
            switch: 1,
        },
    }
}

/// Splits a program's memory inside its code, and inside its data if no access crosses the split.
pub(crate) fn cut(config: &Config, memory: Vec<u8>, rng: &mut Rng) -> (Vec<u8>, Around) {
    let mut cuts = vec![0x80 * rng.usize(4..16)];
    if !config.splits {
        cuts.push(DATA as usize);
    }
    let mut memories = Vec::new();
    let mut first = memory;
    for &at in cuts.iter().rev() {
        let bytes = first.split_off(at);
        memories.push(Ram {
            base: at as u32,
            size: bytes.len() as u32,
            bytes,
            wait: random_wait(rng),
        });
    }
    let mut caches = Vec::new();
    let mut free = vec![0];
    free.extend(cuts.iter().map(|&at| at as u32));
    rng.shuffle(&mut free);
    while !free.is_empty() && rng.u8(..4) != 0 {
        let bases = free.split_off(free.len() - rng.usize(1..=free.len()));
        let shape = cache(rng);
        caches.push(Shared { shape, bases });
    }
    let wait = Some(random_wait(rng));
    let around = Around {
        wait,
        memories,
        caches,
    };
    (first, around)
}

/// Compares programs from `make`.
pub(crate) fn compare_in_pieces(
    name: &str,
    first: impl Fn(&Config) -> u32,
    make: impl Fn(&Config, &mut Rng) -> Vec<u8>,
) {
    compare_on(name, LIMIT, first, |config, rng| {
        let whole = make(config, rng);
        cut(config, whole, rng)
    });
}

fn compare(name: &str) {
    compare_in_pieces(name, entry, program);
}

#[test]
fn ports_without_caches_share_one() {
    compare("vexriscv-min");
    compare("vexriscv-lite");
}

#[test]
fn a_cache_stands_behind_two() {
    compare("vexriscv-full");
    compare("vexriscv-imac");
    compare("vexriscv-linux");
    compare("vexriscv-secure");
}

#[test]
fn pages_are_walked_through_one() {
    compare_in_pieces("vexriscv-linux", |_| 0, privileged::program);
}

#[test]
fn ports_that_are_granted_at_once_share_one() {
    compare("ibex");
    compare("ibex-wb");
}

#[test]
fn one_port_has_one() {
    compare("picorv32");
}
