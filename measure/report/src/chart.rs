//! An SVG chart of the measurements that grow with a memory's wait states.
//!
//! Rows with a [`Series`](crate::Series) are the points of a line. Each board has a panel. Each line is a band from minimum to maximum
//! with the mean in the middle. The same rows give the same picture, byte for byte.

#![allow(clippy::cast_precision_loss)] // Cycles and numbers of panels, all far below 2^53.

use std::fmt::Write as _;

use crate::matrix::distinct;
use crate::results::Row;

/// Width and height of a panel, in SVG units.
const PANEL: (f64, f64) = (300.0, 250.0);
/// A panel's plot area: left, right, top, bottom.
const INNER: (f64, f64, f64, f64) = (44.0, 286.0, 34.0, 200.0);
/// Panels in a row.
const COLUMNS: usize = 3;
/// One colour per line of a panel; they stay distinct on light and dark backgrounds.
const COLOURS: [&str; 4] = ["#e49444", "#4c78a8", "#5ba35f", "#c23b4b"];

const STYLE: &str = "<style>text { fill: #50555e } .head { font-size: 13px; font-weight: bold } .grid { stroke: #8a8f98; opacity: .4 }
@media (prefers-color-scheme: dark) { text { fill: #c3c8d1 } }</style>\n";

/// A line of the chart.
struct Line<'a> {
    name: &'a str,
    /// Wait states, and the row measured with them, of each point.
    points: Vec<(u32, &'a Row)>,
}

/// The chart, or `None` if no row has a series.
pub fn wait_states<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Option<String> {
    let points: Vec<&Row> = rows.into_iter().filter(|row| point(row).is_some()).collect();
    let boards = distinct(points.iter().map(|row| row.board.as_str()));
    if boards.is_empty() {
        return None;
    }
    let lines = boards.len().div_ceil(COLUMNS);
    let columns = boards.len().min(COLUMNS);
    let (width, height) = (PANEL.0 * columns as f64, PANEL.1 * lines as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"system-ui, sans-serif\" \
         font-size=\"11\">\n<title>Cycles against wait states of the flash, for each board</title>\n{STYLE}"
    );
    for (index, board) in boards.iter().enumerate() {
        let (column, line) = (index % COLUMNS, index / COLUMNS);
        let (x, y) = (PANEL.0 * column as f64, PANEL.1 * line as f64);
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
        panel(&mut svg, board, &of_board(&points, board));
        svg.push_str("</g>\n");
    }
    Some(svg + "</svg>\n")
}

/// Series name and wait states of a row that has both.
fn point(row: &Row) -> Option<(&str, u32)> {
    let series = row.series.as_ref()?;
    Some((&series.name, series.at))
}

fn of_board<'a>(points: &[&'a Row], board: &str) -> Vec<Line<'a>> {
    let here: Vec<(&str, u32, &Row)> = points
        .iter()
        .filter(|row| row.board == board)
        .filter_map(|row| point(row).map(|(name, states)| (name, states, *row)))
        .collect();
    let line = |name| {
        let mut points: Vec<_> = here
            .iter()
            .filter(|(of, ..)| *of == name)
            .map(|(_, states, row)| (*states, *row))
            .collect();
        points.sort_by_key(|(states, _)| *states);
        Line { name, points }
    };
    distinct(here.iter().map(|(name, ..)| *name))
        .into_iter()
        .map(line)
        .collect()
}

/// Maps figures to coordinates in a panel.
struct Scale {
    states: f64,
    cycles: f64,
}

impl Scale {
    fn of(lines: &[Line<'_>]) -> Scale {
        let points = || lines.iter().flat_map(|line| &line.points);
        let states = points().map(|(states, _)| *states).max().unwrap_or(0).max(1);
        let most = points().map(|(_, row)| row.max).max().unwrap_or(0).max(1);
        Scale {
            states: f64::from(states),
            cycles: (most as f64 / step(most)).ceil() * step(most),
        }
    }

    fn x(&self, states: f64) -> f64 {
        INNER.0 + (INNER.1 - INNER.0) * states / self.states
    }

    fn y(&self, cycles: f64) -> f64 {
        INNER.3 - (INNER.3 - INNER.2) * cycles / self.cycles
    }
}

/// The distance between tick marks on the vertical axis: 1, 2 or 5 times a power of ten, for four to ten ticks.
fn step(most: i64) -> f64 {
    let mut step = 1.0;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if most as f64 <= 8.0 * step {
            break;
        }
        step *= factor;
    }
    step
}

fn panel(svg: &mut String, board: &str, lines: &[Line<'_>]) {
    let scale = Scale::of(lines);
    axes(svg, &scale, lines);
    let _ = writeln!(
        svg,
        "<text class=\"head\" x=\"{}\" y=\"18\">{board}: cycles by wait states</text>",
        INNER.0
    );
    for (index, line) in lines.iter().enumerate() {
        draw(svg, &scale, line, COLOURS[index % COLOURS.len()]);
        let (x, y) = (
            INNER.0 + 120.0 * (index % 2) as f64,
            INNER.3 + 32.0 + 14.0 * (index / 2) as f64,
        );
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{}\" y=\"{y}\" \
            >{}</text>",
            y - 9.0,
            COLOURS[index % COLOURS.len()],
            x + 14.0,
            line.name
        );
    }
}

fn axes(svg: &mut String, scale: &Scale, lines: &[Line<'_>]) {
    let step = step(scale.cycles as i64);
    let mut at = 0.0;
    while at <= scale.cycles {
        let y = scale.y(at);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{}\" y1=\"{y:.1}\" x2=\"{}\" y2=\"{y:.1}\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{at}</text>",
            INNER.0,
            INNER.1,
            INNER.0 - 5.0,
            y + 4.0
        );
        at += step;
    }
    let states = lines
        .iter()
        .flat_map(|line| line.points.iter().map(|(states, _)| *states));
    for states in distinct(states) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{states}</text>",
            scale.x(f64::from(states)),
            INNER.3 + 14.0
        );
    }
}

fn draw(svg: &mut String, scale: &Scale, line: &Line<'_>, colour: &str) {
    let place =
        |states: u32, cycles: f64| format!("{:.1},{:.1}", scale.x(f64::from(states)), scale.y(cycles));
    let there = line
        .points
        .iter()
        .map(|(states, row)| place(*states, row.max as f64));
    let back = line
        .points
        .iter()
        .rev()
        .map(|(states, row)| place(*states, row.min as f64));
    let band: Vec<String> = there.chain(back).collect();
    let means: Vec<String> = line
        .points
        .iter()
        .map(|(states, row)| place(*states, row.mean))
        .collect();
    let _ = writeln!(
        svg,
        "<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.2\"/>\n\
         <polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        band.join(" "),
        means.join(" ")
    );
}
