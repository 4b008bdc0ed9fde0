//! Checks the compiler flags of the compared kernels on `docs/guide/compared.md`: C flags from the programs' debug information, Rust
//! flags from the manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use object::{Object, ObjectSection};
use xtask::{firmware, root};

const BEGIN: &str =
    "<!-- Flags: made by `UPDATE_DOCS=1 cargo test -p xtask --test flags`. Do not edit. -->\n";
const END: &str = "<!-- End of the flags. -->\n";

/// Start of a C file's producer string in the debug information.
const C: &str = "GNU C";

#[test]
fn the_page_of_what_is_compared_has_the_flags_that_the_programs_say() {
    if !skipped::installed("arm-none-eabi-gcc") || !skipped::installed("riscv64-unknown-elf-gcc") {
        return;
    }
    firmware::build().expect("the programs compile");
    let path = root().join("docs/guide/compared.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("where the flags begin");
    let (_, after) = rest.split_once(END).expect("where they end");
    let current = format!("{before}{BEGIN}\n{}\n{}\n{END}{after}", of_rust(), of_c());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &current).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == current,
        "{} is stale: run with UPDATE_DOCS=1",
        path.display()
    );
}

/// A table of the Rust profiles and the workspaces that use each.
fn of_rust() -> String {
    let mut profiles = BTreeMap::<String, Vec<String>>::new();
    for batch in firmware::workspaces().unwrap() {
        let text = fs::read_to_string(batch.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&text).unwrap();
        let release = &manifest["profile"]["release"];
        // `./x firmware` builds nothing by `dev`.
        let all = manifest["profile"].as_table().unwrap().iter();
        for (profile, own) in all.filter(|(profile, _)| *profile != "dev") {
            let value = |key: &str| {
                let value = own.get(key).or(release.get(key))?;
                let number = value.as_integer().map(|number| number.to_string());
                number.or(value.as_str().map(str::to_owned))
            };
            let flags = format!(
                "opt-level {}, LTO {}, codegen-units {}",
                value("opt-level").as_deref().unwrap_or("3"),
                value("lto").as_deref().unwrap_or("false"),
                value("codegen-units").as_deref().unwrap_or("16")
            );
            let mut name = format!("`{}`", batch.strip_prefix(root()).unwrap().display());
            if profile != "release" {
                let _ = write!(name, " (`{profile}`)");
            }
            profiles.entry(flags).or_default().push(name);
        }
    }
    let mut rows: Vec<_> = profiles.into_iter().collect();
    rows.sort_by_key(|(_, workspaces)| std::cmp::Reverse(workspaces.len()));
    let mut table = "| Rust | workspaces |\n|---|---|\n".to_owned();
    for (flags, workspaces) in rows {
        let _ = writeln!(table, "| {flags} | {} |", workspaces.join(", "));
    }
    table
}

/// A table of the C flags in the price list's programs of other kernels, and what each applies to.
fn of_c() -> String {
    let mut groups = BTreeMap::<(String, &str, String), BTreeSet<String>>::new();
    for (group, kernel, program) in programs()
        .into_iter()
        .filter(|(_, kernel, _)| !kernel.starts_with("mainspring"))
    {
        for target in xtask::cross::TARGETS {
            let place = firmware::place(&program, target);
            for flags in in_program(&place) {
                let key = (kernel.clone(), target, flags);
                groups.entry(key).or_default().insert(group.clone());
            }
        }
    }
    assert!(groups.len() > 10, "few of the programs say anything: {groups:#?}");
    let mut table = "| C of kernel | target | GCC and its flags | groups |\n|---|---|---|---|\n".to_owned();
    for ((kernel, target, flags), groups) in groups {
        let groups: Vec<_> = groups.into_iter().collect();
        let _ = writeln!(
            table,
            "| `{kernel}` | `{target}` | {flags} | {} |",
            groups.join(", ")
        );
    }
    table
}

/// Group, kernel and name of each program of the price list, in each of its builds.
fn programs() -> Vec<(String, String, String)> {
    let mut programs = Vec::new();
    for entry in root().join("firmware/prices").read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let spec: toml::Table = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let text = |value: Option<&toml::Value>| value.and_then(|value| value.as_str()).map(str::to_owned);
        let group = path.file_stem().unwrap().to_string_lossy().into_owned();
        for program in spec["program"].as_array().unwrap() {
            let kernel = text(program.get("kernel")).or(text(spec.get("kernel")));
            let builds = program.get("builds").and_then(|builds| builds.as_array());
            let names = program
                .get("name")
                .into_iter()
                .chain(builds.into_iter().flatten());
            for name in names.filter_map(|name| name.as_str()) {
                let kernel = kernel.clone().unwrap_or_else(|| "none".to_owned());
                programs.push((group.clone(), kernel, name.to_owned()));
            }
        }
    }
    programs
}

/// The compiler's version and flags of each C file, from a program's debug information.
fn in_program(path: &Path) -> BTreeSet<String> {
    let Ok(bytes) = fs::read(path) else {
        return BTreeSet::new();
    };
    let file = object::File::parse(&*bytes).expect("an ELF file");
    let section = file.section_by_name(".debug_str");
    let strings = section
        .and_then(|section| section.data().ok())
        .unwrap_or_default();
    let strings = strings.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let of_c = strings.filter(|string| string.starts_with(C));
    of_c.map(|string| {
        let mut words = string.split_ascii_whitespace().skip(2);
        let version = words.next().unwrap_or_default();
        let flags = words.skip_while(|word| !word.starts_with('-'));
        let flags: Vec<_> = flags.filter(|word| *word != "-g").collect();
        // GCC separates some numbers with a blank.
        format!("{version} `{}`", flags.join(" ").replace("= ", "="))
    })
    .collect()
}
