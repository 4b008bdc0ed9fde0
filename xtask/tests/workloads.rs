//! Computes, with the host's compiler, the expected results of the price list's workloads and of the programs of `./x speed --count`.

use pieces::{ALL, aes, crc, sha, sort};
use workloads::{mixed, records};

#[test]
fn each_comes_to_what_its_programs_expect_every_time() {
    let (mut work, mut office) = (mixed::Work::new(), records::Office::new());
    for _ in 0..3 {
        assert_eq!(work.iteration(mixed::SEED), mixed::EXPECTED);
        assert_eq!(office.iteration(records::SEED), records::EXPECTED);
    }
}

#[test]
fn another_seed_comes_to_something_else() {
    assert_ne!(mixed::Work::new().iteration(mixed::SEED + 1), mixed::EXPECTED);
    assert_ne!(
        records::Office::new().iteration(records::SEED + 1),
        records::EXPECTED
    );
}

#[test]
fn each_piece_comes_to_what_its_program_expects() {
    let came: Vec<_> = ALL.map(|(name, work, _)| format!("{name} {:#x}", work())).into();
    let expected: Vec<_> = ALL.map(|(name, _, sum)| format!("{name} {sum:#x}")).into();
    assert_eq!(came, expected);
}

#[test]
fn the_vectors_of_the_standards_hold() {
    // FIPS 197, appendix B.
    let key = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
    let mut block = 0x3243_f6a8_885a_308d_3131_98a2_e037_0734_u128.to_be_bytes();
    aes::encrypt(&aes::expand(&key), &mut block);
    assert_eq!(
        u128::from_be_bytes(block),
        0x3925_841d_02dc_09fb_dc11_8597_196a_0b32
    );
    // FIPS 180-4: "abc".
    let mut message = [0; 16];
    (message[0], message[15]) = (0x6162_6380, 24);
    let [first, .., last] = sha::hash(&message);
    assert_eq!([first, last], [0xba78_16bf, 0xf200_15ad]);
    // The check value of CRC-32.
    assert_eq!(crc::checksum(0, b"123456789"), 0xcbf4_3926);
    let mut words = [3, 1, 2, 0, 3];
    sort::sort(&mut words);
    assert_eq!(words, [0, 1, 2, 3, 3]);
}
