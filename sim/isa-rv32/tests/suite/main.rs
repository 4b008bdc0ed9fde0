//! Tests the table against the encoding space and GNU objdump.

mod listing;
mod meaning;
mod objdump;
mod samples;
mod space;
