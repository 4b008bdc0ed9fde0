use super::*;

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

/// Bytes of a sound file are changed, left out, doubled and moved: each result is read or refused with one message.
#[test]
fn no_change_of_a_file_does_harm() {
    let changes = std::env::var("SVD_CHANGES")
        .ok()
        .and_then(|count| count.parse().ok());
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below
    };
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
    ];
    let (mut sound, mut refused) = (0, 0);
    for _ in 0..changes.unwrap_or(2_000) {
        let mut text = SMALL.to_owned();
        for _ in 0..=next(3) {
            // Between two marks of the XML, where values are.
            let places: Vec<usize> = text.match_indices('>').map(|(at, _)| at + 1).collect();
            let Some(&at) = places.get(next(places.len().max(1))) else {
                continue;
            };
            let end = text[at..].find('<').map_or(text.len(), |length| at + length);
            text.replace_range(at..end, words[next(words.len())]);
            if next(4) == 0 {
                let at = next(text.len());
                text = text
                    .chars()
                    .enumerate()
                    .filter(|&(place, _)| place != at)
                    .map(|(_, letter)| letter)
                    .collect();
            }
        }
        match Svd::parse("a.svd", &text) {
            Ok(_) => sound += 1,
            Err(error) => {
                assert_eq!(error.to_string().lines().count(), 1, "{error}");
                refused += 1;
            }
        }
    }
    assert!(sound > 0 && refused > 0, "{sound} {refused}");
}
