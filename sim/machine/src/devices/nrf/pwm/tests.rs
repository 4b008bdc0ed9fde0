use super::wave::HIGH_BELOW;
use super::*;
use bus::{ClockId, Effect, Irq};

const BASE: u32 = 0x4001_c000;
const RAM: u32 = 0x2000_0000;
/// Lines of pins begin here, those of who has them there.
const LINES: u16 = 100;
const OWNED: u16 = 200;

/// Output 0 at pin 13, at 16 MHz up to 100, and what is in RAM: half words.
struct Bench {
    pwm: Pwm,
    ram: Vec<u16>,
    now: u64,
    /// Levels of pin 13 with their cycles; events, likewise.
    levels: Vec<(u64, bool)>,
    events: Vec<(u64, u32)>,
}

impl Bench {
    fn new(ram: &[u16]) -> Bench {
        let wave = Wave::new((LINES..LINES + 64).collect(), (OWNED..OWNED + 64).collect());
        let mut pwm = Pwm::new(Frame::new(BASE, Some(Irq::External(28))), wave);
        pwm.hear(Effect::Clock(ClockId::CORE, 64_000_000), 0).unwrap();
        let mut bench = Bench {
            pwm,
            ram: ram.to_vec(),
            now: 0,
            levels: Vec::new(),
            events: Vec::new(),
        };
        let count = ram.len() as u32;
        for (offset, value) in [
            (ENABLE, 1),
            (COUNTERTOP, 100),
            (PSEL, 13),
            (0x520, RAM),
            (0x524, count),
            (0x528, 0),
        ] {
            bench.write(offset, value);
        }
        bench
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.pwm.write(offset, 4, value, self.now).unwrap();
        self.serve();
    }

    fn serve(&mut self) {
        self.pwm.poll(self.now, &mut |_, _| {});
        while let Some(Request::Read { address, size: 2 }) = self.pwm.request(self.now) {
            let value = self.ram[((address - RAM) / 2) as usize];
            self.pwm.answered(Some(value.into()), self.now);
        }
        while let Some(effect) = self.pwm.take_effect() {
            match effect {
                Effect::Wire { number, level } if number == LINES + 13 => self.levels.push((self.now, level)),
                Effect::Wire { number, level: false } if number == OWNED + 13 => {
                    self.levels.push((self.now, false));
                }
                Effect::Pulse(address) => self.events.push((self.now, (address - BASE - 0x100) / 4)),
                _ => {}
            }
        }
    }

    fn go(&mut self, until: u64) {
        while self.pwm.next_event() <= until {
            self.now = self.pwm.next_event();
            self.serve();
        }
        self.now = until;
    }

    /// The events of one kind, in periods of 400 cycles from the start.
    fn periods(&self, event: u32) -> Vec<u64> {
        let all = self.events.iter().filter(|&&(_, other)| other == event);
        all.map(|&(now, _)| now / 400).collect()
    }
}

#[test]
fn a_value_is_high_from_its_count_on_or_below_it_and_goes_on() {
    for (value, rises, falls) in [(25, 100, 400), (HIGH_BELOW | 0x19, 0, 100)] {
        let mut bench = Bench::new(&[value]);
        bench.write(8, 1);
        bench.go(1000);
        let level = |at: u64| bench.levels.iter().rfind(|(now, _)| *now <= at).unwrap().1;
        for period in [0, 400] {
            for at in [0, 99, 100, 399] {
                let high = (rises..falls).contains(&at);
                assert_eq!(level(period + at), high, "{value:#x} in cycle {at} of a period");
            }
        }
        assert_eq!(
            bench.events[..3],
            [(0, SEQSTARTED), (0, SEQEND), (400, PWMPERIODEND)]
        );
    }
}

#[test]
fn the_ends_of_its_range_are_always_and_never() {
    for (value, level) in [
        (0, true),
        (100, false),
        (HIGH_BELOW, false),
        (HIGH_BELOW | 0x64, true),
        (0x7fff, false),
    ] {
        let mut bench = Bench::new(&[value]);
        bench.write(8, 1);
        bench.go(2000);
        assert!(
            bench.levels.iter().all(|&(_, other)| other == level),
            "{value:#x}: {:?}",
            bench.levels
        );
    }
}

#[test]
fn both_ways_a_pulse_is_in_the_middle_of_a_period_twice_as_long() {
    let mut bench = Bench::new(&[75]);
    bench.write(MODE, 1);
    bench.write(PRESCALER, 2);
    bench.write(8, 1);
    bench.go(3200);
    assert_eq!(bench.levels, [(0, false), (1200, true), (2000, false)]);
    assert_eq!(bench.periods(PWMPERIODEND), [8]);
}

