//! Ed25519 by `salty`: the two operations whose cycles its authors publish, each between two breakpoints.
//!
//! Arithmetic in the field is assembly that comes assembled with the crate; the rest is Rust. Key and signature are those
//! of RFC 8032 7.3 (Ed25519ph), so that a wrong result fails.

#![no_std]
#![no_main]

use cortex_m::asm::bkpt;
use cortex_m_rt::entry;
use hex_literal::hex;
use salty::{Keypair, Signature};

const SECRET: [u8; 32] = hex!("833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42");
const PUBLIC: [u8; 32] = hex!("ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf");
/// SHA-512 of "abc".
const HASH: [u8; 64] = hex!(
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
);
const SIGNATURE: [u8; 64] = hex!(
    "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae41"
    "31f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406"
);

#[entry]
fn main() -> ! {
    let pair = Keypair::from(&SECRET);
    bkpt();
    let signature = pair.sign_prehashed(&HASH, None);
    bkpt();
    let valid = pair.public.verify_prehashed(&HASH, &signature, None);
    bkpt();
    let mut other = SIGNATURE;
    other[0] ^= 1;
    let other = pair
        .public
        .verify_prehashed(&HASH, &Signature::from(&other), None);
    let right = *pair.public.as_bytes() == PUBLIC && signature.to_bytes() == SIGNATURE;
    if right && valid.is_ok() && other.is_err() {
        rt::exit()
    } else {
        rt::fail()
    }
}
