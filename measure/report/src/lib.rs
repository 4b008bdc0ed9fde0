//! Measurement results and their output formats.
//!
//! [`Results`] holds the measurements in the JSON format `cyclescope-results/1`. [`table`] prints them on a terminal, [`page::page`]
//! writes one HTML file, [`markdown`] writes the price list that is kept in the repository, [`chapters`] splits that list,
//! [`wait_states`] draws its picture, and [`ledger`] writes the page of published figures. Nothing here depends on the time, the machine
//! or the working directory: the same results give the same bytes.

pub mod blame;
mod chapters;
mod chart;
mod compared;
mod comparison;
pub mod difference;
mod figure;
pub mod gate;
mod ledger;
pub mod libtest;
mod markdown;
mod matrix;
mod obtained;
pub mod origin;
pub mod page;
pub mod perfetto;
pub mod profile;
mod reference;
mod results;
mod sheet;
mod table;
pub mod timeline;
pub mod trend;
pub mod waves;
mod wrap;

pub use chapters::{CHAPTERS, chapter, chapters};
pub use chart::wait_states;
pub use compared::{Known, compared};
pub use figure::Figure;
pub use ledger::ledger;
pub use markdown::{PICTURE, markdown};
pub use obtained::{Histogram, Obtained, Program, StackFrame};
pub use reference::{Compared, Reference};
pub use results::{Evidence, FORMAT, ReadError, Results, Row, Series, Spread, Unit};
pub use table::table;
pub use timeline::Timeline;
pub use wrap::{WIDTH, beside, wrapped};