#[test]
fn refresh_and_delay_count_periods_and_loops_play_both_sequences() {
    let mut bench = Bench::new(&[10, 20]);
    // Two periods a value and one more; the second sequence has one value.
    for (offset, value) in [
        (0x528, 1),
        (0x52c, 1),
        (0x540, RAM),
        (0x544, 1),
        (0x548, 0),
        (LOOP, 2),
        (8, 1),
    ] {
        bench.write(offset, value);
    }
    bench.go(20 * 400);
    assert_eq!(
        (bench.periods(SEQSTARTED), bench.periods(SEQSTARTED + 1)),
        (vec![0, 6], vec![5, 11])
    );
    assert_eq!(
        (bench.periods(SEQEND), bench.periods(SEQEND + 1)),
        (vec![2, 8], vec![5, 11])
    );
    assert_eq!(bench.periods(LOOPSDONE), [12]);
    assert_eq!(bench.periods(PWMPERIODEND).len(), 20, "the wave goes on");
    assert_eq!(bench.periods(STOPPED), []);
}

#[test]
fn the_second_sequence_alone_can_be_the_first_loop_and_shortcuts_follow() {
    let mut bench = Bench::new(&[10]);
    for (offset, value) in [
        (0x540, RAM),
        (0x544, 1),
        (0x548, 0),
        (LOOP, 1),
        (0x200, 1 << LOOPSDONE_STOP),
        (12, 1),
    ] {
        bench.write(offset, value);
    }
    bench.go(4000);
    assert_eq!(
        (bench.periods(SEQSTARTED), bench.periods(LOOPSDONE)),
        (vec![], vec![1])
    );
    assert_eq!(
        (bench.periods(STOPPED), bench.pwm.next_event()),
        (vec![1], u64::MAX)
    );
    assert_eq!(
        bench.levels.last(),
        Some(&(400, false)),
        "the port has its pin back"
    );
    bench.events.clear();
    bench.write(0x200, 1 << LOOPSDONE_SEQSTART);
    bench.write(8, 1);
    bench.go(4000 + 4000);
    assert_eq!(bench.periods(SEQSTARTED), [10, 12, 14, 16, 18, 20]);
    bench.events.clear();
    bench.write(4, 1);
    bench.go(4000 + 4399);
    assert_eq!(bench.events, []);
    bench.go(4000 + 4400);
    assert_eq!(bench.periods(STOPPED), [21], "at the end of its period");
}

#[test]
fn values_are_spread_as_the_decoder_says() {
    let highs = |decoder: u32| {
        let mut bench = Bench::new(&[10, 20, 30, 40]);
        for output in 1..4 {
            bench.write(PSEL + 4 * output, 13 + output);
        }
        bench.write(DECODER, decoder);
        bench.write(8, 1);
        let values = [0, 1, 2, 3].map(|output| bench.pwm.wave.value(output));
        (values, bench.pwm.next_event())
    };
    assert_eq!(highs(0), ([10; 4], 40));
    assert_eq!(highs(1), ([10, 10, 20, 20], 40));
    assert_eq!(highs(2), ([10, 20, 30, 40], 40));
    assert_eq!(highs(3), ([10, 20, 30, 0], 40));
    let mut bench = Bench::new(&[10, 20, 30, 40]);
    for (offset, value) in [(DECODER, 3), (8, 1)] {
        bench.write(offset, value);
    }
    bench.go(160);
    assert_eq!(
        bench.events.last(),
        Some(&(160, PWMPERIODEND)),
        "the fourth value is the top"
    );
    assert_eq!(bench.pwm.read(COUNTERTOP, 4, 160), Ok(100));
}

#[test]
fn a_task_brings_the_next_value_if_the_decoder_says_so() {
    let mut bench = Bench::new(&[10, 20]);
    bench.write(DECODER, BY_TASK);
    bench.write(8, 1);
    bench.go(1000);
    assert_eq!((bench.periods(SEQEND), bench.pwm.wave.value(0)), (vec![], 10));
    bench.pwm.hear(Effect::Pulse(BASE + 16), 1000).unwrap();
    bench.go(1300);
    assert_eq!((bench.periods(SEQEND), bench.pwm.wave.value(0)), (vec![3], 20));
}

#[test]
fn off_it_does_nothing_and_what_it_has_not_is_told() {
    let mut bench = Bench::new(&[10]);
    bench.write(8, 1);
    bench.go(100);
    bench.write(ENABLE, 0);
    assert_eq!(
        (bench.pwm.next_event(), bench.levels.last()),
        (u64::MAX, Some(&(100, false)))
    );
    bench.events.clear();
    bench.write(8, 1);
    bench.write(4, 1);
    assert_eq!(bench.events, []);
    bench.write(ENABLE, 1);
    bench.write(4, 1);
    assert_eq!(bench.events, [(100, STOPPED)], "it generates nothing");
    for (offset, value) in [(COUNTERTOP, 2), (0x530, 1), (0x600, 1), (0, 1)] {
        assert!(bench.pwm.write(offset, 4, value, 100).is_err(), "{offset:#x}");
    }
    let reset = Bench::new(&[]).pwm.read(0x548, 4, 0);
    assert_eq!(reset, Ok(1), "REFRESH after reset");
}

#[test]
fn an_empty_sequence_ends_at_once() {
    let mut bench = Bench::new(&[]);
    bench.write(0x200, 1);
    bench.write(8, 1);
    bench.go(4000);
    assert_eq!(
        (bench.periods(SEQEND), bench.periods(STOPPED)),
        (vec![0], vec![1])
    );
}
