//! Checks that the price programs have the study's machine code at the study's alignment: another encoding or a shift by a halfword would
//! be another measurement.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use object::{Object, ObjectSection, ObjectSymbol};
use serde::Deserialize;

/// Addresses are compared modulo two fetch words.
const ALIGNMENT: u64 = 8;

#[derive(Deserialize)]
struct Listings {
    listing: Vec<Listing>,
}

#[derive(Deserialize)]
struct Listing {
    program: String,
    function: String,
    address: u64,
    code: String,
    #[serde(default)]
    points: BTreeMap<String, u64>,
}

fn listings() -> Vec<Listing> {
    let table = xtask::root().join("firmware/scenarios/rtfm/listings.toml");
    toml::from_str::<Listings>(&fs::read_to_string(table).unwrap())
        .unwrap()
        .listing
}

#[test]
fn every_price_program_has_a_listing() {
    let spec = fs::read_to_string(xtask::root().join("firmware/prices/rtfm.toml")).unwrap();
    let spec: toml::Table = spec.parse().unwrap();
    let measured = spec["program"].as_array().unwrap().iter();
    let measured: BTreeSet<_> = measured
        .map(|program| program["name"].as_str().unwrap().to_owned())
        .collect();
    let listed: BTreeSet<_> = listings().into_iter().map(|listing| listing.program).collect();
    assert_eq!(measured, listed);
}

#[test]
fn the_price_programs_are_the_study_s_machine_code() {
    for listing in &listings() {
        check(listing);
    }
}

fn check(listing: &Listing) {
    let place = format!("{} of {}", listing.function, listing.program);
    let bytes = fs::read(xtask::firmware::program(&listing.program).unwrap()).unwrap();
    let elf = object::File::parse(&*bytes).unwrap();
    let start = address(&elf, &listing.function) & !1;
    assert_eq!(
        start % ALIGNMENT,
        listing.address % ALIGNMENT,
        "alignment of {place}"
    );
    let expected: Vec<_> = listing.code.split(' ').collect();
    let built = halfwords(&elf, start, expected.len());
    for (index, (built, expected)) in built.iter().zip(&expected).enumerate() {
        assert!(
            *expected == "...." || built == expected,
            "{place}: {built} instead of {expected} at {index}"
        );
    }
    for (point, expected) in &listing.points {
        assert_eq!(
            address(&elf, point) - start,
            expected - listing.address,
            "{point} of {}",
            listing.program
        );
    }
}

fn address(elf: &object::File, name: &str) -> u64 {
    let symbol = elf.symbols().find(|symbol| symbol.name() == Ok(name));
    symbol.unwrap_or_else(|| panic!("no symbol {name}")).address() & !1
}

fn halfwords(elf: &object::File, start: u64, count: usize) -> Vec<String> {
    let text = elf.section_by_name(".text").unwrap();
    let bytes = text
        .data_range(start, 2 * count as u64)
        .unwrap()
        .expect("the function lies in .text");
    bytes
        .chunks(2)
        .map(|pair| format!("{:04x}", u16::from_le_bytes([pair[0], pair[1]])))
        .collect()
}

/// The measured spans with a published figure in a folder's specs: id and figure, with the number of measurements.
fn published(folder: &str) -> BTreeMap<(String, String), usize> {
    let mut published = BTreeMap::new();
    for spec in fs::read_dir(xtask::root().join(folder)).unwrap() {
        let path = spec.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let spec: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        // Specs for boards have no programs.
        for program in spec
            .get("program")
            .and_then(toml::Value::as_array)
            .into_iter()
            .flatten()
        {
            let boards = program
                .get("boards")
                .or(program.get("board").map_or(spec.get("boards"), |_| None));
            let boards = boards.and_then(toml::Value::as_array).map_or(1, Vec::len);
            for span in program["span"].as_array().unwrap() {
                if let Some(figure) = span.get("published").map(|figure| figure.as_integer().unwrap()) {
                    let key = (span["id"].as_str().unwrap().to_owned(), figure.to_string());
                    *published.entry(key).or_insert(0) += boards;
                }
            }
        }
    }
    published
}

#[test]
fn the_page_of_evidence_has_every_published_figure() {
    has_all("firmware/prices");
}

#[test]
fn the_page_of_evidence_has_every_figure_of_published_code() {
    has_all("firmware/published");
}

fn has_all(specs: &str) {
    let page = fs::read_to_string(xtask::root().join("docs/evidence.md")).unwrap();
    for ((id, figure), times) in published(specs) {
        let rows = page.lines().filter(|line| {
            let mut cells = line.trim_matches('|').split(" | ").map(str::trim);
            let name = cells.next().unwrap_or_default();
            let is_it = name == id || name.starts_with(&format!("{id} ("));
            is_it && cells.nth(1) == Some(figure.as_str())
        });
        assert_eq!(
            rows.count(),
            times,
            "{id}, published {figure}: run ./x others checks or ./x others published DIR"
        );
    }
    assert!(
        !page.contains("explained as if it were not"),
        "an explanation is stale"
    );
}
