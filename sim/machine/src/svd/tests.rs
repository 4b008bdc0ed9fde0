use super::*;
use crate::Board;
use crate::board::New;
use crate::campaign::campaign;

const SMALL: &str = include_str!("../../tests/small.svd");

fn small() -> Svd {
    Svd::parse("small.svd", SMALL).unwrap()
}

fn message(text: &str) -> String {
    Svd::parse("a.svd", text).unwrap_err().to_string()
}

#[test]
fn what_there_are_several_of_and_what_is_derived_is_spelt_out() {
    let svd = small();
    let names: Vec<_> = svd
        .peripherals
        .iter()
        .map(|peripheral| {
            format!(
                "{} {:#x} {:#x}",
                peripheral.name, peripheral.base, peripheral.size
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            "I2C1 0x40005400 0x400",
            "I2C2 0x40005800 0x400",
            "DMA 0x40020000 0x400",
            "PORTA 0x48000000 0x10",
            "PORTB 0x48000400 0x10"
        ]
    );
    let register = |peripheral: &str, register: &str| {
        let register = svd.peripheral(peripheral).unwrap().register(register).unwrap();
        (
            register.offset,
            register.bytes,
            register.reset,
            register.writable,
            register.clears,
        )
    };
    assert_eq!(register("I2C2", "CR2"), (4, 4, 0x10, 0x3f, 0));
    // A field that is read-only, and one that a one clears.
    assert_eq!(register("I2C1", "SR1"), (0x14, 4, 0x80, 0, 0x400));
    assert_eq!(register("DMA", "CH1.PAR"), (0x24, 4, 0, 0xffff_ffff, 0));
    // Derived from a register elsewhere, and half as wide.
    assert_eq!(register("DMA", "COPY"), (0x60, 2, 0x10, 0x3f, 0));
    assert_eq!(register("PORTB", "ODR"), (0, 1, 0xa5, 0xff, 0));
    assert_eq!(
        svd.interrupts,
        [(3, "I2C1_EV".to_owned()), (4, "I2C2_EV".to_owned())]
    );
}

#[test]
fn an_address_is_told_by_peripheral_register_and_field() {
    let svd = small();
    let told = |address, written| svd.describe(address, written);
    assert_eq!(
        told(0x4000_5804, None).unwrap(),
        "I2C2.CR2 (Control register 2); fields FREQ"
    );
    assert_eq!(
        told(0x4000_5406, Some(0x28)).unwrap(),
        "I2C1.CR2 (Control register 2); FREQ = 0x28"
    );
    assert_eq!(
        told(0x4000_5500, None).unwrap(),
        "I2C1 (Serial bus), offset 0x100, where SMALL lists no register"
    );
    assert_eq!(told(0x5000_0000, None), None);
    assert_eq!(svd.stub_at(0x4000_5804, false).unwrap(), "I2C2.CR2");
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    assert_eq!(
        message("<a/>"),
        "a.svd:1: a CMSIS-SVD file begins with <device>, not with <a>"
    );
    assert!(message("<device>").starts_with("a.svd:1: no XML: "));
    let turned = SMALL.replace("<name>CR2</name>", "");
    assert!(
        message(&turned).contains(": <register> has no <name>"),
        "{}",
        message(&turned)
    );
    let lost = SMALL.replace("derivedFrom=\"I2C1\"", "derivedFrom=\"I2C7\"");
    assert!(message(&lost).contains("derived from `I2C7`, which is not there"));
    let circle = SMALL.replace("derivedFrom=\"I2C1\"", "derivedFrom=\"I2C2\"");
    assert!(
        message(&circle).contains("from itself in the end"),
        "{}",
        message(&circle)
    );
    for count in ["0", "4097", "99999999999999999999", "-1"] {
        let many = SMALL.replace("<dim>2</dim>", &format!("<dim>{count}</dim>"));
        assert!(message(&many).contains("dim"), "{count}");
    }
    let wide = SMALL.replace("<dimIndex>A,B</dimIndex>", "<dimIndex>0-4000000000</dimIndex>");
    assert_eq!(Svd::parse("a.svd", &wide).unwrap().peripherals[4].name, "PORT1");
}

/// Clusters of clusters that are derived from what is around them, elements without an end, and text in text.
#[test]
fn what_grows_without_bound_is_refused() {
    let nested = |inside: &str| {
        format!(
            "<device><name>A</name><peripherals><peripheral><name>P</name><baseAddress>0</baseAddress><registers>{inside}\
             </registers></peripheral></peripherals></device>"
        )
    };
    let mut clusters = (0..12).fold(String::new(), |text, depth| {
        text + "<cluster><dim>64</dim><dimIncrement>4</dimIncrement><name>"
            + &format!("C{depth}%s</name><addressOffset>0</addressOffset>")
    });
    clusters.push_str(&"</cluster>".repeat(12));
    assert!(message(&nested(&clusters)).contains("more than any chip has"));
    let deep =
        "<cluster><name>C</name><addressOffset>0</addressOffset>".repeat(40) + &"</cluster>".repeat(40);
    assert!(message(&nested(&deep)).contains("clusters stand in clusters"));
    let itself = "<cluster derivedFrom=\"P.C\"><name>C</name><addressOffset>0</addressOffset></cluster>";
    assert!(message(&nested(itself)).contains("from itself"));
    let elements = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
    assert!(Svd::parse("a.svd", &nested(&elements)).is_ok());
    let entities = "<!DOCTYPE a [<!ENTITY b \"bbbb\">]><device/>";
    assert!(message(entities).contains("no XML"));
}

/// Values and bytes of a sound file are changed, left out, doubled and moved: each result is read, and a board file made of it, or refused with one
/// message.
#[test]
fn campaign_of_changed_files() {
    let words = [
        "%s",
        "0-9",
        "4294967295",
        "-1",
        "derivedFrom=\"DMA\"",
        "<cluster>",
        "[63:0]",
        "#xx1",
        "",
        "0x10",
        "CH%s",
        "I2C1",
        "PORTA.ODR",
    ];
    let new = New {
        clock_hz: 8_000_000,
        core: Some("cortex-m3".to_owned()),
        roms: vec!["0x8000000:64K".parse().unwrap()],
        rams: vec!["0x20000000:8K".parse().unwrap()],
        ..New::default()
    };
    campaign("svd", |random| {
        let mut text = SMALL.to_owned();
        for _ in 0..=random.below(4) {
            // Between two marks of the XML, where values are; or anything, anywhere.
            let marks: Vec<usize> = text.match_indices('>').map(|(at, _)| at + 1).collect();
            let at = marks[random.below(marks.len())];
            let end = text[at..].find('<').map_or(text.len(), |length| at + length);
            match random.below(5) {
                0 => text.truncate(at),
                1 => {
                    let other = random.one_of(&marks);
                    let end = text[other..]
                        .find('>')
                        .map_or(text.len(), |length| other + length + 1);
                    let copy = text[other..end].to_owned();
                    text.insert_str(at, &copy);
                }
                2 => {
                    let place = random.below(text.len());
                    text.remove(place);
                }
                _ => text.replace_range(at..end, random.one_of(&words)),
            }
            if !text.contains('>') {
                break;
            }
        }
        match Svd::parse("a.svd", &text) {
            Ok(svd) => {
                let Ok(board) = new.text(&svd, "a.svd") else {
                    return "read, and no board";
                };
                match Board::parse("mine.toml", &board) {
                    Ok(_) => "read, and a board",
                    // It names the SVD file, which is not there.
                    Err(error) => {
                        assert!(error.to_string().contains("a.svd"), "{error}\n{board}");
                        "read, and a board"
                    }
                }
            }
            Err(error) => {
                assert_eq!(error.to_string().lines().count(), 1, "{error}");
                "refused"
            }
        }
    });
}

/// Each value of the form, as its makers and others write it; what is misspelt is told with the right word.
#[test]
fn an_access_is_read_in_any_case() {
    let with = |access: &str| {
        let text = format!(
            "<device><name>A</name><peripherals><peripheral><name>P</name><baseAddress>0</baseAddress><registers><register>\
             <name>R</name><addressOffset>0</addressOffset><access>{access}</access></register></registers></peripheral>\
             </peripherals></device>"
        );
        Svd::parse("a.svd", &text).map(|svd| svd.peripherals[0].registers[0].writable)
    };
    for access in ["read-only", "Read-Only", "readOnly"] {
        assert_eq!(with(access).unwrap(), 0, "{access}");
    }
    for access in [
        "write-only",
        "read-write",
        "writeOnce",
        "writeonce",
        "write-once",
        "read-writeOnce",
        "read-writeonce",
        "READ-WRITE-ONCE",
    ] {
        assert_eq!(with(access).unwrap(), 0xffff_ffff, "{access}");
    }
    let message = with("read-wirte").unwrap_err().to_string();
    assert!(
        message.contains("`read-wirte` is not an access of a register; did you mean `read-write`?"),
        "{message}"
    );
}
