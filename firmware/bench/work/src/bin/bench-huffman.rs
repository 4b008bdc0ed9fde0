//! The work of [`pieces::huffman`].

#![no_std]
#![no_main]

bench_work::program!(pieces::huffman::work, pieces::huffman::EXPECTED);
