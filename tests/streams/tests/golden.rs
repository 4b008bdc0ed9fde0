//! Instructions cost the same cycles, by the same rules, as in the stored streams.
//!
//! With `STREAMS_SAVE=DIR` the test saves full streams instead, with `STREAMS_AGAINST=DIR` it compares with saved ones. `STREAMS_PROGRAMS` is
//! the number of programs of each core. `./x timing` sets these variables.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use streams::setup::{CORES, Core};
use streams::{Ran, kept, run, saved, stream};

/// Programs of each core.
const PROGRAMS: u32 = 2000;

fn check(core: Core) {
    let asked =
        std::env::var("STREAMS_PROGRAMS").map(|text| text.parse().expect("STREAMS_PROGRAMS is a number"));
    let each = asked
        .unwrap_or(PROGRAMS)
        .div_ceil(2 * core.setups().count() as u32);
    let folder = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    let done = if let Some(folder) = folder("STREAMS_SAVE") {
        save(core, each, &folder)
    } else if let Some(folder) = folder("STREAMS_AGAINST") {
        compare(core, each, &folder)
    } else {
        golden(core)
    };
    done.unwrap_or_else(|error| panic!("{error:#}"));
}

fn file(folder: &Path, core: Core) -> PathBuf {
    folder.join(format!("{}.txt", core.name()))
}

fn save(core: Core, each: u32, folder: &Path) -> Result<()> {
    let file = file(folder, core);
    let mut writer = BufWriter::new(File::create(&file).with_context(|| file.display().to_string())?);
    let programs = saved::save(core, each, &mut writer)?;
    println!("{programs} programs saved in {}", file.display());
    Ok(())
}

fn compare(core: Core, each: u32, folder: &Path) -> Result<()> {
    let file = file(folder, core);
    let mut reader = BufReader::new(File::open(&file).with_context(|| file.display().to_string())?);
    let programs = saved::compare(core, each, &mut reader)?;
    println!("{}: {programs} programs cost what they did", core.name());
    Ok(())
}

fn golden(core: Core) -> Result<()> {
    let each = PROGRAMS.div_ceil(2 * core.setups().count() as u32);
    let ran: Vec<Ran> = run(core, each).collect::<Result<_>>()?;
    assert_covers(core, &ran)?;
    let file = file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("golden"), core);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, kept::text(core, &ran))?;
    }
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    kept::check(&text, &ran)
}

/// Programs come to their end, and most rules of the core decide something in them.
fn assert_covers(core: Core, ran: &[Ran]) -> Result<()> {
    let ended = ran.iter().filter(|ran| ran.stream.contains("\nexit "));
    assert!(
        20 * ended.count() > 19 * ran.len(),
        "{}: programs do not end",
        core.name()
    );
    let shows = |id: &str| {
        let forms = [format!(" {id} "), format!(" +{id} "), format!(" +{id}\n")];
        let in_one = |ran: &Ran| forms.iter().any(|form| ran.stream.contains(form));
        ran.iter().any(in_one)
    };
    let book = stream::board(&ran[0].trial)?.rule_book();
    let ids = book.rules().iter().map(|rule| rule.id);
    let missing: Vec<&str> = ids.filter(|id| !shows(id)).collect();
    assert!(
        4 * missing.len() < book.rules().len(),
        "{}: no program shows {missing:?}",
        core.name()
    );
    Ok(())
}

#[test]
fn cortex_m0() {
    check(CORES[0]);
}

#[test]
fn cortex_m0plus() {
    check(CORES[1]);
}

#[test]
fn cortex_m3_r1p1() {
    check(CORES[2]);
}

#[test]
fn cortex_m3_r2p1() {
    check(CORES[3]);
}

#[test]
fn cortex_m4() {
    check(CORES[4]);
}

#[test]
fn cortex_m4f() {
    check(CORES[5]);
}
