//! What git keeps of streams: a digest of each, and the beginning of the first one of each group.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail, ensure};

use crate::setup::Core;
use crate::{Ran, digest, suspects};

/// Bytes of a stream that stand beside the digests, at the most.
const BEGINNING: usize = 2_000;
/// Digests on a line.
const COLUMNS: usize = 12;

/// The text of a core's file: of each group a hash of its programs, the digests of its streams, and the beginning of its first one.
pub fn text(core: Core, ran: &[Ran]) -> String {
    let name = core.name();
    let mut text = format!(
        "# What random programs cost on a {name}, as tests/streams/src/lib.rs describes it. UPDATE_GOLDEN=1 cargo test -p streams writes it.\n"
    );
    for group in groups(ran) {
        let _ = writeln!(
            text,
            "group {}\nprograms {}",
            group[0].trial.group(),
            programs(group)
        );
        for line in group.chunks(COLUMNS) {
            let words: Vec<String> = line.iter().map(hash).collect();
            let _ = writeln!(text, "{}", words.join(" "));
        }
        let _ = writeln!(text, "stream\n{}", beginning(&group[0].stream));
    }
    text
}

/// Holds what ran against [`text`].
///
/// # Errors
/// Every difference. For each group: the number of programs that differ, and the rules that they have and others lack; then the first line
/// that differs, if that is in a stream of which the beginning is kept, or else the shortest stream that differs, as it is now.
pub fn check(kept: &str, ran: &[Ran]) -> Result<()> {
    let mut report = String::new();
    let mut kept = kept.split("group ").skip(1);
    for group in groups(ran) {
        let name = group[0].trial.group();
        let part = kept
            .next()
            .and_then(|part| part.strip_prefix(&*name)?.strip_prefix('\n'));
        let part = part.with_context(|| format!("group `{name}` does not stand in its place"))?;
        report.push_str(&differences(part, group).with_context(|| title(group))?);
    }
    ensure!(kept.next().is_none(), "there is a group too many");
    ensure!(
        report.is_empty(),
        "{report}\nFor the first instruction of each that differs: `./x timing --save DIR` on the commit before, `./x timing --against DIR` here.\n\
         If the change is meant, UPDATE_GOLDEN=1 cargo test -p streams keeps the streams as they are now."
    );
    Ok(())
}

fn differences(kept: &str, group: &[Ran]) -> Result<String> {
    let (head, kept_stream) = kept.split_once("stream\n").context("no stream")?;
    let mut words = head.split_whitespace().skip(1);
    if words.next() != Some(&*programs(group)) {
        bail!(
            "its programs are not those whose streams were kept: keep the new ones on a commit whose model is right"
        );
    }
    let digests: Vec<&str> = words.collect();
    ensure!(digests.len() == group.len(), "{} digests", digests.len());
    let pairs = group.iter().zip(digests);
    let (same, changed): (Vec<_>, Vec<_>) = pairs.partition(|(ran, digest)| hash(ran) == *digest);
    let [changed, same] =
        [changed, same].map(|pairs| pairs.into_iter().map(|(ran, _)| ran).collect::<Vec<_>>());
    let Some(shortest) = changed.iter().min_by_key(|ran| ran.stream.len()) else {
        return Ok(String::new());
    };
    let mut report = format!(
        "\n{}: {} of {} programs differ\n",
        title(group),
        changed.len(),
        group.len()
    );
    for (rule, with, without) in suspects::of(&changed, &same) {
        let (all, others) = (changed.len(), same.len());
        let _ = writeln!(
            report,
            "  rule {rule}: in {with} of {all} that differ, in {without} of {others} others"
        );
    }
    let first = beginning(&group[0].stream);
    let shown = match first_difference(kept_stream, first) {
        Some(lines) => format!("  program {}:\n{lines}", group[0].trial.number),
        None => format!(
            "  the shortest, program {}, is now\n{}",
            shortest.trial.number, shortest.stream
        ),
    };
    Ok(report + &shown)
}

