//! Kernels side by side.

use report::{Evidence, Results, Row, Unit, markdown};

fn row(id: &str, kernel: &str, cycles: i64) -> Row {
    Row {
        id: id.to_owned(),
        board: "stm32f100rb".to_owned(),
        core: "cortex-m3".to_owned(),
        kernel: kernel.to_owned(),
        about: (id == "tasks/lock").then(|| format!("{kernel} 1.0")),
        section: None,
        series: None,
        use_of: None,
        unit: Unit::Cycles,
        count: 1,
        min: cycles,
        mean: 0.0,
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

fn page(rows: Vec<Row>) -> String {
    markdown(&Results::new("test".to_owned(), rows), "test")
}

#[test]
fn the_best_of_each_row_is_marked_and_every_kernel_explained() {
    let page = page(vec![
        row("tasks/lock", "ours", 4),
        row("tasks/entry", "ours", 11),
        row("tasks/lock", "theirs", 9),
        row("tasks/entry", "theirs", 11),
    ]);
    for line in [
        "- `ours`: ours 1.0",
        "- `theirs`: theirs 1.0",
        "| lock | **4** A | 9 A | cycles |",
    ] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
    assert!(
        page.contains("| entry | **11** A | **11** A | cycles |"),
        "{page}"
    );
}

#[test]
fn of_what_is_done_in_a_given_time_more_is_better() {
    let often = |kernel, count| Row {
        unit: Unit::Count,
        ..row("tasks/iterations", kernel, count)
    };
    let page = page(vec![often("ours", 9), often("theirs", 4)]);
    assert!(page.contains("| iterations | **9** A | 4 A | count |"), "{page}");
}

/// The worst sample decides, then the mean: the greatest for cycles, the least for counts.
#[test]
fn the_worst_sample_decides_which_row_is_better() {
    let samples = |unit, min, mean, max| Row {
        unit,
        min,
        mean,
        max,
        ..row("tasks/work", "ours", 0)
    };
    for (unit, better, worse) in [
        (Unit::Cycles, (4, 7.0, 8), (1, 2.0, 9)),
        (Unit::Bytes, (4, 6.0, 8), (4, 7.0, 8)),
        (Unit::Count, (4, 5.0, 6), (3, 8.0, 9)),
        (Unit::Count, (4, 6.0, 7), (4, 5.0, 9)),
    ] {
        let [better, worse] = [better, worse].map(|(min, mean, max)| samples(unit, min, mean, max));
        assert!(better.is_better_than(&worse), "{unit}: {better:?}");
        assert!(!worse.is_better_than(&better), "{unit}: {worse:?}");
        assert!(!better.is_better_than(&better), "{unit}: {better:?}");
    }
    let percent = |part| samples(Unit::Percent, part, 0.0, part);
    assert!(!percent(1).is_better_than(&percent(2)) && !percent(2).is_better_than(&percent(1)));
    let theirs = Row {
        kernel: "theirs".to_owned(),
        ..samples(Unit::Count, 3, 8.0, 9)
    };
    let page = page(vec![samples(Unit::Count, 4, 5.0, 6), theirs]);
    assert!(
        page.contains("| work | **4 / 5 / 6** A | 3 / 8 / 9 A | count |"),
        "{page}"
    );
}

/// `a` and `b` have `x`, and `ours` has it as `ours-x`.
#[test]
fn the_best_is_found_among_figures_that_are_alike() {
    let lock = |kernel, cycles| row("tasks/lock", kernel, cycles);
    let entry = |kernel, cycles| row("tasks/entry", kernel, cycles);
    let page = page(vec![
        lock("ours", 3),
        entry("ours", 11),
        lock("a", 9),
        entry("a", 12),
        lock("b", 8),
        lock("ours-x", 6),
        lock("a-without-x", 4),
        lock("b-without-x", 3),
    ]);
    for line in [
        "the best in bold; of a row with and without `x`, the best of each.",
        "| lock | **3** A | 9 A | 8 A | **6** A | 4 A | **3** A | cycles |",
        "| entry | **11** A | 12 A | – | – | – | – | cycles |",
    ] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
}

#[test]
fn what_one_kernel_alone_has_is_not_compared() {
    let one_alone = page(vec![
        row("tasks/lock", "ours", 4),
        row("tasks/lock-with-isb", "ours", 7),
        row("tasks/lock", "theirs", 9),
    ]);
    let (_, compared) = one_alone
        .split_once("kernel by kernel")
        .expect("two kernels are compared");
    let (compared, _) = compared.split_once("What follows").expect("the table ends");
    assert!(!compared.contains("lock-with-isb"), "{compared}");
    assert!(!page(vec![row("tasks/lock", "ours", 4)]).contains("kernel by kernel"));
}

#[test]
fn an_estimate_that_is_the_best_is_still_an_estimate() {
    let estimated = Row {
        evidence: Evidence::D,
        ..row("tasks/lock", "ours", 4)
    };
    let page = page(vec![estimated, row("tasks/lock", "theirs", 9)]);
    assert!(page.contains("| lock | ≈ **4** D | 9 A | cycles |"), "{page}");
}

#[test]
fn of_parts_of_a_hundred_none_is_the_best() {
    let percent = |kernel, part| Row {
        unit: Unit::Percent,
        ..row("tasks/utilisation", kernel, part)
    };
    let page = page(vec![percent("ours", 99), percent("theirs", 49)]);
    assert!(page.contains("| utilisation | 99 A | 49 A | percent |"), "{page}");
}
