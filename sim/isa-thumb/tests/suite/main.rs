//! Tests the table against the encoding space, objdump, and itself.

mod assembler;
mod firmware;
mod listing;
mod meaning;
mod objdump;
mod properties;
mod samples;
mod space;
mod unpredictable;
