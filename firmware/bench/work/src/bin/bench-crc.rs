//! The work of [`pieces::crc`].

#![no_std]
#![no_main]

bench_work::program!(pieces::crc::work, pieces::crc::EXPECTED);
