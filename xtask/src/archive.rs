//! Packs the price list's programs and specs into one file: with it and `cyclescope`, anyone can measure the list without a cross
//! compiler.
//!
//! Its layout matches a checkout, so that `cyclescope prices` needs no argument there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::prices::{self, specs};
use crate::root;
use crate::shell::{run, say};

/// The archive's top-level folder.
const NAME: &str = concat!("cyclescope-firmware-", env!("CARGO_PKG_VERSION"));

/// The archive's README.
const README: &str = "\
The programs that Cyclescope's price list measures, built, with the specs that say from where to where.
Here, `cyclescope prices` measures them all, and

    cyclescope measure firmware/prices/SPEC.toml

one group. Their sources and licences are in Cyclescope's repository, in the folder `firmware`.
";

/// `./x package archive`: builds, measures and packs into `target/archive`.
///
/// # Errors
/// If a build or run fails, or a file cannot be written.
pub fn make() -> Result<()> {
    let folder = pack(&prices::results()?, "archive")?;
    say(&format!("{}.tar.gz", folder.display()));
    Ok(())
}

/// Packs the programs of these results and their specs, unpacks them again, and returns the folder with the unpacked files.
///
/// # Errors
/// If a file or tar is missing.
pub fn pack(results: &str, name: &str) -> Result<PathBuf> {
    let folder = root().join("target").join(name);
    let _ = fs::remove_dir_all(&folder);
    let staged = folder.join("staged").join(NAME);
    let specs = specs()?;
    let measured = programs(results)?;
    let builds = other_builds(&measured, &specs)?;
    for file in measured
        .iter()
        .chain(&builds)
        .chain(&beside(&specs)?)
        .chain(&specs)
    {
        copy(file, &staged)?;
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(Path::new(file), &staged)?;
    }
    fs::write(staged.join("README"), README)?;
    let archive = folder.join(format!("{NAME}.tar.gz"));
    // Reproducible: the archive has the same bytes every time.
    let mut tar = Command::new("tar");
    tar.args([
        "--sort=name",
        "--mtime=@0",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=u=rwX,go=rX",
    ]);
    tar.args(["--use-compress-program=gzip -n", "-cf"]).arg(&archive);
    run(tar.arg("-C").arg(folder.join("staged")).arg(NAME))?;
    fs::remove_dir_all(folder.join("staged"))?;
    let mut unpack = Command::new("tar");
    run(unpack.arg("-xzf").arg(&archive).arg("-C").arg(&folder))?;
    Ok(folder.join(NAME))
}

/// The measured files, relative to the checkout.
fn programs(results: &str) -> Result<BTreeSet<PathBuf>> {
    let results: Value = serde_json::from_str(results)?;
    let rows = results["results"].as_array().context("no results")?;
    let files = rows
        .iter()
        .filter_map(|row| row["obtained"]["program"]["elf"].as_str());
    Ok(files.map(PathBuf::from).collect())
}

/// The other builds of these programs, relative to the checkout. The spec measures the best build, which may change.
fn other_builds(measured: &BTreeSet<PathBuf>, specs: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    for spec in specs {
        let parsed: toml::Table = toml::from_str(&fs::read_to_string(root().join(spec))?)?;
        for program in parsed
            .get("program")
            .and_then(toml::Value::as_array)
            .into_iter()
            .flatten()
        {
            let builds = program.get("builds").and_then(toml::Value::as_array);
            let Some(builds) = builds else { continue };
            let names: Vec<_> = program.get("name").into_iter().chain(builds).collect();
            let names: Vec<_> = names.into_iter().filter_map(toml::Value::as_str).collect();
            let is_one = |file: &&PathBuf| {
                let stem = file.file_stem().and_then(|stem| stem.to_str());
                stem.is_some_and(|stem| names.contains(&stem))
            };
            for file in measured.iter().filter(is_one) {
                files.extend(
                    names
                        .iter()
                        .map(|name| file.with_file_name(format!("{name}.elf"))),
                );
            }
        }
    }
    Ok(files)
}

/// The board files and kept Verilog figures that these specs name, relative to the checkout.
fn beside(specs: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    for spec in specs {
        let text = fs::read_to_string(root().join(spec))?;
        let parsed: toml::Value = toml::from_str(&text).with_context(|| spec.display().to_string())?;
        if let Some(kept) = parsed.get("rtl").and_then(toml::Value::as_str) {
            files.insert(spec.with_file_name(kept));
        }
        named(&parsed, &mut files);
    }
    Ok(files)
}

/// Adds the board files that a spec's table names in `board` or `boards`.
fn named(part: &toml::Value, boards: &mut BTreeSet<PathBuf>) {
    let below: Vec<&toml::Value> = match part {
        toml::Value::Table(table) => {
            let keys = ["board", "boards"].into_iter().filter_map(|key| table.get(key));
            let names = keys.flat_map(|value| {
                value
                    .as_array()
                    .map_or(std::slice::from_ref(value), Vec::as_slice)
            });
            let files = names.filter_map(|name| name.as_str()).map(Path::new);
            boards.extend(
                files
                    .filter(|file| file.extension().is_some_and(|extension| extension == "toml"))
                    .map(Path::to_path_buf),
            );
            table.values().collect()
        }
        toml::Value::Array(parts) => parts.iter().collect(),
        _ => Vec::new(),
    };
    for part in below {
        named(part, boards);
    }
}

fn copy(file: &Path, to: &Path) -> Result<()> {
    let place = to.join(file);
    fs::create_dir_all(place.parent().context("a file is in a folder")?)?;
    fs::copy(root().join(file), &place).with_context(|| format!("{} cannot be packed", file.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::pack;
    use crate::prices::SPECS;

    #[test]
    fn an_archive_has_what_was_measured_and_the_specs() {
        let results = r#"{"results":[{"obtained":{"program":{"elf":"xtask/help.txt"}}},{"obtained":{}}]}"#;
        let folder = pack(results, "archive-test").unwrap();
        assert!(folder.join("xtask/help.txt").is_file() && folder.join("README").is_file());
        assert!(folder.join(SPECS).join("rtfm.toml").is_file());
        assert!(
            folder
                .join("firmware/scenarios/threads/ticks/board.toml")
                .is_file()
        );
        let _ = std::fs::remove_dir_all(folder.parent().unwrap());
    }
}
