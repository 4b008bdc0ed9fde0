//! Where words come from, if not from a memory that is always the same: the flash interface and its caches.
//!
//! What a request costs there depends on what was requested before, in the whole run of the program. The pipeline model
//! therefore asks at the moment at which it works a request out, in the order of their cycles. While the cost of a
//! run is worked out once for all of its executions nothing can be asked: it is the cost if every request is served at once.

use bus::{Flash, Served, Source};

use super::Cycle;
use super::rule::{Rule, RuleSet};

/// Answers requests, and notes the rules by which it did.
pub(crate) struct Supply<'a> {
    flash: Option<&'a mut Flash>,
    rules: RuleSet,
}

/// A read of data from flash: the bytes of all its transfers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FlashRead {
    pub address: u32,
    pub bytes: u32,
}

impl<'a> Supply<'a> {
    /// Every request is served at once.
    pub(crate) fn at_once() -> Supply<'static> {
        Supply {
            flash: None,
            rules: RuleSet::EMPTY,
        }
    }

    /// From the flash interface, if there is one with wait states.
    pub(crate) fn from(flash: Option<&'a mut Flash>) -> Self {
        Supply {
            flash: flash.filter(|flash| flash.is_timed()),
            rules: RuleSet::EMPTY,
        }
    }

    /// Whether it may not serve a request at once.
    pub(super) fn is_timed(&self) -> bool {
        self.flash.is_some()
    }

    /// The rules by which it served.
    pub(crate) fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The same, and forgets them.
    pub(super) fn take_rules(&mut self) -> RuleSet {
        std::mem::take(&mut self.rules)
    }

    /// Wait states of a fetch of the word with this number (its address divided by four), requested in cycle `at`.
    pub(crate) fn fetch(&mut self, word: u32, at: Cycle) -> Cycle {
        let Some(flash) = &mut self.flash else {
            return 0;
        };
        let served = flash.fetch(word << 2, at);
        self.rules = self.rules.union(rules(served, Rule::FlashInstructionCache));
        served.wait
    }

    /// Wait states of the transfers of data from cycle `at` on, one word in each cycle.
    pub(super) fn read(&mut self, data: FlashRead, at: Cycle) -> Cycle {
        let Some(flash) = &mut self.flash else {
            return 0;
        };
        let first = data.address & !3;
        let words = (data.address + data.bytes).div_ceil(4) - first / 4;
        let mut wait = 0;
        for word in 0..words {
            let served = flash.read(first + 4 * word, at + Cycle::from(word) + wait);
            wait += served.wait;
            self.rules = self.rules.union(rules(served, Rule::FlashDataCache));
        }
        wait
    }
}

/// The rules by which a request was served.
fn rules(served: Served, cache: Rule) -> RuleSet {
    let by = match served.by {
        Source::Elsewhere => return RuleSet::EMPTY,
        Source::Line => Rule::FlashLine,
        Source::Cache => cache,
        Source::Prefetch => Rule::FlashPrefetch,
        Source::Array => Rule::FlashWait,
    };
    let rules = RuleSet::of(by);
    if served.queued == 0 {
        rules
    } else {
        rules.with(Rule::FlashContention)
    }
}
