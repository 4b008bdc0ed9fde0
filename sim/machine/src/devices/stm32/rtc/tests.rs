use super::*;
use bus::ClockId;

/// Its clock is 32768 Hz, the core's a thousand times that.
fn rtc(later: bool) -> Rtc {
    let mut rtc = Rtc::new(Ticks::of(ClockId(1)), later, Requester::new([1, 2]));
    rtc.hear(Effect::Clock(ClockId::CORE, 32_768_000), 0).unwrap();
    rtc.hear(Effect::Clock(ClockId(1), 32_768), 0).unwrap();
    for key in [0xca, 0x53] {
        rtc.write(WPR, 4, key, 0).unwrap();
    }
    rtc
}

const SECOND: u64 = 32_768_000;

#[test]
fn it_counts_from_the_time_that_was_set() {
    let mut rtc = rtc(false);
    rtc.write(0x0c, 4, INIT, 0).unwrap();
    assert_ne!(rtc.read(0x0c, 4, 0).unwrap() & INITF, 0);
    rtc.write(TR, 4, 0x12_3058, 0).unwrap();
    rtc.write(DR, 4, 0x26_2101, 0).unwrap();
    rtc.write(0x0c, 4, 0, 10 * SECOND).unwrap();
    assert_eq!(rtc.read(TR, 4, 12 * SECOND), Ok(0x12_3100));
    assert_eq!(rtc.read(0x28, 4, 12 * SECOND + SECOND / 2), Ok(127));
    assert_eq!(rtc.read(0x0c, 4, 12 * SECOND).unwrap() & INITS, INITS);
}

#[test]
fn what_is_locked_does_not_change() {
    let mut rtc = rtc(false);
    rtc.write(WPR, 4, 0, 0).unwrap();
    rtc.write(WUTR, 4, 5, 0).unwrap();
    rtc.write(0x50, 4, 5, 0).unwrap();
    assert_eq!((rtc.read(WUTR, 4, 0), rtc.read(0x50, 4, 0)), (Ok(0xffff), Ok(5)));
}

#[test]
fn wake_ups_and_alarms_drive_their_lines() {
    for (later, cr) in [(false, 0x08), (true, 0x18)] {
        let mut rtc = rtc(later);
        rtc.write(WUTR, 4, 2047, 0).unwrap();
        rtc.write(cr, 4, WAKE_UP | WAKE_UP << 4, 0).unwrap();
        // Sixteen ticks each.
        assert_eq!(rtc.next_event(), SECOND);
        rtc.poll(SECOND, &mut |_, _| {});
        assert_eq!(
            rtc.take_effect(),
            Some(Effect::Wire {
                number: 2,
                level: true
            })
        );
        let (clear, value) = if later {
            (SCR - LATER, 4)
        } else {
            (0x0c, !WAKE_UP & !INIT)
        };
        rtc.write(clear, 4, value, SECOND).unwrap();
        assert_eq!(
            rtc.take_effect(),
            Some(Effect::Wire {
                number: 2,
                level: false
            })
        );
        rtc.write(if later { 0x40 } else { 0x1c }, 4, 0x8080_8003, SECOND)
            .unwrap();
        rtc.write(cr, 4, 1 << 8 | 1 << 12, SECOND).unwrap();
        rtc.poll(2 * SECOND, &mut |_, _| {});
        assert_eq!(rtc.take_effect(), None);
        rtc.poll(3 * SECOND, &mut |_, _| {});
        assert_eq!(
            rtc.take_effect(),
            Some(Effect::Wire {
                number: 1,
                level: true
            })
        );
    }
}
