use super::*;
use bus::{ClockId, Irq};

const RAM: u32 = 0x2000_0000;

/// AIN0 at 0.9 V and AIN1 at 0.3 V; channel 0 converts AIN0 by 1/6 of the internal reference, in ten bits, in 12 microseconds.
fn saadc() -> Saadc {
    let voltages = Voltages::new(&[[0, 900_000], [1, 300_000]]).unwrap();
    let mut saadc = Saadc::new(Frame::new(0x4000_7000, Some(Irq::External(7))), voltages);
    saadc.hear(Effect::Clock(ClockId::CORE, 64_000_000), 0).unwrap();
    for (offset, value) in [(ENABLE, 1), (PSELP, 1), (PTR, RAM), (PTR + 4, 1)] {
        saadc.write(offset, 4, value, 0).unwrap();
    }
    saadc
}

/// Lets it go on until this cycle; what it puts into RAM, with the place and the cycle.
fn go(saadc: &mut Saadc, until: u64) -> Vec<(u32, i16, u64)> {
    let mut stored = Vec::new();
    let mut now = 0;
    loop {
        while let Some(Request::Write {
            address,
            value,
            size: 2,
        }) = saadc.request(now)
        {
            stored.push(((address - RAM) / 2, value as i16, now));
            saadc.answered(Some(0), now);
        }
        if saadc.next_event() > until {
            return stored;
        }
        now = saadc.next_event();
        saadc.poll(now, &mut |_, _| {});
    }
}

fn events(saadc: &mut Saadc, events: &[u32]) -> Vec<u32> {
    let set = |&&event: &&u32| saadc.read(0x100 + 4 * event, 4, 0) == Ok(1);
    events.iter().filter(set).copied().collect()
}

fn start(saadc: &mut Saadc) {
    for task in [START, SAMPLE] {
        saadc.write(4 * task, 4, 1, 0).unwrap();
    }
}

#[test]
fn a_sample_is_in_ram_after_its_time_and_interrupts() {
    let mut saadc = saadc();
    saadc.write(0x304, 4, 1 << END, 0).unwrap();
    start(&mut saadc);
    assert_eq!(saadc.read(STATUS, 4, 0), Ok(1));
    assert_eq!(saadc.next_event(), 12 * 64);
    // 0.9 V / 6 are a quarter of 0.6 V.
    assert_eq!(go(&mut saadc, 10_000), [(0, 256, 768)]);
    assert_eq!(
        events(&mut saadc, &[0, 1, 2, 3, 4, 5, 6, 7]),
        [STARTED, END, DONE, RESULTDONE]
    );
    assert_eq!(
        (saadc.read(PTR + 8, 4, 800), saadc.read(STATUS, 4, 800)),
        (Ok(1), Ok(0))
    );
    let mut high = false;
    saadc.poll(800, &mut |_, level| high = level);
    assert!(high);
}

#[test]
fn gain_reference_resolution_and_sides_make_the_number() {
    let voltages = Voltages::new(&[[0, 900_000], [1, 300_000], [2, 4_000_000]]).unwrap();
    let value = |positive, negative, configuration, resolution| {
        Channel([positive, negative, configuration, 0]).value(&voltages, resolution)
    };
    assert_eq!(
        [0, 1, 2, 3].map(|bits| value(1, 0, 0, bits)),
        [64, 256, 1024, 4096]
    );
    // 1/4 of a quarter of 3 V, as nrf-hal sets it: all of VDD is full scale.
    assert_eq!(value(1, 0, 2 << 8 | 1 << 12, 3), 4915);
    assert_eq!(value(9, 0, 2 << 8 | 1 << 12, 3), 16_383, "VDD");
    assert_eq!(value(13, 0, 0, 2), 682, "VDDH/5");
    assert_eq!(value(2, 0, 5 << 8, 2), 2048);
    assert_eq!(value(2, 0, 7 << 8, 2), 4095, "beyond the reference");
    let differs = 1 << 20;
    assert_eq!((value(1, 2, differs, 2), value(2, 1, differs, 2)), (341, -342));
    assert_eq!(
        (value(3, 0, differs, 2), value(2, 3, differs | 5 << 8, 2)),
        (2047, -2048)
    );
    // Nobody drives AIN5: pulled down, up, and to the middle.
    assert_eq!(
        [1, 2, 3].map(|resistors| value(6, 0, resistors, 2)),
        [0, 3413, 1706]
    );
}

