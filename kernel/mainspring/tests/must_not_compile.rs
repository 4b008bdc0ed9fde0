//! Programs that must not compile, each with the message that its author gets.
//!
//! `TRYBUILD=overwrite cargo test -p mainspring --test must_not_compile` writes the messages anew; read them before
//! committing: a person must be able to act on each.

#[test]
fn and_says_why() {
    let cases = trybuild::TestCases::new();
    // A program that does compile makes trybuild build the others to the end: some checks depend on which types meet.
    cases.pass("tests/must-compile/*.rs");
    cases.compile_fail("tests/must-not-compile/*.rs");
}
