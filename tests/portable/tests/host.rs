//! The text that other machines' results are compared with.

use std::path::Path;

#[test]
fn results_without_files_are_those_that_are_kept() {
    let text = portable::text();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("results.txt");
        std::fs::write(file, text).unwrap();
        return;
    }
    assert_eq!(text, portable::EXPECTED, "UPDATE_GOLDEN=1 keeps what it is now");
}
