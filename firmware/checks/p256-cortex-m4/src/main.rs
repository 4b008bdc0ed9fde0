//! P-256 by `p256-cortex-m4`: the operations whose cycles its authors publish, each between two breakpoints.
//!
//! Nearly all of the work is assembly written by hand, which no compiler's version changes. Keys, nonce and signature are
//! those of RFC 6979 A.2.5, so that a wrong result fails; and what the bindings make of it has to agree.

#![no_std]
#![no_main]

use core::ptr;

use cortex_m::asm::bkpt;
use cortex_m_rt::entry;
use hex_literal::hex;
use p256_cortex_m4_sys as p256;

/// A number of 256 bits, the lowest word first.
type Number = [u32; 8];

const SECRET: [u8; 32] = hex!("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721");
const PUBLIC: [u8; 64] = hex!(
    "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
    "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
);
const NONCE: [u8; 32] = hex!("a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60");
/// SHA-256 of "sample".
const HASH: [u8; 32] = hex!("af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf");
const SIGNATURE: [u8; 64] = hex!(
    "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
);

#[entry]
fn main() -> ! {
    if all_right() { rt::exit() } else { rt::fail() }
}

fn all_right() -> bool {
    let (secret, nonce) = (number(&SECRET), number(&NONCE));
    let (made, [x, y]) = key(&secret);
    let (signed, [r, s]) = sign(&secret, &nonce);
    made && signed
        && [bytes(&x), bytes(&y)].as_flattened() == PUBLIC
        && [bytes(&r), bytes(&s)].as_flattened() == SIGNATURE
        && verify(&x, &y, &r, &s)
        && agree(&secret, &nonce, [&x, &y])
        && decompress(&x, &y)
        && bindings_agree()
}

fn key(secret: &Number) -> (bool, [Number; 2]) {
    let (mut x, mut y) = (Number::default(), Number::default());
    bkpt();
    // SAFETY: here and below, each pointer is to an array of the length that the function's documentation asks for.
    let made = unsafe { p256::p256_keygen(x.as_mut_ptr(), y.as_mut_ptr(), secret.as_ptr()) };
    bkpt();
    (made, [x, y])
}

fn sign(secret: &Number, nonce: &Number) -> (bool, [Number; 2]) {
    let (mut r, mut s) = (Number::default(), Number::default());
    bkpt();
    // SAFETY: see above.
    let signed = unsafe {
        p256::p256_sign(
            r.as_mut_ptr(),
            s.as_mut_ptr(),
            HASH.as_ptr(),
            32,
            secret.as_ptr(),
            nonce.as_ptr(),
        )
    };
    bkpt();
    (signed, [r, s])
}

fn verify(x: &Number, y: &Number, r: &Number, s: &Number) -> bool {
    bkpt();
    // SAFETY: see above.
    let valid =
        unsafe { p256::p256_verify(x.as_ptr(), y.as_ptr(), HASH.as_ptr(), 32, r.as_ptr(), s.as_ptr()) };
    bkpt();
    valid
}

/// Both sides come to the same secret.
fn agree(mine: &Number, theirs: &Number, [x, y]: [&Number; 2]) -> bool {
    let (mut their_x, mut their_y) = (Number::default(), Number::default());
    // SAFETY: see above.
    let made = unsafe { p256::p256_keygen(their_x.as_mut_ptr(), their_y.as_mut_ptr(), theirs.as_ptr()) };
    let (mut here, mut there) = ([0; 32], [0; 32]);
    bkpt();
    // SAFETY: see above.
    let agreed = unsafe {
        p256::p256_ecdh_calc_shared_secret(
            here.as_mut_ptr(),
            mine.as_ptr(),
            their_x.as_ptr(),
            their_y.as_ptr(),
        )
    };
    bkpt();
    // SAFETY: see above.
    let agreed_too = unsafe {
        p256::p256_ecdh_calc_shared_secret(there.as_mut_ptr(), theirs.as_ptr(), x.as_ptr(), y.as_ptr())
    };
    made && agreed && agreed_too && here == there
}

fn decompress(x: &Number, y: &Number) -> bool {
    let (mut found_x, mut found_y) = (Number::default(), Number::default());
    let mut compressed = [2; 33];
    compressed[1..].copy_from_slice(&PUBLIC[..32]);
    compressed[0] += PUBLIC[63] & 1;
    bkpt();
    // SAFETY: see above.
    let valid = unsafe {
        p256::p256_octet_string_to_point(
            found_x.as_mut_ptr(),
            found_y.as_mut_ptr(),
            compressed.as_ptr(),
            33,
        )
    };
    bkpt();
    valid && (found_x, found_y) == (*x, *y)
}

/// The safe interface on top finds the signature right, and another one wrong.
fn bindings_agree() -> bool {
    use p256_cortex_m4::{PublicKey, Signature};
    let mut other = SIGNATURE;
    other[63] ^= 1;
    let (Ok(key), Ok(signature), Ok(other)) = (
        PublicKey::from_untagged_bytes(&PUBLIC),
        Signature::from_untagged_bytes(&SIGNATURE),
        Signature::from_untagged_bytes(&other),
    ) else {
        return false;
    };
    key.verify_prehashed(&HASH, &signature) && !key.verify_prehashed(&HASH, &other)
}

/// From the bytes of a number, the highest first.
fn number(bytes: &[u8; 32]) -> Number {
    let mut words = Number::default();
    for (word, bytes) in words.iter_mut().rev().zip(bytes.as_chunks().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

fn bytes(words: &Number) -> [u8; 32] {
    let mut bytes = [0; 32];
    // SAFETY: both are 32 bytes.
    unsafe {
        p256::p256_convert_endianness(ptr::from_mut(&mut bytes).cast(), words.as_ptr().cast(), 32);
    }
    bytes
}
