//! Reads recordings: archives of programs and their results.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// A memory section after the run.
#[derive(Debug, Clone, Deserialize)]
pub struct Dump {
    /// Its name in the program.
    #[serde(rename = "symbol_name")]
    pub name: String,
    /// Its address.
    #[serde(rename = "addr")]
    pub address: u32,
    /// Its content.
    pub content: Vec<u8>,
}

/// The authors' metadata of a program.
#[derive(Debug, Deserialize)]
struct Sheet {
    emulator_main_addr: u32,
    emulator_exit_addr: u32,
    configuration_name: String,
    mem_dump: Vec<Dump>,
}

/// A program and the memory that it left on silicon.
#[derive(Debug)]
pub struct Recording {
    /// Its number in the archive.
    pub number: u32,
    /// The authors' name of this variant.
    pub configuration: String,
    /// Address of the first instruction.
    pub start: u32,
    /// Address at which it loops at its end.
    pub end: u32,
    /// The contents of the flash.
    pub flash: Vec<u8>,
    /// The memory sections that it left.
    pub left: Vec<Dump>,
}

/// The archives in and below a folder, sorted by name.
///
/// # Errors
/// If the folder cannot be read.
pub fn archives(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = folder
        .read_dir()
        .with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(archives(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "tzst") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The recordings of an archive, sorted by number.
///
/// # Errors
/// If it is not an archive of recordings.
pub fn read(archive: &Path) -> Result<Vec<Recording>> {
    read_from(archive).with_context(|| format!("{} is no archive of recordings", archive.display()))
}

fn read_from(archive: &Path) -> Result<Vec<Recording>> {
    let file = BufReader::new(File::open(archive)?);
    let mut tar = tar::Archive::new(ruzstd::decoding::StreamingDecoder::new(file)?);
    let mut parts: BTreeMap<u32, (Option<Vec<u8>>, Option<Sheet>)> = BTreeMap::new();
    for entry in tar.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let Some(number) = number(&path) else { continue };
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        let part = parts.entry(number).or_default();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("flash") => part.0 = Some(bytes),
            Some("dump") => part.1 = Some(rmp_serde::from_slice(&bytes)?),
            _ => {}
        }
    }
    parts
        .into_iter()
        .map(|(number, parts)| joined(number, parts))
        .collect()
}

fn number(path: &Path) -> Option<u32> {
    path.file_stem()?.to_str()?.parse().ok()
}

fn joined(number: u32, parts: (Option<Vec<u8>>, Option<Sheet>)) -> Result<Recording> {
    let (Some(flash), Some(sheet)) = parts else {
        bail!("number {number} is not whole");
    };
    Ok(Recording {
        number,
        configuration: sheet.configuration_name,
        start: sheet.emulator_main_addr,
        end: sheet.emulator_exit_addr,
        flash,
        left: sheet.mem_dump,
    })
}
