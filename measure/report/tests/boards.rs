//! A group that was measured on several boards.

use insta::assert_snapshot;
use report::{Evidence, Figure, Results, Row, Series, Unit, markdown, table};

fn row(name: &str, board: &str, cycles: i32) -> Row {
    Row {
        id: format!("cores/{name}"),
        board: board.to_owned(),
        core: if board == "small" {
            "cortex-m0"
        } else {
            "cortex-m4f"
        }
        .to_owned(),
        kernel: "none".to_owned(),
        about: None,
        section: Some("Sums".to_owned()),
        series: None,
        use_of: None,
        unit: Unit::Cycles,
        count: 1,
        min: i64::from(cycles),
        mean: f64::from(cycles),
        max: i64::from(cycles),
        own: i64::from(cycles),
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

/// In measuring order: one program on each of its boards, then the next program.
fn rows() -> Vec<Row> {
    let mut spread = row("latency", "great", 14);
    (spread.min, spread.mean, spread.count) = (12, 12.5, 4);
    let mut used = row("add-use", "great", 3);
    used.evidence = Evidence::D;
    used.use_of = Some("cores/add".to_owned());
    let published = |board: &str, cycles| Row {
        section: Some("Whole programs".to_owned()),
        published: Some(Figure::Whole(1000)),
        source: Some("its manual".to_owned()),
        ..row("sign", board, cycles)
    };
    vec![
        row("add", "small", 1),
        row("add", "great", 1),
        used,
        spread,
        Row {
            unit: Unit::Bytes,
            ..row("stack", "small", 32)
        },
        published("small", 990),
        published("great", 1000),
        Row {
            id: "other/row".to_owned(),
            section: None,
            ..row("", "small", 7)
        },
    ]
}

#[test]
fn on_the_page_each_board_has_a_column() {
    let page = markdown(&Results::new("t", rows()), "./x prices");
    let start = page.find("\n## cores").expect("the group's heading");
    assert_snapshot!(&page[start..]);
}

#[test]
fn on_the_terminal_too() {
    assert_snapshot!(table(&rows()));
}

/// Latencies with a flash of 0, 1 and 2 wait states, plain and cached.
fn points() -> Vec<Row> {
    let point = |kind: &str, states: u32, most: u32| Row {
        min: i64::from(most - states),
        mean: f64::from(most) - 0.5,
        series: Some(Series {
            name: format!("latency-{kind}"),
            at: states,
        }),
        ..row(&format!("latency-{kind}-{states}ws"), "great", most.cast_signed())
    };
    let plain = (0..3).map(|states| point("plain", states, 12 + 5 * states));
    plain
        .chain((0..3).map(|states| point("cached", states, 12)))
        .collect()
}

#[test]
fn what_grows_with_the_wait_states_is_a_picture() {
    let picture = report::wait_states(&points()).expect("there are points");
    assert_snapshot!(picture);
    let mut all = rows();
    assert_eq!(report::wait_states(&all), None);
    all.extend(points());
    let page = markdown(&Results::new("t", all), "./x prices");
    assert!(page.contains("](img/wait-states.svg)"), "{page}");
}

/// Names have no meaning: only a row's fields put it on a chart or beside another row.
#[test]
fn names_are_only_names() {
    let mut named = points();
    for point in &mut named {
        point.series = None;
    }
    assert_eq!(report::wait_states(&named), None);
    let mut called_so = rows();
    for row in &mut called_so {
        row.use_of = None;
    }
    let page = markdown(&Results::new("t", called_so), "./x prices");
    assert!(page.contains("| add-use |"), "{page}");
    assert!(!page.contains(" → "), "{page}");
}
