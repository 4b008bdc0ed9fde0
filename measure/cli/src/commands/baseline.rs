//! `cyclescope baseline`: saves results as a baseline for later comparisons.

use std::collections::HashMap;
use std::path::PathBuf;

use lab::diagnostic::Result;
use report::Row;

use super::{Ending, common, gate};

/// Keep results as the baseline of later ones, or renew it: a file to check in.
///
/// Rows of the baseline that the results do not have stay, unless `--only` is given.
#[derive(clap::Args, Debug)]
pub(super) struct BaselineArgs {
    /// Results that `--json` of another command wrote.
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,
    /// The baseline.
    #[arg(long, value_name = "FILE", default_value = "cyclescope-baseline.json")]
    baseline: PathBuf,
    /// Leave out what the results do not have.
    #[arg(long)]
    only: bool,
}

impl BaselineArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let new = gate::rows(&self.results)?;
        // A device or pipe holds no earlier rows.
        let mut all = if self.baseline.is_file() && !self.only {
            common::results(&self.baseline)?.results
        } else {
            Vec::new()
        };
        let (mut added, mut renewed) = (0, 0);
        let key = |row: &Row| (row.id.clone(), row.board.clone(), row.kernel.clone());
        let mut places: HashMap<_, usize> = all.iter().map(key).zip(0..).collect();
        for row in new {
            if let Some(&place) = places.get(&key(&row)) {
                renewed += usize::from(!all[place].says_the_same(&row));
                all[place] = row;
            } else {
                places.insert(key(&row), all.len());
                all.push(row);
                added += 1;
            }
        }
        common::write_json(Some(&self.baseline), &all)?;
        let path = self.baseline.display();
        let rows = if all.len() == 1 { "row" } else { "rows" };
        let done = format!("{path}: {} {rows}, {added} new, {renewed} renewed\n", all.len());
        common::show(&done, &[Some(&self.baseline)])?;
        Ok(Ending::default())
    }
}
