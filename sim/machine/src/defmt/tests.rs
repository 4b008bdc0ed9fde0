use super::*;
use crate::campaign::campaign;

fn shown(table: &Table, frame: &[u8]) -> Option<String> {
    let (entry, time, text, taken) = table.message(frame)?;
    let time = time.map_or(String::new(), |time| format!("{time} "));
    Some(format!("{time}{} {text} {taken}", entry.level.name()))
}

/// What a line with this format string shows; further strings are numbers 2 and up.
fn line(format: &str, strings: &[&str], arguments: &[u8]) -> Option<String> {
    let strings = strings.iter().map(|&text| ("defmt_str", text));
    let strings: Vec<_> = std::iter::once(("defmt_info", format)).chain(strings).collect();
    let table = Table::of(None, false, &strings);
    let frame = [&[1, 0], arguments].concat();
    let (_, _, text, taken) = table.message(&frame)?;
    assert_eq!(taken, frame.len(), "{text}");
    Some(text)
}

fn shows(format: &str, strings: &[&str], arguments: &[u8], text: &str) {
    assert_eq!(
        line(format, strings, arguments).as_deref(),
        Some(text),
        "{format}"
    );
}

#[test]
fn numbers_have_their_sizes_and_hints() {
    shows(
        "{=u8} {=i16} {=u32:#010x}",
        &[],
        &[200, 0xfe, 0xff, 0xef, 0xbe, 0, 0],
        "200 -2 0x0000beef",
    );
    shows(
        "{=i8:x} {=bool} {=char}",
        &[],
        &[0xff, 1, 0x41, 0, 0, 0],
        "ff true A",
    );
    shows("{=f32} {1=u8} {1=u8:b}", &[], &[0, 0, 0xc0, 0x3f, 5], "1.5 5 101");
    shows("{0=0..4} {0=4..8:x}", &[], &[0xa5], "5 a");
    shows(
        "{=u64:us} {=u32:tms}",
        &[],
        &[64, 66, 15, 0, 0, 0, 0, 0, 0xe8, 3, 0, 0],
        "1.000000 00:00:01.000",
    );
}

#[test]
fn texts_slices_and_other_formats_are_read() {
    shows("{=str}!", &[], &[2, 0, 0, 0, b'h', b'i'], "hi!");
    shows(
        "{=istr} {=[u8]} {=[u8; 2]:a}",
        &["there"],
        &[2, 0, 1, 0, 0, 0, 7, b'o', b'k'],
        "there [7] b\"ok\"",
    );
    shows("{=?}", &["None|Some({=u8})"], &[2, 0, 1, 9], "Some(9)");
    shows("{=[?]}", &["{=u8}"], &[2, 0, 0, 0, 2, 0, 3, 4], "[3, 4]");
    shows("{=?}", &["{=__internal_Debug}"], b"\x02\0text\xff", "text");
    shows(
        "{=?}",
        &["{=__internal_FormatSequence}", "a{=u8}"],
        &[2, 0, 3, 0, 1, 3, 0, 2, 0, 0],
        "a1a2",
    );
}

#[test]
fn what_is_not_whole_is_no_line() {
    assert_eq!(line("{=u32}", &[], &[1, 2, 3]), None);
    assert_eq!(line("{=?}", &["{=?}"], &[9, 0]), None, "no such string");
    assert_eq!(line("{=[?]}", &["{=?}"], &[255, 255, 255, 255, 2, 0]), None);
    // A string that names itself for ever.
    assert_eq!(line("{=?}", &["{=?}"], &[2; 4096]), None);
}

#[test]
fn a_line_has_its_level_and_the_programs_time() {
    let table = Table::of(Some("{=u32:us}"), true, &[("defmt_warn", "hot: {=u8}")]);
    let frame = [1, 0, 0x20, 0xa1, 7, 0, 99];
    assert_eq!(shown(&table, &frame).as_deref(), Some("0.500000 WARN hot: 99 7"));
    assert_eq!(shown(&table, &[5, 0]), None);
}

/// Any format strings, and any bytes behind their numbers, are shown or passed over.
#[test]
fn campaign_of_any_frames() {
    let parts = [
        "{=u8}",
        "{=i64:us}",
        "{=str}",
        "{=istr}",
        "{=[u8]}",
        "{=[?]}",
        "{=?}",
        "{=[?; 3]}",
        "{=bool}",
        "{=char}",
        "{=f64}",
        "{0=0..9}",
        "{9=8..1:x}",
        "{=u128:#x}",
        "{=[u8; 4294967295]}",
        "{=__internal_FormatSequence}",
        "{:?}",
        "{{",
        "}",
        "{=",
        "{=u8:9999999999x}",
        "{=tms}",
        "{=u64:iso8601ms}",
        "é",
        "{=usize:cbor}",
    ];
    campaign("defmt", |random| {
        let mut text = || {
            (0..random.below(4))
                .map(|_| random.one_of(&parts))
                .collect::<String>()
        };
        let texts = [text(), text(), text()];
        let strings: Vec<_> = ["defmt_info", "defmt_str", "defmt_derived"]
            .into_iter()
            .zip(texts.iter().map(String::as_str))
            .collect();
        let table = Table::of(None, false, &strings);
        let mut frame = vec![random.below(5) as u8, 0];
        frame.extend((0..random.below(40)).map(|_| match random.below(3) {
            0 => random.next() as u8,
            1 => 0xff,
            _ => random.below(4) as u8,
        }));
        match table.message(&frame) {
            Some((.., text, taken)) => {
                assert!(
                    taken <= frame.len() && text.len() < 1 << 20,
                    "{taken} {}",
                    text.len()
                );
                "shown"
            }
            None => "passed over",
        }
    });
}
