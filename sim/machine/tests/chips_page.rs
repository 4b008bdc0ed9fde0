//! Checks that the table of devices in `docs/chips.md` is the one that the devices give.

use std::fmt::Write as _;
use std::path::Path;

use machine::{DeviceKind, device_kinds};

const BEGIN: &str = "<!-- devices: UPDATE_DOCS=1 cargo test -p cyclescope-machine --test chips_page -->\n";
const END: &str = "<!-- /devices -->\n";

#[test]
fn the_table_of_devices_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/chips.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("where the table begins");
    let (table, after) = rest.split_once(END).expect("where the table ends");
    let current = written();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{current}{END}{after}")).unwrap();
        return;
    }
    assert!(
        table == current,
        "{} is stale: run with UPDATE_DOCS=1",
        path.display()
    );
}

#[test]
fn every_kind_says_what_it_models_and_where_that_is_from() {
    for DeviceKind { name, about, .. } in device_kinds() {
        assert!(!about.source.is_empty() && !about.models.is_empty(), "{name}");
        let texts = [about.source, about.models, about.omits].join("");
        assert!(
            !texts.contains('|') && !texts.contains('\n'),
            "{name}: a cell of a table"
        );
    }
}

/// The table, with kinds that differ in their layout alone in one row.
fn written() -> String {
    let mut table = String::from(
        "\n| kind in the file | from | mark | what it does | what it does not | stops the run |\n|---|---|---|---|---|---|\n",
    );
    let mut kinds: Vec<_> = device_kinds().collect();
    kinds.sort_by_key(|kind| kind.name);
    for alike in kinds.chunk_by(|one, other| one.about == other.about) {
        let names: Vec<_> = alike.iter().map(|kind| format!("`{}`", kind.name)).collect();
        let DeviceKind { about, refused, .. } = &alike[0];
        writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} |",
            names.join(", "),
            about.source,
            about.mark.name(),
            about.models,
            about.omits,
            refused.join("; ")
        )
        .unwrap();
    }
    table.push('\n');
    table
}
