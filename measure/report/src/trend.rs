//! A page of results kept over commits: a line for each row, with its steps and what caused them.
//!
//! The same results give the same page, byte for byte.

#![allow(clippy::cast_precision_loss)] // Cycles and numbers of commits, all far below 2^53.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::blame::{Classes, sign_of};
use crate::difference::{blamed, reasons, sample};
use crate::figure::short;
use crate::results::{Row, Unit};

/// The results of one commit.
#[derive(Clone, PartialEq, Debug)]
pub struct Kept {
    /// The commit's name.
    pub commit: String,
    /// The rows measured for it.
    pub rows: Vec<Row>,
}

/// Width and height of a row's line in SVG units, and the room around it.
const SIZE: (f64, f64) = (720.0, 96.0);
const MARGIN: f64 = 14.0;

const STYLE: &str = "body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d2127; background: #fff }
h2 { font-size: 1.05rem; margin: 2rem 0 .25rem } p { margin: .25rem 0 } svg { width: 100%; height: auto } ol { padding-left: 1.5rem }
code { font-size: .9em; overflow-wrap: anywhere } .line { fill: none; stroke: #2f6db3; stroke-width: 2 } .more { fill: #b3261e } .less { fill: #1e7d34 }
@media (prefers-color-scheme: dark) { body { color: #e3e6ea; background: #15181c } .line { stroke: #7fb0ea } .more { fill: #ff8a80 } .less { fill: #7ddb94 } }";

/// A point at which a row's figure differs from the one before.
struct Step<'a> {
    /// The number of the results in which it shows.
    at: usize,
    old: &'a Row,
    new: &'a Row,
}

/// The page of these results, the oldest first. `classes` gives the rule classes of a core.
pub fn trend(all: &[Kept], classes: &dyn Fn(&str) -> Classes) -> String {
    let commits = match all {
        [] => "no results".to_owned(),
        [one] => format!("the results of {}", one.commit),
        [first, .., last] => format!(
            "the results of {} commits, from {} to {}",
            all.len(),
            first.commit,
            last.commit
        ),
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Cycles over commits</title>\n<style>\n{STYLE}\n</style>\n<main>\n<h1>Cycles over commits</h1>\n<p>{}</p>\n",
        escaped(&commits)
    );
    for row in rows(all) {
        section(&mut page, all, row, classes);
    }
    page + "</main>\n</html>\n"
}

/// Each measurement once, as it is in the latest results that have it, in the order of their names.
fn rows(all: &[Kept]) -> Vec<&Row> {
    let mut latest: HashMap<_, &Row> = HashMap::new();
    for row in all.iter().flat_map(|kept| &kept.rows) {
        latest.insert(row.key(), row);
    }
    let mut rows: Vec<_> = latest.into_iter().collect();
    rows.sort_by_key(|(key, _)| *key);
    rows.into_iter().map(|(_, row)| row).collect()
}

fn section(page: &mut String, all: &[Kept], row: &Row, classes: &dyn Fn(&str) -> Classes) {
    let here = |kept: &'_ Kept| kept.rows.iter().position(|other| other.is_of(row));
    let points: Vec<(usize, &Row)> = (0..)
        .zip(all)
        .filter_map(|(at, kept)| Some((at, &kept.rows[here(kept)?])))
        .filter(|(_, other)| other.unit == row.unit)
        .collect();
    let steps: Vec<Step<'_>> = points
        .windows(2)
        .filter(|pair| figure(pair[0].1) != figure(pair[1].1))
        .map(|pair| Step {
            at: pair[1].0,
            old: pair[0].1,
            new: pair[1].1,
        })
        .collect();
    // Writing to a string cannot fail, here and below.
    let _ = write!(
        page,
        "<section>\n<h2>{}</h2>\n<p>{} {}</p>\n",
        escaped(&row.title()),
        words(row),
        row.unit
    );
    line(page, all, &points, &steps);
    if !steps.is_empty() {
        page.push_str("<ol>\n");
        for step in steps.iter().rev() {
            entry(page, all, step, classes);
        }
        page.push_str("</ol>\n");
    }
    page.push_str("</section>\n");
}

/// The greatest sample, and the mean if it is another.
fn words(row: &Row) -> String {
    if short(row.mean) == row.max.to_string() {
        row.max.to_string()
    } else {
        format!("at most {}, {} on average", row.max, short(row.mean))
    }
}

/// The figures of which a change is a step.
fn figure(row: &Row) -> (i64, String) {
    (row.max, short(row.mean))
}

/// The row's greatest sample over the commits as a line, with a mark at each step.
fn line(page: &mut String, all: &[Kept], points: &[(usize, &Row)], steps: &[Step<'_>]) {
    let figures = || points.iter().map(|(_, row)| row.max);
    let (least, most) = (figures().min().unwrap_or(0), figures().max().unwrap_or(0));
    let (width, height) = SIZE;
    let x = |at: usize| MARGIN + (width - 2.0 * MARGIN) * at as f64 / (all.len().max(2) - 1) as f64;
    let y = |value: i64| {
        let share = if most == least {
            0.5
        } else {
            (value - least) as f64 / (most - least) as f64
        };
        height - MARGIN - (height - 2.0 * MARGIN) * share
    };
    let mut path = String::new();
    for (index, (at, row)) in points.iter().enumerate() {
        let (x, y) = (x(*at), y(row.max));
        let _ = match index {
            0 => write!(path, "M{x:.1} {y:.1}H{:.1}", x + 2.0),
            _ => write!(path, "H{x:.1}V{y:.1}"),
        };
    }
    let label = format!(
        "from {least} to {most} over {} commits, with {} steps",
        points.len(),
        steps.len()
    );
    let _ = writeln!(
        page,
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\"><path class=\"line\" d=\"{path}\"/>"
    );
    for step in steps {
        let class = if growth(step) > 0.0 { "more" } else { "less" };
        let _ = writeln!(
            page,
            "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\"><title>{}: {}</title></circle>",
            x(step.at),
            y(step.new.max),
            escaped(&all[step.at].commit),
            change(step)
        );
    }
    page.push_str("</svg>\n");
}

/// How much more the row costs after a step: by its greatest sample, or by its mean if that is the same.
fn growth(step: &Step<'_>) -> f64 {
    match step.new.max - step.old.max {
        0 => step.new.mean - step.old.mean,
        by => by as f64,
    }
}

fn change(step: &Step<'_>) -> String {
    let Step { old, new, .. } = step;
    let by = sign_of(growth(step));
    if new.max == old.max {
        format!("{} → {} ({by}) on average", short(old.mean), short(new.mean))
    } else {
        format!("{} → {} ({by})", old.max, new.max)
    }
}

/// A step in words: the commit, the figures, and the reasons.
fn entry(page: &mut String, all: &[Kept], step: &Step<'_>, classes: &dyn Fn(&str) -> Classes) {
    let unit: Unit = step.new.unit;
    let _ = write!(
        page,
        "<li><b>{}</b>: {} {unit}",
        escaped(&all[step.at].commit),
        change(step)
    );
    let blame = blamed(
        step.old,
        step.new,
        sample(step.old, step.new),
        &classes(&step.new.core),
    );
    for reason in reasons(blame.as_ref()) {
        let _ = write!(page, "<br><code>{}</code>", escaped(&reason));
    }
    page.push_str("</li>\n");
}

fn escaped(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(max: i64, mean: f64) -> Row {
        let text = format!(
            r#"{{"id":"app/<w>","board":"b","core":"m","kernel":"none","unit":"cycles","count":2,"min":1,"mean":{mean:?},"max":{max},
            "own":1,"preempted":0,"blocked":0,"evidence":"A"}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn each_step_is_marked_with_its_commit() {
        let kept = |(commit, max, mean): (&str, i64, f64)| Kept {
            commit: commit.to_owned(),
            rows: vec![row(max, mean)],
        };
        let mut all: Vec<Kept> = [
            ("a1", 10, 10.0),
            ("b2", 10, 10.0),
            ("c3", 12, 10.5),
            ("d4", 12, 10.25),
        ]
        .map(kept)
        .into();
        // A commit without the row is passed over.
        all.insert(
            2,
            Kept {
                commit: "none".to_owned(),
                rows: Vec::new(),
            },
        );
        let page = trend(&all, &|_| Classes::new());
        assert_eq!(page.matches("<circle").count(), 2, "{page}");
        for says in [
            "<h2>app/&lt;w> on b</h2>",
            "<li><b>c3</b>: 10 → 12 (+2) cycles",
            "<li><b>d4</b>: 10.5 → 10.25 (-0.25) on average cycles",
            "the results of 5 commits, from a1 to d4",
            "from 10 to 12 over 4 commits, with 2 steps",
        ] {
            assert!(page.contains(says), "{says}: {page}");
        }
        assert!(
            page.find("<b>d4</b>") < page.find("<b>c3</b>"),
            "the latest first"
        );
        for few in [0, 1] {
            assert!(trend(&all[..few], &|_| Classes::new()).ends_with("</html>\n"));
        }
    }
}
