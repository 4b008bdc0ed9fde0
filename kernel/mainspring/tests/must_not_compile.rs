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

/// `must-compile/guide.rs` has every example of the guide, so that all of them compile: line by line, but for comments, spaces and
/// what an example leaves out (`…`).
#[test]
fn so_do_the_examples_of_the_guide() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let program =
        bare(&std::fs::read_to_string(folder.join("tests/must-compile/guide.rs")).expect("beside this"));
    let (mut pages, mut examples) = (0, 0);
    for page in folder.join("../../docs/guide").read_dir().expect("the guide") {
        let page = page.expect("a page").path();
        // Processes are compiled for chips alone: their programs are in the firmware.
        if page.extension().is_none_or(|kind| kind != "md") || page.ends_with("processes.md") {
            continue;
        }
        let text = std::fs::read_to_string(&page).expect("a text");
        pages += 1;
        for block in text.split("```rust\n").skip(1) {
            let block = block.split("```").next().unwrap_or_default();
            // The other kernel's.
            if block.contains("rtic::app") {
                continue;
            }
            examples += 1;
            for paragraph in block.split("\n\n") {
                let bare = bare(paragraph);
                let missing = bare.split('…').find(|part| !program.contains(part));
                assert!(
                    missing.is_none(),
                    "{}: not in tests/must-compile/guide.rs:\n{paragraph}",
                    page.display()
                );
            }
        }
    }
    assert!(pages > 10 && examples > 12, "{pages} pages, {examples} examples");
}

/// Without comments, spaces, and attributes that are for readers.
fn bare(text: &str) -> String {
    text.lines()
        .flat_map(|line| line.split("//").next().unwrap_or_default().split_whitespace())
        .collect()
}
