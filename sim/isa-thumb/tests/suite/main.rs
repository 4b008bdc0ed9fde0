//! Tests of the table against the encoding space, against objdump, and against itself.

mod assembler;
mod firmware;
mod listing;
mod meaning;
mod objdump;
mod properties;
mod samples;
mod space;
mod unpredictable;
