//! The source of words, if not a memory of constant latency: the flash interface and its caches.
//!
//! The cost of a request there depends on all earlier requests of the program. The pipeline model therefore asks when it computes a
//! request, in the order of their cycles. While the cost of a run is computed once for all of its executions, it cannot ask: it assumes
//! that every request is served at once.

use bus::{ExpectedLatency, Flash, FlashResponse, Source};

use super::Cycle;
use super::rule::{Rule, RuleSet};

/// Answers requests, and notes the rules by which it did.
pub(crate) struct Supply<'a> {
    flash: Option<&'a mut Flash>,
    log: Option<&'a mut RequestLog>,
    timed: bool,
    rules: RuleSet,
    prediction: Option<ReadPrediction<'a>>,
}

/// How a read of data is expected to be served.
#[derive(Clone, Copy)]
pub(crate) enum ReadPrediction<'a> {
    /// As it is from this flash at this address, where time begins in that cycle.
    From(&'a Flash, u32, Cycle),
    /// With this answer.
    As(ExpectedLatency),
}

/// The kind of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RequestKind {
    /// The word of a program with this number.
    Fetch(u32),
    /// The word with this number among those that the instruction reads as data.
    Read(u32),
}

/// A request to a flash with wait states, and its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    pub what: RequestKind,
    pub at: Cycle,
    pub served: FlashResponse,
}

/// The requests while one instruction went through the pipeline. To replay the instruction, known answers are given without asking the
/// flash, whose state they have already changed.
#[derive(Clone, Default, Debug)]
pub(crate) struct RequestLog {
    requests: Vec<Request>,
    /// Number of answers already replayed.
    given: usize,
    notes: bool,
    /// Whether the requests in the log belong to the next instruction.
    resumes: bool,
}

impl RequestLog {
    /// Starts the log of the next instruction, unless it is in flight already.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.given = 0;
        if !std::mem::take(&mut self.resumes) {
            self.requests.clear();
        }
    }

    /// Sets the log of the next instruction, which is in flight.
    pub(crate) fn resume(&mut self, requests: impl Iterator<Item = Request>) {
        self.requests.clear();
        self.requests.extend(requests);
        self.resumes = true;
    }

    /// Whether the next instruction is under way.
    #[inline]
    pub(crate) fn resumes(&self) -> bool {
        self.resumes
    }

    /// The answer to the next request, if it was made before.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<FlashResponse> {
        let request = self.requests.get(self.given)?;
        self.given += 1;
        Some(request.served)
    }

    /// A request was made.
    #[inline]
    pub(crate) fn add(&mut self, request: Request) {
        self.requests.push(request);
        self.given = self.requests.len();
    }

    /// From now on requests are noted, those that are there being given first.
    pub(crate) fn repeat(&mut self) {
        (self.given, self.notes) = (0, true);
    }

    /// Requests are noted, or not.
    pub(crate) fn set_noting(&mut self, notes: bool) {
        self.notes = notes;
    }

    /// How many were made or given.
    pub(crate) fn given(&self) -> usize {
        self.given
    }

    pub(crate) fn requests(&self) -> &[Request] {
        &self.requests
    }

    fn served(&mut self, what: RequestKind) -> Option<FlashResponse> {
        let request = self.requests.get(self.given)?;
        debug_assert_eq!(request.what, what, "the same is asked again");
        self.given += 1;
        Some(request.served)
    }
}

/// A read of data from flash: the bytes of all its transfers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FlashRead {
    pub address: u32,
    pub bytes: u32,
}

