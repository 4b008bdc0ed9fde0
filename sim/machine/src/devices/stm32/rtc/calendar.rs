//! The calendar: time and date as the registers have them, in binary-coded decimal.

/// A moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Calendar {
    /// PM, hours, minutes, seconds: as TR.
    pub(super) time: u32,
    /// Year, day of the week, month, day: as DR.
    pub(super) date: u32,
}

impl Default for Calendar {
    fn default() -> Calendar {
        Calendar {
            time: 0,
            date: 0x2101,
        }
    }
}

/// The number after this one.
fn after(digits: u32) -> u32 {
    if digits & 15 == 9 {
        (digits & !15) + 16
    } else {
        digits + 1
    }
}

fn number(digits: u32) -> u32 {
    10 * (digits >> 4) + (digits & 15)
}

impl Calendar {
    /// A second passes.
    pub(super) fn tick(&mut self, twelve_hours: bool) {
        let [hours, minutes, seconds] = [self.time >> 16 & 0x7f, self.time >> 8 & 0x7f, self.time & 0x7f];
        let (seconds, carry) = wrapped(seconds, 0x59);
        let (minutes, carry) = if carry {
            wrapped(minutes, 0x59)
        } else {
            (minutes, false)
        };
        let (hours, carry) = if carry {
            next_hour(hours, twelve_hours)
        } else {
            (hours, false)
        };
        self.time = hours << 16 | minutes << 8 | seconds;
        if carry {
            self.next_day();
        }
    }

    fn next_day(&mut self) {
        let [year, weekday, month, day] = [
            self.date >> 16 & 0xff,
            self.date >> 13 & 7,
            self.date >> 8 & 0x1f,
            self.date & 0x3f,
        ];
        let last = match number(month) {
            4 | 6 | 9 | 11 => 0x30,
            2 if number(year).is_multiple_of(4) => 0x29,
            2 => 0x28,
            _ => 0x31,
        };
        let (day, carry) = if day >= last {
            (1, true)
        } else {
            (after(day), false)
        };
        let (month, carry) = match (carry, month) {
            (true, 0x12..) => (1, true),
            (true, month) => (after(month), false),
            (false, month) => (month, false),
        };
        let year = match (carry, year) {
            (true, 0x99) => 0,
            (true, year) => after(year),
            (false, year) => year,
        };
        let weekday = weekday % 7 + 1;
        self.date = year << 16 | weekday << 13 | month << 8 | day;
    }

    /// Whether an alarm rings now, by the fields that it does not mask.
    pub(super) fn matches(self, alarm: u32) -> bool {
        let day = if alarm & 1 << 30 == 0 {
            self.date & 0x3f
        } else {
            self.date >> 13 & 7
        };
        let shown = [
            self.time & 0x7f,
            self.time >> 8 & 0x7f,
            self.time >> 16 & 0x7f,
            day,
        ];
        let set = [
            alarm & 0x7f,
            alarm >> 8 & 0x7f,
            alarm >> 16 & 0x7f,
            alarm >> 24 & 0x3f,
        ];
        (0..4).all(|field| alarm >> (8 * field + 7) & 1 != 0 || shown[field] == set[field])
    }
}

fn wrapped(digits: u32, last: u32) -> (u32, bool) {
    if digits >= last {
        (0, true)
    } else {
        (after(digits), false)
    }
}

/// With PM in bit 6 where there are twelve.
fn next_hour(hours: u32, twelve: bool) -> (u32, bool) {
    if !twelve {
        return wrapped(hours, 0x23);
    }
    let (pm, hour) = (hours & 0x40, hours & 0x3f);
    match hour {
        0x11 => (0x12 | pm ^ 0x40, pm != 0),
        0x12 => (0x01 | pm, false),
        hour => (after(hour) | pm, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second_after(time: u32, date: u32, twelve: bool) -> (u32, u32) {
        let mut calendar = Calendar { time, date };
        calendar.tick(twelve);
        (calendar.time, calendar.date)
    }

    #[test]
    fn a_second_carries_as_far_as_the_year() {
        let date =
            |year: u32, weekday: u32, month: u32, day: u32| year << 16 | weekday << 13 | month << 8 | day;
        assert_eq!(second_after(0x09_5959, 1, false).0, 0x10_0000);
        let end = date(0x23, 7, 0x12, 0x31);
        assert_eq!(second_after(0x23_5959, end, false), (0, date(0x24, 1, 1, 1)));
        assert_eq!(
            second_after(0x23_5959, date(0x24, 1, 2, 0x28), false).1,
            date(0x24, 2, 2, 0x29)
        );
        assert_eq!(
            second_after(0x23_5959, date(0x25, 1, 2, 0x28), false).1,
            date(0x25, 2, 3, 1)
        );
        assert_eq!(
            second_after(0x23_5959, date(0x25, 1, 9, 0x30), false).1,
            date(0x25, 2, 0x10, 1)
        );
    }

    #[test]
    fn twelve_hours_have_noon_and_midnight() {
        assert_eq!(second_after(0x11_5959, 0x2101, true), (0x52_0000, 0x2101));
        assert_eq!(second_after(0x51_5959, 0x2101, true), (0x12_0000, 0x4102));
        assert_eq!(second_after(0x12_5959, 0x2101, true).0, 0x01_0000);
    }

    #[test]
    fn an_alarm_rings_by_what_it_does_not_mask() {
        let calendar = Calendar {
            time: 0x12_3015,
            date: 0x2101,
        };
        assert!(calendar.matches(0x8080_8015));
        assert!(!calendar.matches(0x8080_8016));
        assert!(calendar.matches(0x8080_8080));
        assert!(calendar.matches(0x4112_3015), "on Monday");
    }
}
