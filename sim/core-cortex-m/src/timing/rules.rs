//! What is known of each core's rules, and of a flash interface's: a table for each.

mod flash;
mod m0;
mod m0plus;
mod m3;
mod m4;
mod m4f;

pub(crate) use flash::RULES as FLASH;
pub(crate) use m0::RULES as M0;
pub(crate) use m0plus::RULES as M0PLUS;
pub(crate) use m3::RULES as M3;
pub(crate) use m4::RULES as M4;
pub(crate) use m4f::RULES as M4F;
