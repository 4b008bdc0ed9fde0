//! Rows that are differences between two spans.
//!
//! `minus = "group/base"` in a span subtracts the row of that id with the same kernel and board, figure by figure. So the cost of an
//! access is a program's time with it, minus the time of the same program without it.

use report::Row;

use crate::diagnostic::Diagnostic;
use crate::measure::{Outcome, exceeded};
use crate::spec::{Program, SpanSpec, Spec};

/// Subtracts the base rows that the spans of `program` name, found in `before` or earlier in `outcome`, and then checks the differences
/// against their limits.
pub(crate) fn take_off(spec: &Spec, program: &Program, before: &[Row], outcome: &mut Outcome) {
    for span in program.spans.iter().filter(|span| span.minus.is_some()) {
        let Some(at) = outcome
            .rows
            .iter()
            .position(|row| is_of(row, &span.id.value, span))
        else {
            continue; // Not measured; a message says why.
        };
        match base(span, &outcome.rows[at].board, before, &outcome.rows[..at]) {
            Some(base) if base.unit == outcome.rows[at].unit => {
                less(&mut outcome.rows[at], &base);
                outcome
                    .messages
                    .extend(exceeded(spec, span, &outcome.rows[at], None));
            }
            base => {
                let row = outcome.rows.remove(at);
                outcome
                    .messages
                    .extend(not_subtracted(spec, span, &row, base.as_ref()));
            }
        }
    }
}

fn is_of(row: &Row, id: &str, span: &SpanSpec) -> bool {
    row.id == id && row.kernel == span.kernel
}

fn base(span: &SpanSpec, board: &str, before: &[Row], in_front: &[Row]) -> Option<Row> {
    let minus = &span.minus.as_ref()?.value;
    before
        .iter()
        .chain(in_front)
        .find(|row| is_of(row, minus, span) && row.board == board)
        .cloned()
}

/// Why nothing was subtracted from a row: the base is missing, or has another unit.
fn not_subtracted(spec: &Spec, span: &SpanSpec, row: &Row, base: Option<&Row>) -> Option<Diagnostic> {
    let minus = span.minus.as_ref()?;
    let (id, other) = (&span.id.value, &minus.value);
    let title = match base {
        None => format!("{id} is not measured, because `{other}` is not"),
        Some(base) => format!("{id} is in {}, and `{other}` in {}", row.unit, base.unit),
    };
    Some(spec.mistake(title, &minus.range, "should be subtracted"))
}

fn less(row: &mut Row, base: &Row) {
    row.min -= base.min;
    row.mean -= base.mean;
    row.max -= base.max;
    row.own -= base.own;
    row.preempted -= base.preempted;
    row.blocked -= base.blocked;
    if base.evidence > row.evidence {
        row.obtained.weakest.clone_from(&base.obtained.weakest);
    }
    row.evidence = row.evidence.max(base.evidence);
    // Samples of two programs cannot be paired.
    row.obtained.histogram = None;
    // Clocks may differ from call to call, so times cannot be subtracted.
    row.time_us = None;
}
