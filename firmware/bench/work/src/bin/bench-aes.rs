//! The work of [`pieces::aes`].

#![no_std]
#![no_main]

bench_work::program!(pieces::aes::work, pieces::aes::EXPECTED);
