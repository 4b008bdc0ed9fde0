//! What the workloads of the price list must come to, said by the compiler of this computer.

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