#[test]
fn all_channels_that_are_on_are_converted_one_after_the_other() {
    let mut saadc = saadc();
    // AIN1 in 5 + 2 microseconds, with limits.
    for (offset, value) in [(0x550, 2), (0x558, 1 << 16), (0x55c, 0x0055_0055), (PTR + 4, 3)] {
        saadc.write(offset, 4, value, 0).unwrap();
    }
    start(&mut saadc);
    assert_eq!(go(&mut saadc, 10_000), [(0, 256, 768), (1, 85, 768 + 448)]);
    assert_eq!(
        events(&mut saadc, &[END, 6, 7, 14, 15]),
        [14, 15],
        "the limits of channel 4"
    );
    saadc.write(4 * SAMPLE, 4, 1, 10_000).unwrap();
    assert_eq!(go(&mut saadc, 20_000).len(), 1);
    assert_eq!(
        (events(&mut saadc, &[END]), saadc.read(PTR + 8, 4, 0)),
        (vec![END], Ok(3))
    );
}

#[test]
fn a_burst_takes_all_samples_of_an_average_and_without_it_each_is_asked_for() {
    let mut burst = saadc();
    for (offset, value) in [(OVERSAMPLE, 3), (0x518, 1 << 24)] {
        burst.write(offset, 4, value, 0).unwrap();
    }
    start(&mut burst);
    assert_eq!(go(&mut burst, 10_000), [(0, 256, 8 * 320)]);
    let mut single = saadc();
    single.write(OVERSAMPLE, 4, 1, 0).unwrap();
    start(&mut single);
    assert_eq!(
        (go(&mut single, 10_000), events(&mut single, &[END, DONE])),
        (vec![], vec![DONE])
    );
    single.write(4, 4, 1, 10_000).unwrap();
    assert_eq!(go(&mut single, 20_000), [(0, 256, 10_768)]);
}

#[test]
fn its_timer_samples_until_it_is_stopped_wherever_there_is_a_buffer() {
    let mut saadc = saadc();
    // 10 kHz, and begun before there is a buffer, as embassy-nrf does.
    for (offset, value) in [(SAMPLERATE, TIMERS | 0x640), (PTR + 4, 2), (4, 1)] {
        saadc.write(offset, 4, value, 0).unwrap();
    }
    saadc.write(0, 4, 1, 100).unwrap();
    assert_eq!(
        go(&mut saadc, 20_000),
        [(0, 256, 6400 + 768), (1, 256, 12_800 + 768)]
    );
    assert_eq!(go(&mut saadc, 40_000), [], "the buffer is full");
    saadc.write(0x104, 4, 0, 40_000).unwrap();
    saadc.hear(Effect::Pulse(0x4000_7000), 40_000).unwrap();
    assert_eq!(go(&mut saadc, 46_000), [(0, 256, 44_800 + 768)]);
    saadc.write(8, 4, 1, 51_300).unwrap();
    assert_eq!(
        events(&mut saadc, &[END, STOPPED]),
        [END, STOPPED],
        "it broke a conversion off"
    );
    assert_eq!((go(&mut saadc, 99_999), saadc.next_event()), (vec![], u64::MAX));
    saadc.write(SAMPLERATE, 4, TIMERS | 0x4f, 100_000).unwrap();
    assert!(saadc.write(4, 4, 1, 100_000).is_err());
}

#[test]
fn a_calibration_is_done_after_its_time_and_nothing_happens_while_it_is_off() {
    let mut saadc = saadc();
    saadc.write(0xc, 4, 1, 0).unwrap();
    assert_eq!(saadc.next_event(), 6400);
    saadc.poll(6400, &mut |_, _| {});
    assert_eq!(events(&mut saadc, &[CALIBRATEDONE]), [CALIBRATEDONE]);
    saadc.write(ENABLE, 4, 0, 7000).unwrap();
    start(&mut saadc);
    assert_eq!(
        (saadc.next_event(), events(&mut saadc, &[STARTED])),
        (u64::MAX, vec![])
    );
    assert!(saadc.note().is_some_and(|note| note.contains("ENABLE is 0")));
}

#[test]
fn power_makes_it_what_it_was_and_what_it_has_not_is_told() {
    let mut saadc = saadc();
    saadc.write(RESOLUTION, 4, 3, 0).unwrap();
    for power in [0, 1] {
        saadc.write(POWER, 4, power, 0).unwrap();
        assert_eq!(saadc.read(POWER, 4, 0), Ok(power));
    }
    let registers = [ENABLE, RESOLUTION, PSELP, PSELP + 8, PSELP + 12];
    let registers = registers.map(|register| saadc.read(register, 4, 0).unwrap());
    assert_eq!(registers, [0, 1, 0, 0x0002_0000, 0x7fff_8000]);
    for (offset, value) in [
        (RESOLUTION, 4),
        (OVERSAMPLE, 9),
        (PSELP, 10),
        (PSELP + 8, 6 << 16),
        (0x700, 1),
    ] {
        assert!(saadc.write(offset, 4, value, 0).is_err(), "{offset:#x}");
    }
    for (channel, value) in [(9, 1), (13, 1), (0, 5_500_001)] {
        let input = Incoming::Value { channel, value };
        assert!(saadc.stimulate(&input, 0).is_err(), "{channel}");
    }
}
