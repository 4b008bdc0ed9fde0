use super::*;

const APB: ClockId = ClockId(3);
const CC1: u32 = COMPARE;

/// A timer whose clock is half the core's.
fn timer() -> Timer {
    let mut timer = Timer::new(Shape {
        irq: Some(Irq(28)),
        clock: APB,
        bits: 16,
        channels: 2,
    });
    timer.hear(Effect::Clock(ClockId::CORE, 80_000_000), 0).unwrap();
    timer.hear(Effect::Clock(APB, 40_000_000), 0).unwrap();
    timer
}

fn write(timer: &mut Timer, now: u64, writes: &[(u32, u32)]) {
    for &(offset, value) in writes {
        timer.write(offset, 4, value, now).unwrap();
    }
}

fn level(timer: &mut Timer, now: u64) -> bool {
    let mut level = false;
    timer.poll(now, &mut |_, high| level = high);
    level
}

#[test]
fn counts_prescaled_ticks_of_its_own_clock() {
    let mut timer = timer();
    write(&mut timer, 0, &[(PSC, 9), (EGR, 1), (CR1, CEN)]);
    assert_eq!(timer.read(CNT, 4, 19), Ok(0));
    assert_eq!(timer.read(CNT, 4, 20), Ok(1), "ten ticks of two cycles");
    assert_eq!(timer.read(CNT, 4, 20 * 1000), Ok(1000));
    assert_eq!(timer.read(CNT, 4, 20 * 65_536), Ok(0));
}

#[test]
fn an_update_interrupts_in_its_cycle_until_it_is_cleared() {
    let mut timer = timer();
    write(&mut timer, 100, &[(ARR, 49), (DIER, UPDATE), (CR1, CEN)]);
    assert_eq!(timer.next_event(), 200);
    assert!(!level(&mut timer, 199));
    assert!(level(&mut timer, 200));
    assert_eq!(timer.next_event(), u64::MAX, "the flag is up already");
    write(&mut timer, 210, &[(SR, !UPDATE)]);
    assert!(!level(&mut timer, 210));
    assert_eq!(timer.next_event(), 300, "the count went on meanwhile");
}

#[test]
fn a_new_prescaler_and_a_preloaded_period_count_from_the_next_update_on() {
    let mut timer = timer();
    write(&mut timer, 0, &[(ARR, 9), (CR1, CEN | ARPE), (PSC, 1), (ARR, 4)]);
    assert_eq!(timer.read(CNT, 4, 19), Ok(9), "still in units of one tick, to 9");
    assert_eq!(timer.read(CNT, 4, 23), Ok(0), "behind the update in units of two");
    assert_eq!(timer.read(CNT, 4, 24), Ok(1));
    assert_eq!(timer.read(CNT, 4, 20 + 5 * 4 + 4), Ok(1), "to 4");
}

#[test]
fn a_long_wait_is_the_same_in_one_step_and_in_many() {
    let start = || {
        let mut timer = timer();
        write(&mut timer, 0, &[(PSC, 2), (ARR, 6), (CCR1, 3), (CR1, CEN)]);
        timer
    };
    let (mut once, mut often) = (start(), start());
    for now in 0..5_000 {
        often.read(CNT, 4, now).unwrap();
    }
    for register in [CNT, SR] {
        assert_eq!(once.read(register, 4, 5_000), often.read(register, 4, 5_000));
    }
    assert_eq!((once.phase, once.count), (often.phase, often.count));
}

#[test]
fn one_pulse_stops_at_the_overflow() {
    let mut timer = timer();
    write(
        &mut timer,
        0,
        &[(ARR, 9), (CCR1, 99), (CCR1 + 4, 99), (CR1, CEN | OPM)],
    );
    assert_eq!(timer.read(CR1, 4, 1_000), Ok(OPM));
    assert_eq!(timer.read(CNT, 4, 1_000), Ok(0));
    assert_eq!(timer.read(SR, 4, 1_000), Ok(UPDATE));
}

#[test]
fn a_compare_interrupts_when_the_counter_reaches_it() {
    let mut timer = timer();
    write(&mut timer, 0, &[(CCR1, 30), (DIER, CC1), (CR1, CEN)]);
    assert_eq!(timer.next_event(), 60);
    assert!(!level(&mut timer, 59));
    assert!(level(&mut timer, 60));
    write(&mut timer, 100, &[(SR, 0), (CCR1, 20)]);
    assert_eq!(
        timer.next_event(),
        65_536 * 2,
        "next time round: first the overflow"
    );
    timer.poll(65_536 * 2, &mut |_, _| {});
    assert_eq!(timer.next_event(), (65_536 + 20) * 2);
}

#[test]
fn an_update_by_hand_tells_only_without_urs() {
    let mut timer = timer();
    write(&mut timer, 0, &[(CR1, URS), (EGR, UPDATE)]);
    assert_eq!(timer.read(SR, 4, 0), Ok(0));
    write(&mut timer, 0, &[(CR1, 0), (EGR, UPDATE)]);
    assert_eq!(timer.read(SR, 4, 0), Ok(UPDATE));
}

#[test]
fn another_clock_changes_the_pace_and_not_the_count() {
    let mut timer = timer();
    write(&mut timer, 0, &[(CR1, CEN)]);
    timer.hear(Effect::Clock(APB, 80_000_000), 100).unwrap();
    assert_eq!(timer.read(CNT, 4, 100), Ok(50));
    assert_eq!(timer.read(CNT, 4, 150), Ok(100));
}

#[test]
fn what_is_not_modelled_is_refused() {
    let mut timer = timer();
    assert!(timer.write(CR1, 4, 1 << 4, 0).is_err(), "down");
    assert!(timer.write(DIER, 4, 1 << 8, 0).is_err(), "DMA");
    assert!(timer.write(CCMR1, 4, 1, 0).is_err(), "capture");
    assert!(timer.write(CCR1 + 8, 4, 1, 0).is_err(), "a third channel");
    assert!(timer.write(SMCR, 4, 7, 0).is_err(), "an external clock");
}
