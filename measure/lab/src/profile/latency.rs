//! Measures interrupt latency, from edge to handler.

use std::collections::BTreeMap;

use events::{Event, Exception};
use report::profile::Latency;

/// Edges that wait for their handlers, and the latencies so far.
#[derive(Default, Debug)]
pub(super) struct Latencies {
    waiting: BTreeMap<Exception, u64>,
    taken: BTreeMap<Exception, Latency>,
}

impl Latencies {
    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::Input {
                cycle,
                exception,
                level,
                ..
            }
            | Event::Line {
                cycle,
                exception,
                level,
            } if *level => {
                self.waiting.entry(*exception).or_insert(*cycle);
            }
            Event::Enter(enter) => {
                let Some(since) = self.waiting.remove(&enter.exception) else {
                    return;
                };
                let cycles = enter.at.to.saturating_sub(since);
                let latency = self.taken.entry(enter.exception).or_insert(Latency {
                    interrupt: String::new(),
                    count: 0,
                    min: cycles,
                    sum: 0,
                    max: cycles,
                });
                latency.count += 1;
                latency.sum += cycles;
                latency.min = latency.min.min(cycles);
                latency.max = latency.max.max(cycles);
            }
            // A reset cancels pending edges.
            Event::Reset { .. } => self.waiting.clear(),
            _ => {}
        }
    }

    /// The latencies by interrupt; `name` names its exception.
    pub(super) fn finish(self, name: impl Fn(Exception) -> String) -> Vec<Latency> {
        let named = |(exception, latency): (Exception, Latency)| Latency {
            interrupt: name(exception),
            ..latency
        };
        self.taken.into_iter().map(named).collect()
    }
}
