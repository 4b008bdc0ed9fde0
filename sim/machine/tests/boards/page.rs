//! The page about board files has every key, and its examples are boards.

use machine::Board;

use super::{SOUND, wrong};

/// The keys that a table may have: the parser lists them when it meets one that it does not know.
fn keys(text: &str) -> Vec<String> {
    let message = wrong(text);
    let (_, listed) = message
        .split_once("expected")
        .unwrap_or_else(|| panic!("{text}: {message}"));
    let words = listed.split('`').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

#[test]
fn every_key_stands_on_the_page_about_boards() {
    const UNKNOWN: &str = "zzzzzzzz = 1\n";
    let like = "like = \"stm32f407\"\nname = \"a\"\ndescription = \"a\"\n";
    let peripheral =
        |kind: &str| format!("{SOUND}\n[[peripheral]]\nname = \"a\"\nbase = 0\nkind = \"{kind}\"\n");
    let listed = peripheral("registers");
    let mut tables: Vec<String> = [
        "",
        "[[memory]]\n",
        "[[memory]]\nwait.",
        "[[block]]\n",
        "[[reach]]\n",
        "[[allow]]\n",
        "[[stub]]\n",
        "[flash]\n",
        "[flash]\ndata_cache.",
        "[flash]\nsettings.",
        "[[cache]]\n",
        "[[cache]]\nwait.",
        "[interrupts]\n",
        like,
        &format!("{like}[[memory]]\n"),
        &format!("{like}[[start]]\n"),
        &format!("{listed}[[peripheral.registers]]\n"),
        &format!("{listed}[[peripheral.shows]]\n"),
        &format!("{listed}[[peripheral.clocks]]\n"),
        &format!("{listed}[[peripheral.clocks]]\nmultiply."),
        &format!("{listed}[peripheral.flash]\n"),
        &format!("{listed}[peripheral.voltage]\n"),
    ]
    .map(|table| format!("{table}{UNKNOWN}"))
    .to_vec();
    let kinds = keys(&peripheral("zzzzzzzz"));
    assert!(kinds.len() > 15, "{kinds:?}");
    tables.extend(kinds.iter().map(|kind| peripheral(kind) + UNKNOWN));
    let page = include_str!("../../../../docs/boards.md");
    let stands = |key: &str| page.contains(&format!("`{key}`")) || in_a_list(page, key);
    for key in tables.iter().flat_map(|table| keys(table)).chain(kinds) {
        assert!(stands(&key), "`{key}`");
    }
}

/// Whether a key stands in a list such as `{ base, size, name }`.
fn in_a_list(page: &str, key: &str) -> bool {
    let lists = page
        .split("`{ ")
        .skip(1)
        .filter_map(|rest| rest.split(" }`").next());
    lists.flat_map(|list| list.split(", ")).any(|known| known == key)
}

#[test]
fn the_examples_of_the_page_about_boards_are_boards() {
    let page = include_str!("../../../../docs/boards.md");
    let examples = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let names: Vec<String> = examples
        .map(|text| Board::parse("mine.toml", text).unwrap().name().to_owned())
        .collect();
    assert_eq!(names, ["mine", "mine", "mine-slow"]);
}
