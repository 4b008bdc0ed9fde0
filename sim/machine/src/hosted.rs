//! Host services through the program's memory: the host watches stores to some words and acts on them.
//!
//! A watched store pauses the run, so other stores cost nothing; no cycle passes, as for a debug probe that reads memory while the core
//! runs. The program's symbols alone enable it: `_SEGGER_RTT` and, on RV32, `tohost`.

mod htif;
mod rtt;

use bus::Bus;
use events::{Event, Flow, Interest, Ranges, Sink, Step};

use crate::channel::Channel;
use crate::image::{Architecture, Image};
use crate::processor::Processor;
use htif::Htif;
use rtt::Rtt;

/// Output of the program by these words.
pub(crate) type Put = (Channel, Vec<u8>);

/// The result of checking the words.
pub(crate) enum Heard {
    /// The program continues.
    Nothing,
    /// The program exited with this code.
    Exit(u32),
    /// An unknown request, as a message.
    NotModelled(String),
}

/// The watched words of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosted {
    rtt: Option<Rtt>,
    htif: Option<Htif>,
}

impl Hosted {
    pub(crate) fn of(image: &Image) -> Hosted {
        let symbol = |name: &str| image.symbols().find(|symbol| symbol.mangled == name);
        let htif = symbol("tohost").filter(|_| image.architecture() == Architecture::RiscV);
        Hosted {
            rtt: symbol("_SEGGER_RTT").map(|block| Rtt::new(block.address, block.size)),
            htif: htif.map(|tohost| Htif::new(tohost.address, symbol("fromhost").map(|word| word.address))),
        }
    }

    /// The watched addresses, as first and last one.
    fn words(&self) -> Vec<(u32, u32)> {
        let rtt = self.rtt.iter().flat_map(Rtt::words);
        rtt.chain(self.htif.iter().map(Htif::words)).collect()
    }

    /// A sink that watches these words besides serving another sink. If that wants text, each store to a device also pauses the run, to
    /// collect what the device sent. Output at other times pauses the run by itself ([`Bus::has_sent`]).
    pub(crate) fn beside<'a>(&self, sink: &'a mut dyn Sink, bus: &Bus) -> Beside<'a> {
        let interest = sink.interest();
        let mut words = self.words();
        if interest.text {
            words.extend(bus.device_ranges());
        }
        Beside {
            listens: !words.is_empty(),
            words: Ranges::of(words),
            interest,
            sink,
            mine: false,
            theirs: false,
        }
    }

    /// Queues bytes for a down channel of RTT; false if the program has none.
    pub(crate) fn give(&mut self, channel: u32, bytes: &[u8]) -> bool {
        let rtt = self.rtt.as_mut();
        rtt.map(|rtt| rtt.give(channel, bytes)).is_some()
    }

    /// Acts on the current content of the words.
    pub(crate) fn look(&mut self, processor: &mut dyn Processor, put: &mut Vec<Put>) -> Heard {
        if let Some(rtt) = &mut self.rtt {
            rtt.look(processor, put);
        }
        match &self.htif {
            Some(htif) => htif.look(processor, put),
            None => Heard::Nothing,
        }
    }
}

/// The watched words, another sink, and devices if that wants text.
pub(crate) struct Beside<'a> {
    listens: bool,
    words: Ranges,
    /// The other sink's interest.
    interest: Interest,
    sink: &'a mut dyn Sink,
    mine: bool,
    theirs: bool,
}

impl Beside<'_> {
    /// Whether the other sink asked for the pause of the last run; `asked` tells whether any sink did.
    pub(crate) fn other_asked(&mut self, asked: bool) -> bool {
        let theirs = std::mem::take(&mut self.theirs);
        if self.listens { theirs } else { asked }
    }

    /// Whether the last run paused only for the host or for what a device `sent`, so that the run continues.
    pub(crate) fn is_mine(&mut self, sent: bool) -> bool {
        std::mem::take(&mut self.mine) | sent
    }

    /// The sink to run with: the other one alone, if the host watches nothing.
    pub(crate) fn needed(&mut self) -> &mut dyn Sink {
        if self.listens { self } else { self.sink }
    }

    /// Whether the other sink wants text.
    pub(crate) fn other_hears_text(&self) -> bool {
        self.interest.text
    }

    /// The other sink.
    pub(crate) fn other(&mut self) -> &mut dyn Sink {
        self.sink
    }
}

impl Sink for Beside<'_> {
    fn interest(&self) -> Interest {
        let words = Interest {
            writes: self.words.clone(),
            ..Interest::none()
        };
        self.interest.clone().union(words)
    }

    fn event(&mut self, event: &Event) -> Flow {
        let mut flow = Flow::On;
        if let Event::Write { address, size, .. } = event
            && self.listens
            && self.words.touches(*address, (*size).into())
        {
            (self.mine, flow) = (true, Flow::Pause);
            if !self.interest.writes.touches(*address, (*size).into()) {
                return flow;
            }
        }
        if self.sink.event(event) == Flow::Pause {
            (self.theirs, flow) = (true, Flow::Pause);
        }
        flow
    }

    fn step(&mut self, step: &Step<'_>) -> Flow {
        let flow = self.sink.step(step);
        self.theirs |= flow == Flow::Pause;
        flow
    }
}
