//! Checks that the fast writer writes the same lines as the general one.

use events::{Access, Retire, RuleSet, Window};

use super::*;

const FORMATS: [Format; 3] = [Format::Text, Format::JsonLines, Format::Csv];

/// Numbers of each length, and around the points where cached digits change.
const NUMBERS: [u64; 12] = [
    0,
    7,
    9_999,
    10_000,
    10_001,
    19_999,
    20_000,
    123_456_789,
    9_999_999_999,
    10_000_000_000,
    u64::MAX - 1,
    u64::MAX,
];

fn general(format: Format, event: &Event, about: About<'_>) -> String {
    let mut line = Vec::new();
    general::write(format, event, about, &mut line);
    String::from_utf8(line).unwrap()
}

#[test]
fn an_instruction_is_written_as_any_event() {
    let abouts = ["", "a \"b\", \u{e9}", "0xfffffff1", "18446744073709551615"].map(|text| About {
        insn: text,
        place: text,
        name: "",
        causes: text,
    });
    for (format, about) in FORMATS
        .into_iter()
        .flat_map(|format| abouts.map(|about| (format, about)))
    {
        let (mut quick, mut way) = (Quick::new(format), None);
        for (number, sp) in NUMBERS
            .into_iter()
            .zip([0x2000_1000, 0xffff_fff1].into_iter().cycle())
        {
            let retire = Retire {
                at: Window {
                    from: number,
                    to: number.saturating_add(12),
                },
                issued: number / 3,
                pc: 0xffff_fff0,
                raw: 0xbf00,
                size: 2,
                sp_before: 0,
                sp,
                link: 0,
                alternate_link: 0,
                since: RuleSet::EMPTY,
                rules: RuleSet::EMPTY,
                costs: Costs::NONE,
            };
            let mut line = Vec::new();
            // The stack pointer in it changes from line to line.
            let way = way.get_or_insert_with(|| Way::of(format, &retire, about));
            quick.retire(&retire, way, &mut line);
            let wanted = general(format, &Event::Retire(retire), about);
            assert_eq!(String::from_utf8(line).unwrap(), wanted);
        }
    }
}

#[test]
fn an_access_is_written_as_any_event() {
    for format in FORMATS {
        let mut quick = Quick::new(format);
        for (number, writes) in NUMBERS
            .into_iter()
            .flat_map(|number| [(number, false), (number, true)])
        {
            let access = Access {
                cycle: number,
                pc: number as u32,
                address: (number >> 3) as u32,
                size: 1 << (number % 3),
                value: 0xdead_beef_u32.wrapping_mul(number as u32),
                sp: 0,
                since: RuleSet::EMPTY,
            };
            let event = access.event(writes);
            let mut line = Vec::new();
            quick.access(&event, &mut line);
            let wanted = general(format, &event, About::default());
            assert_eq!(String::from_utf8(line).unwrap(), wanted);
        }
    }
}
