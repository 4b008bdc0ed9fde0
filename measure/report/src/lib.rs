//! Results, and the ways to show them.
//!
//! [`Results`] is what was measured, as the JSON format `cyclescope-results/1` has it. [`table`] shows it on a terminal,
//! [`page::page`] as one HTML file, [`markdown`] as the price list that is kept in the repository, cut into [`chapters`], with the picture
//! [`wait_states`] beside it, [`ledger`] as the page of what others published. Nothing here depends on the time, the machine or the
//! directory of a run: the same results give the same bytes.

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
pub mod waves;
mod wrap;

pub use chapters::{CHAPTERS, chapter, chapters};
pub use chart::wait_states;
pub use compared::{Known, compared};
pub use figure::Figure;
pub use ledger::ledger;
pub use markdown::{PICTURE, markdown};
pub use obtained::{Histogram, Obtained, Program};
pub use reference::{Compared, Reference};
pub use results::{Evidence, FORMAT, ReadError, Results, Row, Series, Spread, Unit};
pub use table::table;
pub use timeline::Timeline;
pub use wrap::{WIDTH, beside, wrapped};
