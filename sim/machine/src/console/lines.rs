//! Lets several sources share an output by whole lines, so that none splits another's line.
//!
//! A source that has begun a line holds the output until it ends the line. Other output waits, unless the line does not change for long or
//! too much waits, as after a prompt. The line is then ended.

use super::Stream;
use crate::channel::{Channel, Stamp};

/// Simulated nanoseconds for which an unchanged line keeps others waiting.
const PATIENCE: u64 = 100_000_000;
/// The most bytes that wait.
const MOST: usize = 1 << 14;

/// The source of output; streams without a channel, such as standard error, have none.
type Source = (Stream, Option<Channel>);

/// The holder of the open line, and the output that waits for its end.
#[derive(Default, Debug)]
pub(super) struct Lines {
    holder: Option<Source>,
    /// The time of the holder's last bytes, in nanoseconds.
    since: u64,
    now: u64,
    waiting: Vec<(Source, Vec<u8>)>,
}

impl Lines {
    /// Takes a source's output; returns what to write now, in order.
    pub(super) fn take(&mut self, source: Source, at: Option<Stamp>, bytes: &[u8]) -> Vec<(Stream, Vec<u8>)> {
        self.now = at.map_or(self.now, |at| at.nanoseconds);
        let mut out = Vec::new();
        if self.holder.as_ref().is_none_or(|holder| *holder == source) {
            // Others continue after the end of one of its lines.
            let end = bytes
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |last| last + 1);
            let end = if self.waiting.is_empty() || end == 0 {
                bytes.len()
            } else {
                end
            };
            self.pass(&source, bytes[..end].to_vec(), &mut out);
            self.wait(source, &bytes[end..]);
        } else {
            self.wait(source, bytes);
            let length: usize = self.waiting.iter().map(|(_, waiting)| waiting.len()).sum();
            let has_line = self.waiting.iter().any(|(_, waiting)| waiting.contains(&b'\n'));
            if length > MOST || has_line && self.now.saturating_sub(self.since) > PATIENCE {
                self.end_line(&mut out);
            }
        }
        self.release(&mut out);
        out
    }

    fn wait(&mut self, source: Source, bytes: &[u8]) {
        match self.waiting.iter_mut().find(|(known, _)| *known == source) {
            _ if bytes.is_empty() => {}
            Some((_, waiting)) => waiting.extend(bytes),
            None => self.waiting.push((source, bytes.to_vec())),
        }
    }

    /// Ends the run; returns all waiting output.
    pub(super) fn finish(&mut self) -> Vec<(Stream, Vec<u8>)> {
        let mut out = Vec::new();
        while !self.waiting.is_empty() {
            self.end_line(&mut out);
            self.release(&mut out);
        }
        out
    }

    /// Ends the open line for others.
    fn end_line(&mut self, out: &mut Vec<(Stream, Vec<u8>)>) {
        if let Some((stream, _)) = self.holder.take() {
            out.push((stream, b"\n".to_vec()));
        }
    }

    fn pass(&mut self, source: &Source, bytes: Vec<u8>, out: &mut Vec<(Stream, Vec<u8>)>) {
        if let Some(last) = bytes.last() {
            self.holder = (*last != b'\n').then(|| source.clone());
        }
        self.since = self.now;
        out.push((source.0, bytes));
    }

    /// Releases waiting output while no line is open: whole lines, and the first unfinished one.
    fn release(&mut self, out: &mut Vec<(Stream, Vec<u8>)>) {
        if self.holder.is_some() || self.waiting.is_empty() {
            return;
        }
        for (source, bytes) in &mut self.waiting {
            let whole = bytes
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |last| last + 1);
            if whole > 0 {
                out.push((source.0, bytes.drain(..whole).collect()));
            }
        }
        self.waiting.retain(|(_, bytes)| !bytes.is_empty());
        if !self.waiting.is_empty() {
            let (source, bytes) = self.waiting.remove(0);
            self.pass(&source, bytes, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uart() -> Source {
        (Stream::Output, Some(Channel::Device("USART1".into())))
    }

    fn log() -> Source {
        (Stream::Output, Some(Channel::Rtt(0)))
    }

    fn text(pieces: &[(Stream, Vec<u8>)]) -> String {
        pieces
            .iter()
            .map(|(_, bytes)| String::from_utf8_lossy(bytes))
            .collect()
    }

    /// The result of these outputs, each at a time in milliseconds.
    fn written(puts: &[(Source, u64, &str)]) -> String {
        let mut lines = Lines::default();
        let mut all = String::new();
        for (source, milliseconds, bytes) in puts {
            let at = Stamp {
                cycle: 0,
                nanoseconds: milliseconds * 1_000_000,
            };
            all += &text(&lines.take(source.clone(), Some(at), bytes.as_bytes()));
        }
        all + &text(&lines.finish())
    }

    #[test]
    fn lines_of_two_sources_are_not_cut() {
        let puts = [
            (uart(), 0, "tempe"),
            (log(), 1, "INFO a\nIN"),
            (uart(), 2, "rature 21\nhum"),
            (log(), 3, "FO b\n"),
            (uart(), 4, "idity 40\n"),
        ];
        assert_eq!(written(&puts), "temperature 21\nINFO a\nINFO b\nhumidity 40\n");
    }

    #[test]
    fn a_prompt_keeps_nobody_waiting_for_long() {
        let puts = [
            (uart(), 0, "> "),
            (log(), 50, "INFO a\n"),
            (log(), 200, "INFO b\n"),
            (uart(), 201, "ls\n"),
        ];
        assert_eq!(written(&puts), "> \nINFO a\nINFO b\nls\n");
    }

    #[test]
    fn one_source_is_passed_on_as_it_comes() {
        let mut lines = Lines::default();
        for bytes in ["a", "b\nc", "\n", "d"] {
            assert_eq!(text(&lines.take(uart(), None, bytes.as_bytes())), bytes);
        }
        assert_eq!(text(&lines.finish()), "");
    }

    #[test]
    fn nothing_is_lost() {
        let long = "x".repeat(MOST + 1);
        let puts = [(uart(), 0, "begun"), (log(), 0, &*long), (uart(), 0, "more")];
        let all = written(&puts);
        assert_eq!(all.len(), "begun\n".len() + long.len() + "\nmore".len());
    }
}
