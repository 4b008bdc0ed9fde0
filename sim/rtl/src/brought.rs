//! User-supplied Verilog of a core: a folder with `core.toml`, which lists its sources, and a module `shell` that adapts the core to
//! `harness/shell.cpp`. This repository keeps none of it.

use std::env;
use std::path::Path;

use crate::error::{Context as _, Result, ensure};
use machine::bounded;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::Core;
use crate::package::Package;
use crate::recipe;

/// The variable of the environment that names the folder.
pub const VARIABLE: &str = "CYCLESCOPE_VERILOG";

/// The description's file name.
const FILE: &str = "core.toml";

/// The most bytes of all files that it names: a hundred times those of a large core.
const MOST: u64 = 128 << 20;

/// The contents of `core.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    /// The core, as boards name it.
    core: String,
    /// Whose Verilog it is, and which version: results name it.
    source: String,
    /// The Verilog, the shell among it; from the folder on.
    files: Vec<String>,
    /// Folders where `include` and further modules are looked for.
    #[serde(default)]
    include: Vec<String>,
    /// Further arguments for Verilator.
    #[serde(default)]
    verilator: Vec<String>,
    /// Cycles by which the shell's `rvfi_…` come later than the instruction retires.
    #[serde(default)]
    late: u8,
}

impl Core {
    /// The Verilog for a board's core of this name: the user's, or else a package's.
    ///
    /// # Errors
    /// If the folder that [`VARIABLE`] names cannot be read, or its `core.toml` is wrong.
    pub fn of_board(name: &str) -> Result<Option<Core>> {
        let Some(folder) = env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) else {
            return Ok(Core::named(name));
        };
        let brought = Core::brought(Path::new(&folder)).with_context(|| format!("{VARIABLE} is set"))?;
        Ok(Some(brought)
            .filter(|core| core.name == name)
            .or_else(|| Core::named(name)))
    }

    /// The core whose Verilog is in a folder.
    ///
    /// # Errors
    /// When the folder or a file of it cannot be read, its `core.toml` is wrong, or there is no such RV32 core.
    pub fn brought(folder: &Path) -> Result<Core> {
        // Verilator works in another directory.
        let folder = std::path::absolute(folder)?;
        let file = folder.join(FILE);
        let text = bounded::read_text(&file).with_context(|| file.display().to_string())?;
        let described: Description = toml::from_str(&text).with_context(|| file.display().to_string())?;
        let row = machine::cores::Core::named(&described.core).filter(|core| core.rv32().is_some());
        let row = row.with_context(|| {
            format!(
                "{}: there is no RV32 core `{}`; `cyclescope list cores` lists them",
                file.display(),
                described.core
            )
        })?;
        ensure!(
            !described.files.is_empty(),
            "{}: `files` is empty; the module `shell` must be in one of them",
            file.display()
        );
        let sources = hash(&folder, &text, &described.files, MOST)?;
        // A process has one such core, from its beginning to its end.
        let package = Box::leak(Box::new(Package::by_hand_at(
            described.source.leak(),
            sources.leak(),
            folder.display().to_string().leak(),
        )));
        let recipe = recipe::shell(
            kept(described.files),
            kept(described.include),
            kept(described.verilator),
            kept(vec![format!("-DLATE={}", described.late)]),
        );
        Ok(Core::with(row.name(), package, recipe))
    }
}

/// The hash of the description and all files that it names, at most `most` bytes: `sha256 0123456789abcdef`.
fn hash(folder: &Path, description: &str, files: &[String], most: u64) -> Result<String> {
    let mut hash = Sha256::new();
    hash.update(description);
    let mut room = most;
    for file in files {
        let path = folder.join(file);
        let bytes = bounded::read_at_most(&path, room).with_context(|| {
            let others = if room == most {
                ""
            } else {
                ", with the files before it"
            };
            format!("{}{others}", path.display())
        })?;
        room -= bytes.len() as u64;
        hash.update(bytes);
    }
    let digest = format!("{:x}", hash.finalize());
    Ok(format!("sha256 {}", &digest[..16]))
}

fn kept(texts: Vec<String>) -> &'static [&'static str] {
    let texts = texts.into_iter().map(|text| &*text.leak());
    texts.collect::<Vec<_>>().leak()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn refused(description: &str) -> String {
        let folder = env::temp_dir().join(format!("brought-{}-{}", std::process::id(), description.len()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(FILE), description).unwrap();
        let error = format!("{:#}", Core::brought(&folder).unwrap_err());
        fs::remove_dir_all(folder).unwrap();
        error
    }

    #[test]
    fn what_is_wrong_with_a_description_is_told_with_its_place() {
        let nowhere = format!("{:#}", Core::brought(Path::new("/nowhere")).unwrap_err());
        assert!(nowhere.starts_with("/nowhere/core.toml: "), "{nowhere}");
        let unknown = refused("core = \"aquilla\"\nsource = \"mine\"\nfiles = [\"shell.v\"]");
        assert!(unknown.contains("no RV32 core `aquilla`"), "{unknown}");
        let arm = refused("core = \"cortex-m3\"\nsource = \"mine\"\nfiles = [\"shell.v\"]");
        assert!(arm.contains("no RV32 core `cortex-m3`"), "{arm}");
        let empty = refused("core = \"aquila\"\nsource = \"mine\"\nfiles = []");
        assert!(empty.contains("`files` is empty"), "{empty}");
        let missing = refused("core = \"aquila\"\nsource = \"mine\"\nfiles = [\"no.v\"]");
        assert!(missing.contains("no.v: "), "{missing}");
        let key = refused("core = \"aquila\"\nsource = \"mine\"\nfiles = [\"no.v\"]\nfiels = 1");
        assert!(key.contains("fiels") && key.contains("core.toml"), "{key}");
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let endless = refused("core = \"aquila\"\nsource = \"mine\"\nfiles = [\"/dev/zero\"]");
        assert!(
            endless.contains("/dev/zero: it has more than 128 MiB"),
            "{endless}"
        );
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = ["Cargo.toml", "Cargo.toml"].map(str::to_owned);
        let size = folder.join("Cargo.toml").metadata().unwrap().len();
        assert!(hash(folder, "", &files, 2 * size).is_ok());
        let error = format!("{:#}", hash(folder, "", &files, 2 * size - 1).unwrap_err());
        assert!(
            error.contains("Cargo.toml, with the files before it: it has more than"),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_description_that_nobody_writes_is_not_waited_for() {
        let folder = env::temp_dir().join(format!("brought-{}-fifo", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(folder.join(FILE))
            .status();
        assert!(made.unwrap().success());
        let error = format!("{:#}", Core::brought(&folder).unwrap_err());
        fs::remove_dir_all(folder).unwrap();
        assert!(error.contains("it is a FIFO"), "{error}");
    }
}
