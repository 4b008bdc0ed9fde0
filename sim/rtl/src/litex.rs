//! `LiteX`'s own L2 cache: Migen generates its Verilog from the package, and Verilator builds it. This repository keeps none of it.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Context as _, Result, ensure};

use crate::package::{LITEX, MIGEN, succeeds};

const GENERATOR: &str = include_str!("../harness/l2.py");
const HARNESS: &str = include_str!("../harness/l2.cpp");

/// A cache that runs.
#[derive(Debug)]
pub struct LitexCache(PathBuf);

/// A transfer of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Its address, a multiple of 4.
    pub address: u32,
    /// Whether it writes.
    pub writes: bool,
    /// Cycles in which nothing is asked for, before it.
    pub idle: u32,
    /// Wait states of the memory behind the cache, for a line that it reads.
    pub read: u16,
    /// Wait states for a line that it writes.
    pub write: u16,
}

impl LitexCache {
    /// Builds the cache of `words` words in front of a memory of `width` bits under `cache`, unless it is built already.
    ///
    /// # Errors
    /// If a tool or a package is unavailable, or a build fails.
    pub fn of(words: u32, width: u32, cache: &Path) -> Result<LitexCache> {
        let cache = &std::path::absolute(cache)?;
        let folder = cache.join(format!("litex-cache-{words}-{width}"));
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let lock = File::create(folder.join("lock"))?;
        lock.lock()?;
        let recipe = format!("{}\n{}\n{GENERATOR}{HARNESS}", LITEX.version, MIGEN.version);
        let made_by = folder.join("recipe");
        if fs::read_to_string(&made_by).unwrap_or_default() != recipe {
            build(words, width, cache, &folder)?;
            fs::write(made_by, recipe)?;
        }
        Ok(LitexCache(folder.join("oracle")))
    }

    /// How many cycles each transfer waits.
    ///
    /// # Errors
    /// When the cache cannot be started, or breaks off.
    pub fn run(&self, transfers: &[Asked]) -> Result<Vec<u32>> {
        let mut child = Command::new(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| self.0.display().to_string())?;
        let input = transfers.iter().flat_map(|asked| {
            let waits = u32::from(asked.write) << 16 | u32::from(asked.read);
            [asked.address, asked.writes.into(), asked.idle, waits]
        });
        let input: Vec<u8> = input.flat_map(u32::to_le_bytes).collect();
        let mut stdin = child.stdin.take().context("it has no pipe")?;
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output()?;
        let written = writer.join().is_ok_and(|result| result.is_ok());
        ensure!(output.status.success() && written, "the cache broke off");
        let (words, _) = output.stdout.as_chunks::<4>();
        ensure!(words.len() == transfers.len(), "the cache's answer is cut off");
        Ok(words.iter().map(|&word| u32::from_le_bytes(word)).collect())
    }
}

fn build(words: u32, width: u32, cache: &Path, folder: &Path) -> Result<()> {
    let packages = [LITEX.unpacked(cache)?, MIGEN.unpacked(cache)?];
    let roots: Vec<&Path> = packages.iter().filter_map(|package| package.parent()).collect();
    let [generator, harness, verilog] = ["l2.py", "harness.cpp", "cache.v"].map(|name| folder.join(name));
    fs::write(&generator, GENERATOR)?;
    fs::write(&harness, HARNESS)?;
    succeeds(
        Command::new("python3")
            .env("PYTHONPATH", std::env::join_paths(roots)?)
            .current_dir(folder)
            .arg(&generator)
            .args([words.to_string(), width.to_string()])
            .arg(&verilog),
    )
    .context("Migen writes no Verilog")?;
    let fixed = [
        "--cc",
        "--exe",
        "--build",
        "-O3",
        "-Wno-fatal",
        "-Wno-lint",
        "--x-assign",
        "0",
    ];
    let names = [
        "--x-initial",
        "0",
        "-o",
        "../oracle",
        "--top-module",
        "cache",
        "--prefix",
        "Vcache",
    ];
    let mut verilator = Command::new("verilator");
    verilator
        .args(fixed)
        .args(names)
        .arg("-Mdir")
        .arg(folder.join("build"));
    succeeds(verilator.args([verilog, harness])).context("LiteX's cache")
}
