//! The figure that a row is compared with, and the consequences.

use report::{Compared, Evidence, Figure, Reference, Results, Row, chapters, ledger, markdown};

fn row(id: &str, measured: i64, published: i64, reference: Reference) -> Row {
    let text = format!(
        r#"{{"id":"g/{id}","board":"b","core":"c","kernel":"none","unit":"cycles","count":1,"min":{measured},
           "mean":{measured}.0,"max":{measured},"own":{measured},"preempted":0,"blocked":0,"evidence":"A"}}"#
    );
    Row {
        published: Some(Figure::Whole(published)),
        source: Some("somebody".to_owned()),
        reference,
        ..serde_json::from_str(&text).unwrap()
    }
}

#[test]
fn a_row_that_is_contradicted_on_its_own_chip_is_an_estimate() {
    for (measured, published, reference, evidence) in [
        (100, 100, Reference::Same, Evidence::A),
        (1129, 1138, Reference::Same, Evidence::D),
        (100, 101, Reference::Same, Evidence::D),
        (100, 101, Reference::Verilog, Evidence::D),
        (100, 101, Reference::OtherChip, Evidence::A),
        (100, 7000, Reference::OtherProgram, Evidence::A),
    ] {
        let mut row = row("a", measured, published, reference);
        row.weigh();
        assert_eq!(row.evidence, evidence, "{measured} {published} {reference:?}");
    }
    let mut rounded = row("a", 12, 12, Reference::Same);
    // A mean that rounds to the published figure agrees with it.
    rounded.mean = 12.4;
    rounded.weigh();
    assert_eq!(rounded.evidence, Evidence::A);
    rounded.published = Some(Figure::Real(12.5));
    rounded.weigh();
    assert_eq!(rounded.evidence, Evidence::D);
}

#[test]
fn between_two_programs_there_is_no_difference() {
    let other = row("a", 700, 77100, Reference::OtherProgram);
    assert_eq!(other.difference(), None);
    let results = Results::new("test", vec![other]);
    let pages = [
        markdown(&results, "./x"),
        ledger(&results, "./x"),
        report::table(&results.results),
    ];
    for page in pages {
        assert!(page.contains("77100"), "{page}");
        assert!(!page.contains("-76400") && !page.contains("-99.09"), "{page}");
    }
    assert!(ledger(&results, "./x").contains("| somebody | 1 | 0 | 0 | 0 | 1 |"));
}

#[test]
fn what_others_published_and_our_own_runs_are_counted_apart() {
    let rows = vec![
        row("a", 1, 1, Reference::Same),
        row("b", 1, 2, Reference::OtherChip),
        row("c", 1, 1, Reference::OtherProgram),
        row("d", 1, 1, Reference::Verilog),
        row("e", 1, 1, Reference::Verilog),
    ];
    let words = Compared::of(&rows).to_string();
    assert_eq!(
        words,
        "5 measured; 1 of 3 figures that others published met exactly, 1 of them are of other programs; 2 of 2 runs of the core's Verilog \
         met exactly"
    );
    let results = Results::new("test", rows);
    let (index, _) = chapters(&markdown(&results, "./x"), &results);
    assert!(index.contains("| all | 5 | 3 | 1 | 1 | 2 | 2 |"), "{index}");
    let page = ledger(&results, "./x");
    let (others, verilog) = page
        .split_once("our own runs of the same programs on the cores' Verilog")
        .unwrap();
    assert!(others.contains("| all |"), "{page}");
    assert!(verilog.contains("| all |"), "{page}");
}