impl<'a> Supply<'a> {
    /// Every request is served at once.
    pub(crate) fn immediate() -> Supply<'static> {
        Supply {
            flash: None,
            log: None,
            timed: false,
            rules: RuleSet::EMPTY,
            prediction: None,
        }
    }

    /// Serves every request at once, computed as if from a flash with wait states, if it is one; except the data of an instruction with a
    /// prediction.
    pub(crate) fn immediate_from(flash: Option<&Flash>, prediction: Option<ReadPrediction<'a>>) -> Self {
        Supply {
            timed: flash.is_some_and(Flash::is_timed),
            prediction,
            ..Supply::immediate()
        }
    }

    /// How a read of data was served for which something was foreseen.
    pub(crate) fn predicted(&self) -> ExpectedLatency {
        match self.prediction {
            Some(ReadPrediction::As(expected)) => expected,
            _ => ExpectedLatency::NONE,
        }
    }

    /// From the flash interface, if there is one with wait states.
    pub(crate) fn from(flash: Option<&'a mut Flash>) -> Self {
        let flash = flash.filter(|flash| flash.is_timed());
        Supply {
            timed: flash.is_some(),
            flash,
            ..Supply::immediate()
        }
    }

    /// Serves requests from the flash and notes them if wanted.
    pub(crate) fn noting(flash: Option<&'a mut Flash>, log: &'a mut RequestLog) -> Self {
        Supply {
            log: Some(log).filter(|log| log.notes),
            ..Supply::from(flash)
        }
    }

    /// Whether it may not serve a request at once.
    pub(super) fn is_timed(&self) -> bool {
        self.timed
    }

    /// The rules by which it served.
    pub(crate) fn rules(&self) -> RuleSet {
        self.rules
    }

    /// Takes the rules.
    pub(super) fn take_rules(&mut self) -> RuleSet {
        std::mem::take(&mut self.rules)
    }

    /// Wait states of a fetch of the word with this number (its address divided by four), requested in cycle `at`.
    pub(crate) fn fetch(&mut self, word: u32, at: Cycle) -> Cycle {
        let Some(served) = self.ask(RequestKind::Fetch(word), word << 2, at) else {
            return 0;
        };
        self.rules = self.rules.union(rules(served, Rule::FlashInstructionCache));
        served.wait
    }

    /// Wait states of a word that is fetched without need, if one bus of the flash has fetches and data; otherwise `None`.
    pub(crate) fn fetch_aside(&mut self, word: u32, at: Cycle) -> Option<Cycle> {
        self.is_shared().then(|| self.fetch(word, at))
    }

    /// Whether fetches and data come over one bus from a flash.
    pub(super) fn is_shared(&self) -> bool {
        self.flash.as_ref().is_some_and(|flash| flash.shape().shared)
    }

    /// Wait states of the transfers of data from cycle `at` on, one word in each cycle.
    pub(super) fn read(&mut self, data: FlashRead, at: Cycle) -> Cycle {
        let (first, end) = (data.address >> 2, data.address + data.bytes);
        let mut address = data.address;
        let (mut wait, mut transfer) = (0, 0);
        while address < end {
            let at = at + Cycle::from(transfer) + wait;
            let word = address >> 2;
            let Some(served) = self.ask(RequestKind::Read(word - first), word << 2, at) else {
                return 0;
            };
            wait += served.wait;
            self.rules = self.rules.union(rules(served, Rule::FlashDataCache));
            address += part(address, end - address);
            transfer += 1;
        }
        wait
    }
}

impl Supply<'_> {
    /// How a request is served; `None` where nothing has wait states.
    fn ask(&mut self, what: RequestKind, address: u32, at: Cycle) -> Option<FlashResponse> {
        let Some(flash) = self.flash.as_mut() else {
            return self.predict(what, at);
        };
        if let Some(served) = self.log.as_mut().and_then(|log| log.served(what)) {
            return Some(served);
        }
        let served = match what {
            RequestKind::Fetch(_) => flash.fetch(address, at),
            RequestKind::Read(_) => flash.read(address, at),
        };
        if let Some(log) = &mut self.log {
            log.add(Request { what, at, served });
        }
        Some(served)
    }

    /// How a read of data is expected to be served; from then on it is.
    fn predict(&mut self, what: RequestKind, at: Cycle) -> Option<FlashResponse> {
        let prediction = self.prediction.filter(|_| matches!(what, RequestKind::Read(_)))?;
        let expected = match prediction {
            ReadPrediction::From(flash, address, base) => {
                ExpectedLatency::of(flash.predict_read(address, 1, base + at)?.served)
            }
            ReadPrediction::As(expected) => expected,
        };
        self.prediction = Some(ReadPrediction::As(expected));
        expected.served()
    }
}

/// Bytes of the next transfer of `left` bytes: as many as are aligned, a word at most.
fn part(address: u32, left: u32) -> u32 {
    let aligned = 1 << (address | 4).trailing_zeros();
    aligned.min(1 << left.ilog2())
}

/// The rules by which a request was served.
fn rules(served: FlashResponse, cache: Rule) -> RuleSet {
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
