use super::*;

/// A line comes in 11 + 7 · 3 = 32 cycles, and goes in 10 + 7 · 8 = 66.
const MEMORY: WaitStates = WaitStates {
    fetch: 10,
    read: 10,
    write: 9,
    grant: 0,
    beat: 2,
    write_beat: 7,
};

const SHAPE: L2Shape = L2Shape {
    size: 256,
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
        switch: 0,
    },
};

/// Transfers one long after the other.
struct Alone(L2, u64);

impl Alone {
    fn new(shape: L2Shape) -> Alone {
        Alone(L2::new(shape), 0)
    }

    fn ask(&mut self, access: Access, address: u32) -> u32 {
        self.burst(access, address, 1).word(0)
    }

    fn burst(&mut self, access: Access, address: u32, words: u8) -> Latency {
        self.1 += 10_000;
        let transfer = Transfer {
            port: 0,
            access,
            address,
            words,
            start: self.1,
        };
        self.0.transfer(&transfer, MEMORY)
    }
}

#[test]
fn a_line_comes_once() {
    let mut cache = Alone::new(SHAPE);
    assert_eq!(cache.ask(Access::Read, 0x20), 1 + 1 + 32);
    assert_eq!(cache.ask(Access::Fetch, 0x3c), 1);
    assert_eq!(cache.ask(Access::Read, 0x40), 1 + 1 + 32);
}

#[test]
fn what_was_written_goes_back_when_its_line_makes_room() {
    let mut cache = Alone::new(SHAPE);
    assert_eq!(cache.ask(Access::Write, 0), 1 + 1 + 32);
    assert_eq!(cache.ask(Access::Write, 4), 1);
    assert_eq!(cache.ask(Access::Read, 0x100), 1 + 1 + 66 + 32);
    assert_eq!(cache.ask(Access::Read, 0), 1 + 1 + 32, "it was only read since");
}

#[test]
fn what_is_written_through_is_never_to_go_back() {
    let mut cache = Alone::new(L2Shape {
        write: WritePolicy::Through,
        ..SHAPE
    });
    assert_eq!(cache.ask(Access::Write, 0), 1 + 1 + 32 + 10);
    assert_eq!(cache.ask(Access::Write, 4), 1 + 10);
    assert_eq!(cache.ask(Access::Read, 0x100), 1 + 1 + 32);
}

#[test]
fn a_write_may_go_past() {
    for write in [WritePolicy::Back, WritePolicy::Through] {
        let mut cache = Alone::new(L2Shape {
            write,
            allocates: false,
            ..SHAPE
        });
        assert_eq!(cache.ask(Access::Write, 0), 1 + 10);
        assert_eq!(cache.ask(Access::Read, 0), 1 + 1 + 32);
    }
}

#[test]
fn the_line_used_or_filled_longest_ago_makes_room() {
    for (replacement, again) in [(Replacement::Lru, 1), (Replacement::Fifo, 34)] {
        let mut cache = Alone::new(L2Shape {
            ways: 2,
            replacement,
            ..SHAPE
        });
        cache.ask(Access::Read, 0);
        cache.ask(Access::Read, 0x80);
        cache.ask(Access::Read, 0);
        cache.ask(Access::Read, 0x100);
        assert_eq!(cache.ask(Access::Read, 0), again, "{replacement:?}");
    }
}

#[test]
fn a_burst_meets_each_line_that_it_covers() {
    let mut cache = Alone::new(L2Shape { line: 16, ..SHAPE });
    let comes = 11 + 3 * 3;
    let met = cache.burst(Access::Fetch, 0x20, 8);
    let met: Vec<u32> = (0..8).map(|word| met.word(word)).collect();
    assert_eq!(met, [2 + comes, 1, 1, 1, 2 + comes, 1, 1, 1]);
    let wide = L2Shape {
        line: 16,
        width: 16,
        ..SHAPE
    };
    assert_eq!(Alone::new(wide).ask(Access::Read, 0), 2 + 11);
}

#[test]
fn ports_wait_for_each_other() {
    let mut cache = L2::new(L2Shape {
        wait: L2Wait {
            switch: 3,
            ..SHAPE.wait
        },
        ..SHAPE
    });
    let mut ask = |port, start, words| {
        let transfer = Transfer {
            port,
            access: Access::Read,
            address: 0,
            words,
            start,
        };
        cache.transfer(&transfer, MEMORY).word(0)
    };
    // Cycles 100 to 134 for the first word, and two for each of the others.
    assert_eq!(ask(0, 100, 8), 34);
    assert_eq!(ask(1, 110, 1), (149 - 110) + 3 + 1);
    assert_eq!(ask(1, 154, 1), 1, "it is free again behind cycle 153");
    assert_eq!(ask(1, 155, 1), 2);
    assert_eq!(ask(0, 200, 1), 4);
}