/// The first line that differs, with those before it.
pub(crate) fn first_difference(before: &str, now: &str) -> Option<String> {
    const CONTEXT: usize = 6;
    let [before, now] = [before, now].map(|text| text.trim_end().lines().collect::<Vec<_>>());
    let same = before
        .iter()
        .zip(&now)
        .take_while(|(before, now)| before == now)
        .count();
    if same == before.len().max(now.len()) {
        return None;
    }
    let mut lines = String::new();
    for line in &now[same.saturating_sub(CONTEXT)..same] {
        let _ = writeln!(lines, "      {line}");
    }
    let [was, is] = [before, now].map(|lines| lines.get(same).copied().unwrap_or("nothing more"));
    Some(lines + &format!("  was {was}\n  now {is}\n"))
}

/// The first lines of a stream.
fn beginning(stream: &str) -> &str {
    let ends = stream.match_indices('\n').map(|(at, _)| at + 1);
    let end = ends.take_while(|end| *end <= BEGINNING).last();
    &stream[..end.unwrap_or(0)]
}

fn groups(ran: &[Ran]) -> impl Iterator<Item = &[Ran]> {
    ran.chunk_by(|a, b| a.trial.group() == b.trial.group())
}

fn title(group: &[Ran]) -> String {
    format!("{}, {}", group[0].trial.core.name(), group[0].trial.group())
}

fn hash(ran: &Ran) -> String {
    format!("{:08x}", digest(ran.stream.as_bytes()))
}

/// A hash of all programs of a group.
fn programs(group: &[Ran]) -> String {
    let bytes: Vec<u8> = group.iter().flat_map(|ran| ran.program.to_le_bytes()).collect();
    format!("{:08x}", digest(&bytes))
}

#[cfg(test)]
mod tests {
    use super::{check, text};
    use crate::setup::CORES;
    use crate::{Ran, run};

    fn ran() -> Vec<Ran> {
        run(CORES[3], 3).collect::<Result<_, _>>().unwrap()
    }

    fn difference(kept: &str, ran: &[Ran]) -> String {
        check(kept, ran).unwrap_err().to_string()
    }

    #[test]
    fn an_instruction_that_costs_more_is_named() {
        let mut ran = ran();
        let kept = text(CORES[3], &ran);
        check(&kept, &ran).unwrap();
        ran[0].stream = ran[0]
            .stream
            .replacen(" 4 fetch-fifo 2 load 2", " 5 fetch-fifo 2 load 3", 1);
        let report = difference(&kept, &ran);
        assert!(
            report.starts_with("\ncortex-m3-r2p1, flash quiet: 1 of 3 programs differ\n"),
            "{report}"
        );
        let lines = "  was 1000 4800 4 fetch-fifo 2 load 2 @2\n  now 1000 4800 5 fetch-fifo 2 load 3 @2\n";
        assert!(report.contains(lines), "{report}");
    }

    #[test]
    fn a_program_of_which_only_the_digest_is_kept_is_shown() {
        let mut ran = ran();
        let kept = text(CORES[3], &ran);
        ran[4].stream = ran[4].stream.replacen("\nexit ", " load-area 7\nexit ", 1);
        let report = difference(&kept, &ran);
        assert!(
            report.starts_with("\ncortex-m3-r2p1, flash interrupts: 1 of 3 programs differ\n"),
            "{report}"
        );
        assert!(
            report.contains("rule load-area: in 1 of 1 that differ"),
            "{report}"
        );
        assert!(report.contains(&ran[4].stream), "{report}");
    }

    #[test]
    fn another_program_is_no_other_model() {
        let mut ran = ran();
        let kept = text(CORES[3], &ran);
        ran[1].program ^= 1;
        let error = format!("{:#}", check(&kept, &ran).unwrap_err());
        assert!(
            error.starts_with("cortex-m3-r2p1, flash quiet: its programs are not those"),
            "{error}"
        );
    }
}
