//! Compares the model's L2 with `LiteX`'s: each of many random transfers waits equally long.

use bus::{Access, Bus, L2, L2Shape, L2Wait, Memory, Region, Replacement, Transfer, WaitStates, WritePolicy};
use fastrand::Rng;
use rtl::{Asked, LitexCache, Missing};

use crate::common::cache;
use crate::programs::number;

/// Size of the cache in words. Addresses begin above it: initial tags are 0, as if the lowest lines were cached.
const WORDS: u32 = 64;
const BASE: u32 = 0x1_0000;
const SIZE: u32 = 0x4000;

fn transfers(rng: &mut Rng) -> Vec<Asked> {
    let (read, write) = (rng.u16(..40), rng.u16(..40));
    let near = SIZE >> rng.u32(..5);
    let mut address = BASE;
    (0..2000)
        .map(|_| {
            address = if rng.bool() {
                BASE + (address + 4 - BASE) % near
            } else {
                BASE + (rng.u32(..near) & !3)
            };
            Asked {
                address,
                writes: rng.u8(..3) == 0,
                idle: u32::from(rng.bool()) * rng.u32(..6),
                read,
                write,
            }
        })
        .collect()
}

/// The model's waits.
fn ours(width: u32, transfers: &[Asked]) -> Vec<u32> {
    let wait = |wait: u16| wait as u8;
    let mut bus = Bus::new();
    bus.add_memory(Memory::ram(Region {
        wait: WaitStates {
            read: wait(transfers[0].read),
            write: wait(transfers[0].write),
            ..WaitStates::default()
        },
        ..Region::new("RAM", BASE, SIZE)
    }));
    let line = width / 8;
    let shape = L2Shape {
        size: 4 * WORDS,
        ways: 1,
        line,
        width: line,
        replacement: Replacement::Lru,
        write: WritePolicy::Back,
        allocates: true,
        wait: L2Wait {
            hit: 1,
            beat: 1,
            miss: 1,
            switch: 0,
        },
    };
    bus.add_cache(L2::new(shape), &[BASE]);
    let mut now = 0;
    let wait = |asked: &Asked| {
        let start = now + u64::from(asked.idle);
        let access = if asked.writes { Access::Write } else { Access::Read };
        let latency = bus.transfer(Transfer {
            port: 0,
            access,
            address: asked.address,
            words: 1,
            start,
        });
        now = start + u64::from(latency.word(0)) + 1;
        latency.word(0)
    };
    transfers.iter().map(wait).collect()
}

#[test]
fn the_l2_is_the_one_of_litex() {
    if let Some(Missing(tool)) = Missing::any() {
        skipped::skip(&format!("no {tool}"));
        return;
    }
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for width in [32, 128] {
        let theirs = LitexCache::of(WORDS, width, &cache()).unwrap();
        for round in 0..20 {
            let transfers = transfers(&mut rng);
            let (ours, theirs) = (ours(width, &transfers), theirs.run(&transfers).unwrap());
            let at = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
            assert_eq!(
                at.map(|at| (ours[at], theirs[at], transfers[at])),
                None,
                "RTL_SEED={seed}, {width} bits, program {round}, transfer {at:?}"
            );
        }
    }
}
