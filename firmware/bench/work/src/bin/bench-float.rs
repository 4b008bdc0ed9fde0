//! The work of [`pieces::float`].

#![no_std]
#![no_main]

bench_work::program!(pieces::float::work, pieces::float::EXPECTED);
