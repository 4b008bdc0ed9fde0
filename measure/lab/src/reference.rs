//! Compares a spec's rows with figures from another run: `rtl = "FILE"` names the results of `--backend rtl`.

use std::path::Path;

use machine::host::{Files, read_made};
use report::{Figure, Reference, Results, Row};

use crate::diagnostic::Result;
use crate::spec::Spec;

/// Gives each row the figure of the same id, kernel, board and unit in the spec's reference file.
///
/// # Errors
///
/// If the file is missing or holds no results.
pub(crate) fn compare(spec: &Spec, files: &dyn Files, rows: &mut [Row]) -> Result<()> {
    let Some(name) = &spec.rtl else { return Ok(()) };
    let path = Path::new(&spec.source.path).with_file_name(&name.value);
    let wrong = |what: String| {
        let title = format!("`{}`: {what}", path.display());
        spec.mistake(title, &name.range, "")
            .help("`./x rtl` measures it on the Verilog and writes it")
    };
    let text = read_made(files, &path).map_err(|error| wrong(error.to_string()))?;
    let reference = Results::from_json(&text).map_err(|error| wrong(error.to_string()))?;
    for row in rows {
        if let Some(other) = same(row, &reference.results) {
            row.published = Some(figure(other.mean));
            row.reference = Reference::Verilog;
            row.source.clone_from(&other.source);
        }
    }
    Ok(())
}

/// Gives each row the figure of the same id, kernel, board and unit in `others`, or none.
pub fn beside(rows: &mut [Row], others: &[Row]) {
    for row in rows {
        let other = same(row, others);
        row.published = other.map(|other| figure(other.mean));
        row.source = other.and_then(|other| other.source.clone());
        row.weigh();
    }
}

fn same<'a>(row: &Row, others: &'a [Row]) -> Option<&'a Row> {
    others
        .iter()
        .find(|other| other.is_of(row) && other.unit == row.unit)
}

#[allow(clippy::cast_possible_truncation)] // it is whole, and far below 2^53
fn figure(mean: f64) -> Figure {
    if mean.fract() == 0.0 {
        Figure::Whole(mean as i64)
    } else {
        Figure::Real(mean)
    }
}
