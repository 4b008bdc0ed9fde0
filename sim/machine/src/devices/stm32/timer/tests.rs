use super::*;

const CCMR1: u32 = CCMR;
const CCR1: u32 = CCR;

const APB: ClockId = ClockId(3);
const CC1: u32 = COMPARE;

/// A timer whose clock is half the core's.
fn timer() -> Timer {
    let mut timer = Timer::new(Shape {
        irq: Some(Irq::External(28)),
        irq_cc: None,
        clock: APB,
        bits: 16,
        channels: 2,
        advanced: true,
        requests: [1, 2, 3, 4, 5],
        trigger: 6,
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
fn a_basic_timer_has_no_slave_mode_and_reads_as_if_it_were_off() {
    let mut basic = timer();
    basic.shape.channels = 0;
    assert_eq!(basic.read(SMCR, 4, 0), Ok(0));
    assert!(basic.write(SMCR, 4, 0x80, 0).is_err());
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
    assert_eq!((once.phase, once.step), (often.phase, often.step));
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

/// What a timer that goes some way shows, step by step, against a counter that is stepped by hand.
#[test]
fn it_counts_down_and_both_ways() {
    let shown = |control: u32| {
        let mut timer = timer();
        write(
            &mut timer,
            0,
            &[
                (CR1, control),
                (ARR, 3),
                (EGR, UPDATE),
                (SR, 0),
                (CR1, control | CEN),
            ],
        );
        let count = |now: u64| timer.read(CNT, 4, 2 * now).unwrap();
        (0..10).map(count).collect::<Vec<_>>()
    };
    assert_eq!(shown(1 << 4), [3, 2, 1, 0, 3, 2, 1, 0, 3, 2]);
    assert_eq!(shown(3 << 5), [0, 1, 2, 3, 2, 1, 0, 1, 2, 3]);
}

#[test]
fn a_counter_that_goes_both_ways_compares_where_it_is_told_to() {
    let flags = |compares: u32| {
        let mut timer = timer();
        let start = [
            (ARR, 4),
            (CCR1, 1),
            (CR1, compares << 5),
            (EGR, UPDATE),
            (SR, 0),
            (CR1, compares << 5 | CEN),
        ];
        write(&mut timer, 0, &start);
        (0..8)
            .filter(|now| {
                let raised = timer.read(SR, 4, 2 * now).unwrap() & CC1 != 0;
                write(&mut timer, 2 * now, &[(SR, 0)]);
                raised
            })
            .collect::<Vec<_>>()
    };
    assert_eq!((flags(1), flags(2), flags(3)), (vec![7], vec![1], vec![1, 7]));
}

#[test]
fn every_nth_overflow_is_an_update() {
    let mut timer = timer();
    write(
        &mut timer,
        0,
        &[
            (ARR, 9),
            (RCR, 2),
            (EGR, UPDATE),
            (SR, 0),
            (DIER, UPDATE),
            (CR1, CEN),
        ],
    );
    let update = |timer: &mut Timer, overflows: u64| timer.read(SR, 4, 20 * overflows).unwrap() & UPDATE != 0;
    assert!(!update(&mut timer, 2));
    assert!(update(&mut timer, 3));
    write(&mut timer, 60, &[(SR, 0)]);
    assert!(!update(&mut timer, 5));
    assert!(update(&mut timer, 6 + 3 * 1000));
}

#[test]
fn an_update_requests_dma_and_triggers_others() {
    let mut timer = timer();
    write(
        &mut timer,
        0,
        &[(ARR, 9), (CR2, 2 << 4), (DIER, UPDATE << DMA), (CR1, CEN)],
    );
    assert_eq!(timer.next_event(), 20);
    timer.poll(20, &mut |_, level| assert!(!level));
    let told = [timer.take_effect(), timer.take_effect(), timer.take_effect()];
    assert_eq!(told, [Some(Effect::Pulse(1)), Some(Effect::Pulse(6)), None]);
    assert_eq!(timer.next_event(), 40);
}

fn drive(timer: &mut Timer, now: u64, pin: u8, level: bool) {
    let level = Some(level);
    timer.stimulate(&Incoming::Pin { pin, level }, now).unwrap();
}

#[test]
fn an_edge_is_captured_and_the_trigger_starts_over() {
    let mut timer = timer();
    // As a signal is measured: both edges of channel 1, the rising one starts over.
    write(
        &mut timer,
        0,
        &[(CCMR1, 0x0201), (CCER, 0x31), (SMCR, 5 << 4 | 4), (CR1, CEN)],
    );
    drive(&mut timer, 100, 1, true);
    drive(&mut timer, 160, 1, false);
    assert_eq!(timer.read(CCR1 + 4, 4, 170), Ok(30));
    drive(&mut timer, 300, 1, true);
    assert_eq!(timer.read(SR, 4, 300).unwrap() & CC1, CC1);
    assert_eq!(timer.read(CCR1, 4, 300), Ok(100));
    assert_eq!(timer.read(SR, 4, 300).unwrap() & CC1, 0, "it was taken");
    assert!(
        timer
            .stimulate(&Incoming::Pin { pin: 3, level: None }, 0)
            .is_err()
    );
}

#[test]
fn an_encoder_counts_both_ways() {
    let mut timer = timer();
    write(
        &mut timer,
        0,
        &[(CCMR1, 0x0101), (SMCR, 3), (ARR, 99), (CR1, CEN)],
    );
    for (pin, level) in [(1, true), (2, true), (1, false), (2, false)] {
        drive(&mut timer, 10, pin, level);
    }
    assert_eq!(timer.read(CNT, 4, 500), Ok(4));
    for (pin, level) in [(2, true), (1, true), (2, false), (1, false), (2, true)] {
        drive(&mut timer, 10, pin, level);
    }
    assert_eq!(timer.read(CNT, 4, 500), Ok(99), "below 0");
    assert_eq!(timer.read(CR1, 4, 500), Ok(CEN | 1 << 4));
}

#[test]
fn what_is_not_modelled_is_refused() {
    let mut timer = timer();
    assert!(timer.write(CCMR1, 4, 3, 0).is_err(), "capture of a trigger");
    assert!(timer.write(CCR1 + 8, 4, 1, 0).is_err(), "a third channel");
    assert!(timer.write(SMCR, 4, 7, 0).is_err(), "another timer as a clock");
}

/// RM0090 18.4.7: with `OCxPE` the compare value that is written is taken at the next update.
#[test]
fn a_preloaded_compare_value_counts_from_the_next_update_on() {
    let mut timer = timer();
    write(
        &mut timer,
        0,
        &[(ARR, 99), (CCMR1, 8), (CCR1, 10), (EGR, 1), (SR, 0), (CR1, CEN)],
    );
    let compared = |timer: &mut Timer, now| timer.read(SR, 4, now).unwrap() & CC1 != 0;
    assert!(!compared(&mut timer, 19) && compared(&mut timer, 20));
    write(&mut timer, 40, &[(SR, 0), (CCR1, 50)]);
    assert_eq!(timer.read(CCR1, 4, 40), Ok(50));
    assert!(!compared(&mut timer, 199), "not in this period");
    assert!(!compared(&mut timer, 299) && compared(&mut timer, 300));
    write(&mut timer, 310, &[(SR, 0), (CCR1, 80)]);
    write(&mut timer, 312, &[(CCMR1, 0)]);
    assert!(
        !compared(&mut timer, 359) && compared(&mut timer, 360),
        "without preload at once"
    );
}

/// RM0090 17.4.1: OPM stops the counter at the update event, which the repetition counter delays.
#[test]
fn one_pulse_has_as_many_periods_as_the_repetition_counter_says() {
    for step in [1, 7, 1000] {
        let mut timer = timer();
        write(
            &mut timer,
            0,
            &[(ARR, 9), (RCR, 2), (EGR, 1), (SR, 0), (CR1, CEN | OPM)],
        );
        let mut stopped = None;
        for now in (0..=1000).step_by(step) {
            let on = timer.read(CR1, 4, now).unwrap() & CEN != 0;
            let updated = timer.read(SR, 4, now).unwrap() & UPDATE != 0;
            assert_ne!(on, updated, "in cycle {now}");
            stopped = stopped.or((!on).then_some(now));
        }
        assert_eq!(stopped, Some(60_usize.next_multiple_of(step) as u64));
        assert_eq!(timer.read(CNT, 4, 1000), Ok(0));
    }
}

#[test]
fn edges_that_it_counts_are_divided_and_compared() {
    let mut timer = timer();
    // Channel 1 is the clock; channel 2 compares.
    write(
        &mut timer,
        0,
        &[
            (CCMR1, 1),
            (SMCR, 0x57),
            (PSC, 2),
            (CCR1 + 4, 2),
            (EGR, 1),
            (SR, 0),
            (CR1, CEN),
        ],
    );
    let edges = |timer: &mut Timer, count| {
        for _ in 0..count {
            drive(timer, 10, 1, true);
            drive(timer, 10, 1, false);
        }
        (timer.read(CNT, 4, 10).unwrap(), timer.read(SR, 4, 10).unwrap())
    };
    assert_eq!((edges(&mut timer, 2), edges(&mut timer, 1)), ((0, 0), (1, 0)));
    assert_eq!(edges(&mut timer, 3), (2, CC1 << 1));
    // By software: channel 1 takes the count, and TG sets its flag.
    write(&mut timer, 20, &[(SR, 0), (EGR, CC1 | TRIGGER)]);
    assert_eq!(timer.read(SR, 4, 20), Ok(CC1 | TRIGGER));
    assert_eq!(timer.read(CCR1, 4, 20), Ok(2));
}

#[test]
fn a_break_by_software_turns_the_outputs_of_an_advanced_timer_off() {
    let mut timer = timer();
    write(&mut timer, 0, &[(BDTR, MOE), (EGR, BREAK)]);
    assert_eq!((timer.read(SR, 4, 0), timer.read(BDTR, 4, 0)), (Ok(BREAK), Ok(0)));
    timer.shape.advanced = false;
    timer.shape.channels = 0;
    write(&mut timer, 0, &[(SR, 0), (EGR, BREAK | TRIGGER)]);
    assert_eq!(timer.read(SR, 4, 0), Ok(0), "a basic timer has neither");
}
