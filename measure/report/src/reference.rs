//! The figures that rows are compared with, and how many rows match theirs.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::results::Row;

/// The chip and program of a row's published figure.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reference {
    /// The same program on the same chip, measured by others. A difference is an error of the model or of that figure.
    #[default]
    Same,
    /// The same program on another chip.
    OtherChip,
    /// Another program for the same purpose. No difference is shown: it would be that of the programs.
    OtherProgram,
    /// Our own run of the same program on the core's Verilog.
    Verilog,
}

impl Reference {
    /// Every reference with its name in specs, except the Verilog, which `rtl` names.
    pub const NAMED: [(&'static str, Reference); 3] = [
        ("same", Reference::Same),
        ("other-chip", Reference::OtherChip),
        ("other-program", Reference::OtherProgram),
    ];

    /// Whether this is the default, which reports do not mention.
    #[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
    pub(crate) fn is_same(&self) -> bool {
        *self == Reference::Same
    }
}

/// How many rows are compared with which reference, and how many match.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Compared {
    /// All rows.
    pub rows: usize,
    /// Rows with a figure published by others.
    pub others: usize,
    /// Those of `others` that match exactly.
    pub others_met: usize,
    /// Those of `others` whose figure is of another program; they are not compared.
    pub other_programs: usize,
    /// Rows compared with our own run of the core's Verilog.
    pub verilog: usize,
    /// Those of `verilog` that match exactly.
    pub verilog_met: usize,
}

impl Compared {
    /// Counts these rows.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Compared {
        let mut all = Compared::default();
        for row in rows {
            let (is_met, is_there) = (
                usize::from(row.difference() == Some(0.0)),
                row.published.is_some(),
            );
            all.rows += 1;
            match row.reference {
                _ if !is_there => {}
                Reference::Verilog => {
                    all.verilog += 1;
                    all.verilog_met += is_met;
                }
                Reference::OtherProgram => {
                    all.others += 1;
                    all.other_programs += 1;
                }
                Reference::Same | Reference::OtherChip => {
                    all.others += 1;
                    all.others_met += is_met;
                }
            }
        }
        all
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} measured", self.rows)?;
        if self.others > 0 {
            write!(
                f,
                "; {} of {} figures that others published met exactly",
                self.others_met, self.others
            )?;
        }
        if self.other_programs > 0 {
            write!(f, ", {} of them are of other programs", self.other_programs)?;
        }
        if self.verilog > 0 {
            write!(
                f,
                "; {} of {} runs of the core's Verilog met exactly",
                self.verilog_met, self.verilog
            )?;
        }
        Ok(())
    }
}
