//! Each output format, and that JSON reads back as written.

use insta::assert_snapshot;
use proptest::prelude::*;
use report::{Evidence, Figure, ReadError, Results, Row, Unit, markdown, table};

fn row(id: &str, cycles: i64) -> Row {
    Row {
        id: id.to_owned(),
        board: "stm32f100rb".to_owned(),
        core: "cortex-m3".to_owned(),
        kernel: "listing".to_owned(),
        about: None,
        section: None,
        series: None,
        use_of: None,
        unit: Unit::Cycles,
        count: 1,
        min: cycles,
        mean: f64::from(i32::try_from(cycles).unwrap()),
        max: cycles,
        own: cycles,
        preempted: 0,
        blocked: 0,
        published: None,
        reference: report::Reference::default(),
        source: None,
        conditions: None,
        because: None,
        evidence: Evidence::A,
        clock_hz: None,
        time_us: None,
        stack: None,
        unfinished: 0,
        ended: None,
        obtained: report::Obtained::default(),
    }
}

fn published(row: Row, figure: Figure) -> Row {
    Row {
        published: Some(figure),
        source: Some("study 000".to_owned()),
        ..row
    }
}

/// Two groups: one like the study's table, one that makes every optional column appear.
fn sample() -> Results {
    let stack = Row {
        unit: Unit::Bytes,
        ..row("rtfm/stack-per-suspended-task", 32)
    };
    let spread = Row {
        count: 3,
        min: 40,
        mean: 47.0 + 1.0 / 3.0,
        max: 61,
        own: 41,
        preempted: 20,
        evidence: Evidence::C,
        kernel: "none".to_owned(),
        ..row("yield/round", 61)
    };
    Results::new(
        "cyclescope 0.1.0",
        vec![
            published(row("rtfm/preempt-entry", 11), Figure::Whole(11)),
            published(row("rtfm/nop", 2), Figure::Whole(1)),
            published(stack, Figure::Whole(32)),
            row("rtfm/unpublished", 7),
            published(spread, Figure::Real(57.8)),
        ],
    )
}

#[test]
fn terminal() {
    assert_snapshot!(table(&sample().results));
}

/// Columns appear if a row has pre-empted or blocked cycles.
#[test]
fn what_a_sample_was_interrupted_by_has_columns() {
    for (preempted, blocked) in [(0, 0), (20, 0), (0, 20), (10, 10)] {
        let own = 61 - preempted - blocked;
        let row = Row {
            own,
            preempted,
            blocked,
            ..row("yield/round", 61)
        };
        let text = table(&[row]);
        let page = markdown(
            &Results::new(
                "t",
                vec![Row {
                    own,
                    preempted,
                    blocked,
                    ..sample().results[3].clone()
                }],
            ),
            "x",
        );
        let is_shared = preempted + blocked > 0;
        for head in ["own", "pre-empted", "blocked"] {
            assert_eq!(text.contains(head), is_shared, "{text}");
            assert_eq!(page.contains(&format!("| {head} |")), is_shared, "{page}");
        }
        assert!(
            !is_shared
                || text.contains(&format!(" {own} "))
                    && text.contains(&format!(" {} ", preempted.max(blocked))),
            "{text}"
        );
    }
}

#[test]
fn page() {
    assert_snapshot!(markdown(&sample(), "cyclescope prices --markdown docs/PRICES.md"));
}

#[test]
fn json() {
    assert_snapshot!(sample().to_json());
    assert_eq!(Results::from_json(&sample().to_json()).unwrap(), sample());
}

#[test]
fn nothing_measured_is_still_a_results_file() {
    let empty = Results::new("t", Vec::new());
    assert_eq!(
        empty.to_json(),
        "{\"format\":\"cyclescope-results/1\",\"tool\":\"t\",\"results\":[]}\n"
    );
    assert_eq!(Results::from_json(&empty.to_json()).unwrap(), empty);
}

#[test]
fn the_design_s_own_example_reads() {
    let text = r#"{"format":"cyclescope-results/1","tool":"…","results":[
      {"id":"rtfm/preempt-entry","board":"stm32f100rb","core":"cortex-m3","kernel":"listing","unit":"cycles",
       "count":1,"min":11,"mean":11.0,"max":11,"own":11,"preempted":0,"blocked":0,
       "published":11,"source":"study 000","evidence":"A","a field of tomorrow":true}]}"#;
    let results = Results::from_json(text).unwrap();
    assert_eq!(
        results.results,
        [published(row("rtfm/preempt-entry", 11), Figure::Whole(11))]
    );
}

#[test]
fn another_format_is_refused_by_name() {
    let text = r#"{"format":"cyclescope-results/2","results":17}"#;
    let error = Results::from_json(text).unwrap_err();
    assert!(matches!(&error, ReadError::Format(format) if format == "cyclescope-results/2"));
    assert_eq!(
        error.to_string(),
        "format `cyclescope-results/2`, but this tool reads `cyclescope-results/1`"
    );
    for text in ["[1, 2]", "[]", "null"] {
        let error = Results::from_json(text).unwrap_err();
        assert!(matches!(error, ReadError::Shape(_)), "{text}");
        assert!(error.to_string().contains("expected a"), "{error}");
    }
    let error = Results::from_json("null").unwrap_err().to_string();
    assert!(
        error.contains("an object with `format`, as `--json` writes one"),
        "{error}"
    );
}

fn figure() -> impl Strategy<Value = Figure> {
    prop_oneof![
        any::<i64>().prop_map(Figure::Whole),
        (-1e6..1e6f64).prop_map(Figure::Real)
    ]
}

proptest! {
    #[test]
    fn json_reads_back(
        id in "[a-z]{1,5}/[\"\\\\a-zé-]{1,9}",
        numbers in any::<[i64; 6]>(),
        count in 1..u64::MAX,
        mean in -1e15..1e15f64,
        figure in prop::option::of(figure()),
        evidence in prop::sample::select(&Evidence::ALL[..]),
    ) {
        let [min, max, own, preempted, blocked, _] = numbers;
        let row = Row {
            count, min, mean, max, own, preempted, blocked, evidence,
            published: figure,
            source: figure.map(|_| "somewhere".to_owned()),
            conditions: figure.map(|_| "somehow".to_owned()),
            because: figure.map(|_| "of something".to_owned()),
            ..row(&id, 0)
        };
        let results = Results::new("tool", vec![row.clone(), row]);
        prop_assert_eq!(Results::from_json(&results.to_json()).unwrap(), results);
    }
}

#[test]
fn kernels_that_are_compared_have_headings_of_their_own() {
    let of = |kernel: &str| Row {
        kernel: kernel.to_owned(),
        ..row("lock/enter", 3)
    };
    let page = markdown(
        &Results::new("t", vec![of("one"), of("two"), row("other/row", 1)]),
        "./x prices",
    );
    for heading in ["## lock: one", "## lock: two", "## other"] {
        assert_eq!(
            page.lines().filter(|line| *line == heading).count(),
            1,
            "{heading}"
        );
    }
}
