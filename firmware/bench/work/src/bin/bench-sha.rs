//! The work of [`pieces::sha`].

#![no_std]
#![no_main]

bench_work::program!(pieces::sha::work, pieces::sha::EXPECTED);
