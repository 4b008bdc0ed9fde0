//! `builds`: each row comes from the best build.

use std::fs;

use lab::batch::{Options, measure_spec};
use lab::spec::parse;
use programs::{EXIT, Firmware, NOP};

const SPEC: &str = r#"
group = "g"
[[program]]
name = "usual"
builds = ["other"]
[[program.span]]
id = "g/first"
from = "bkpt:1"
to = "bkpt:2"
[[program.span]]
id = "g/second"
from = "bkpt:3"
to = "bkpt:4"
"#;

/// A program with the given numbers of NOPs in its two spans.
fn with_nops(first: usize, second: usize) -> Vec<u8> {
    let mut main: Vec<&[u16]> = vec![&[0xbe01]];
    main.extend(vec![&[NOP][..]; first]);
    main.push(&[0xbe02, 0xbe03]);
    main.extend(vec![&[NOP][..]; second]);
    main.push(&[0xbe04]);
    main.push(EXIT);
    Firmware::new(&main).elf()
}

#[test]
fn each_row_is_that_of_the_build_which_does_best() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("usual.elf"), with_nops(9, 2)).unwrap();
    fs::write(folder.path().join("other.elf"), with_nops(3, 7)).unwrap();
    let spec = parse("g.toml", SPEC).unwrap();
    let outcome = measure_spec(&spec, &Options::built_in(folder.path().to_owned()), || ());
    assert!(outcome.messages.is_empty(), "{:#?}", outcome.messages);
    let found = |row: &report::Row| {
        let elf = row.obtained.program.as_ref().unwrap().elf.clone();
        (row.id.clone(), row.max, elf.contains("other"))
    };
    let rows: Vec<_> = outcome.rows.iter().map(found).collect();
    let expected = [("g/first".to_owned(), 3, true), ("g/second".to_owned(), 2, false)];
    assert_eq!(rows, expected);
}

#[test]
fn a_build_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("usual.elf"), with_nops(9, 2)).unwrap();
    let spec = parse("g.toml", SPEC).unwrap();
    let outcome = measure_spec(&spec, &Options::built_in(folder.path().to_owned()), || ());
    assert_eq!(outcome.rows.len(), 2);
    let [message] = &outcome.messages[..] else {
        panic!("{:#?}", outcome.messages);
    };
    assert!(message.to_string().contains("other"), "{message}");
}
