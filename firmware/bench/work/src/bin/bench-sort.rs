//! The work of [`pieces::sort`].

#![no_std]
#![no_main]

bench_work::program!(pieces::sort::work, pieces::sort::EXPECTED);
