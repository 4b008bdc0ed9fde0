//! The work of [`pieces::matrix`].

#![no_std]
#![no_main]

bench_work::program!(pieces::matrix::work, pieces::matrix::EXPECTED);
