//! Tests of the table against the encoding space, against objdump, and against itself.

mod firmware;
mod listing;
mod objdump;
mod properties;
mod samples;
mod space;
