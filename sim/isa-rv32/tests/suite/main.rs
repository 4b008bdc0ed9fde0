//! Tests of the table against the encoding space, and against GNU objdump.

mod listing;
mod meaning;
mod objdump;
mod samples;
mod space;
