//! A Perfetto trace: a track for each context with its calls, flows from interrupt edges to handlers, masks, stack depth, and clock.

use std::collections::HashMap;

use events::{Event, Exception, Mask, Sink as _, Step};
use machine::{Board, ExceptionNames, Image};
use report::perfetto::{Arrow, Mark, Packets};

use super::Writer;
use super::fields::mask_name;
use super::selection::Selection;
use super::states::{Calls, ThreadStates};
use crate::profile::Follower;

/// Track numbers.
const RUN: u64 = 1;
const EDGES: u64 = 2;
const STACK: u64 = 3;
const MASKS: u64 = 4;
const CLOCK: u64 = 8;
const CONTEXTS: u64 = 16;

/// The trace writer.
pub(super) struct Timeline<'a> {
    image: &'a Image,
    selection: Selection<'a>,
    /// Whether a node's function is selected.
    selected: HashMap<u32, bool>,
    called: ExceptionNames,
    packets: Packets,
    follower: Follower<'a>,
    /// The open slices of each context that has a track: nodes of the call tree.
    open: Vec<Option<Vec<u32>>>,
    /// The context and node at the last update.
    looked: Option<(usize, u32)>,
    /// Open flows by exception.
    arrows: HashMap<Exception, u64>,
    arrow: u64,
    /// The values of each mask for which a slice is open.
    masks: [Vec<u8>; 4],
    /// The masks whose tracks have been described.
    has_track: [bool; 4],
    clock: u32,
    depth: u32,
    states: ThreadStates,
    /// Whether a node's function is one that waits, and one that gives.
    purposes: HashMap<u32, (bool, bool)>,
    /// A thread that has no track yet, since its name is looked for: its context, its root, and the cycle at which it began to run.
    nameless: Option<(usize, u32, u64)>,
}

impl<'a> Timeline<'a> {
    /// Starts a trace of the selected contexts and functions. Without `whole`, the trace does not start at reset, and the clock is unknown at first.
    pub(super) fn begin(
        image: &'a Image,
        board: &Board,
        selection: Selection<'a>,
        whole: bool,
        out: &mut Vec<u8>,
    ) -> Timeline<'a> {
        let packets = Packets::default();
        let name = format!("{} on {} (1 ns is 1 cycle)", image.file(), board.name());
        packets.track(RUN, &name, None, None, out);
        packets.track(EDGES, "interrupt inputs", Some(RUN), None, out);
        packets.track(STACK, "stack", Some(RUN), Some("bytes"), out);
        packets.track(CLOCK, "clock", Some(RUN), Some("Hz"), out);
        let mut timeline = Timeline {
            image,
            selection,
            called: board.exception_names(),
            packets,
            follower: Follower::new(image),
            open: Vec::new(),
            looked: None,
            arrows: HashMap::new(),
            arrow: 0,
            masks: [const { Vec::new() }; 4],
            has_track: [false; 4],
            clock: 0,
            depth: 0,
            states: ThreadStates::default(),
            purposes: HashMap::new(),
            selected: HashMap::new(),
            nameless: None,
        };
        if whole {
            timeline.clock(0, board.clock_hz(), out);
        }
        timeline
    }

    fn clock(&mut self, cycle: u64, hz: u32, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.clock, hz) != hz {
            let value = Mark::Value(hz.into());
            self.packets.mark(cycle, CLOCK, value, Arrow::None, out);
        }
    }

    /// Updates the running context's slices to its current calls.
    fn follow(&mut self, cycle: u64, arrow: Arrow, out: &mut Vec<u8>) {
        let here = Some(self.follower.here());
        if std::mem::replace(&mut self.looked, here) == here {
            return;
        }
        let (context, path) = self.follower.path();
        if self.is_declared(cycle, context, &path, out) {
            self.slices(cycle, context, path, arrow, out);
        }
    }

    /// Declares the tracks of contexts up to this one. A thread's track waits until its name is known, so that it has that name from its
    /// first cycle on.
    fn is_declared(&mut self, cycle: u64, context: usize, path: &[u32], out: &mut Vec<u8>) -> bool {
        if let Some((nameless, root, since)) = self.nameless
            && (context == nameless || self.follower.is_thread(context))
        {
            if context == nameless && self.follower.is_nameless() {
                return false;
            }
            self.nameless = None;
            self.follower.give_up(nameless);
            self.declare(nameless, out);
            self.slices(since, nameless, vec![root], Arrow::None, out);
        }
        if self.open.get(context).is_none_or(Option::is_none) {
            if self.follower.is_nameless() {
                self.nameless = Some((context, path[0], cycle));
                return false;
            }
            self.declare(context, out);
        }
        true
    }

    fn declare(&mut self, context: usize, out: &mut Vec<u8>) {
        let name = self.follower.context_name(context, &self.called);
        self.packets
            .track(CONTEXTS + context as u64, &name, Some(RUN), None, out);
        if self.open.len() <= context {
            self.open.resize(context + 1, None);
        }
        self.open[context] = Some(Vec::new());
    }

    /// Closes and opens the slices of a context, so that they are its current calls.
    fn slices(&mut self, cycle: u64, context: usize, mut path: Vec<u32>, arrow: Arrow, out: &mut Vec<u8>) {
        let calls = self.calls(context, &path);
        let root = path[0];
        path.retain(|&node| {
            let has_code = || self.selection.has_code(self.follower.address(node));
            node == root || *self.selected.entry(node).or_insert_with(has_code)
        });
        let Some(Some(open)) = self.open.get_mut(context) else {
            return;
        };
        if *open == path {
            self.runs(cycle, context, calls, out);
            return;
        }
        let same = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
        let track = CONTEXTS + context as u64;
        for _ in same..open.len() {
            self.packets.mark(cycle, track, Mark::End, Arrow::None, out);
        }
        for (index, node) in path.iter().enumerate().skip(same) {
            let name = self.follower.name(*node, self.image, &self.called);
            let arrow = match index {
                0 => arrow,
                _ if self.follower.gives(&name) => {
                    self.arrow += 1;
                    self.states.gives(context, self.arrow);
                    Arrow::From(self.arrow)
                }
                _ => Arrow::None,
            };
            self.packets.mark(cycle, track, Mark::Begin(&name), arrow, out);
        }
        self.runs(cycle, context, calls, out);
        self.open[context] = Some(path);
    }

    /// What a thread's calls mean for its state; nothing for an interrupt.
    fn calls(&mut self, context: usize, path: &[u32]) -> Calls {
        if !self.follower.is_thread(context) {
            return Calls::default();
        }
        let mut calls = Calls::default();
        let (follower, image, called) = (&self.follower, self.image, &self.called);
        for &node in &path[1..] {
            let name = || follower.name(node, image, called);
            let (waits, gives) = *self.purposes.entry(node).or_insert_with(|| {
                let name = name();
                (follower.waits(&name), follower.gives(&name))
            });
            calls.gives |= gives;
            if waits && calls.waits_in.is_none() {
                calls.waits_in = Some(name());
            }
        }
        calls
    }

    /// Updates the states of threads: this one runs, with these calls.
    fn runs(&mut self, cycle: u64, context: usize, calls: Calls, out: &mut Vec<u8>) {
        if !self.follower.is_thread(context) {
            return;
        }
        let named = |context| self.follower.context_name(context, &self.called);
        self.states.runs(
            cycle,
            (context, calls),
            (CONTEXTS, named),
            (&mut self.packets, out),
        );
    }

    fn executed(&mut self, step: &Step<'_>, out: &mut Vec<u8>) {
        if self.follower.moved() {
            self.follow(step.at.from, Arrow::None, out);
            self.stack(step.at.from, step.sp_before, out);
        }
    }

    fn stack(&mut self, cycle: u64, sp: u32, out: &mut Vec<u8>) {
        let depth = self.follower.depth(sp);
        if depth != self.depth {
            self.depth = depth;
            self.packets
                .mark(cycle, STACK, Mark::Value(depth.into()), Arrow::None, out);
        }
    }

    fn edge(&mut self, cycle: u64, exception: Exception, level: bool, out: &mut Vec<u8>) {
        if !level {
            return;
        }
        self.arrow += 1;
        self.arrows.insert(exception, self.arrow);
        let name = self.called.name(exception);
        self.packets
            .mark(cycle, EDGES, Mark::Instant(&name), Arrow::From(self.arrow), out);
    }

    /// Processes a new mask value. A stricter mask opens a slice inside the previous one, like nested locks.
    fn mask(&mut self, cycle: u64, mask: Mask, new: u8, by: u32, out: &mut Vec<u8>) {
        let (open, track) = (&mut self.masks[mask as usize], MASKS + mask as u64);
        while open.last().is_some_and(|&was| new == 0 || was < new) {
            open.pop();
            self.packets.mark(cycle, track, Mark::End, Arrow::None, out);
        }
        if new == 0 || open.last() == Some(&new) {
            return;
        }
        open.push(new);
        let symbol = self.image.symbol_at(by);
        let function = symbol.map_or("masked", |(symbol, _)| &*symbol.name);
        let name = match mask {
            Mask::Basepri => format!("{function} ({new:#04x})"),
            Mask::Primask | Mask::Faultmask | Mask::Mie => function.to_owned(),
        };
        if !std::mem::replace(&mut self.has_track[mask as usize], true) {
            self.packets.track(track, mask_name(mask), Some(RUN), None, out);
        }
        self.packets
            .mark(cycle, track, Mark::Begin(&name), Arrow::None, out);
    }

    /// Closes the slices of an exception that returned.
    fn close(&mut self, cycle: u64, context: usize, out: &mut Vec<u8>) {
        self.looked = None;
        let open = self.open.get_mut(context).and_then(Option::as_mut);
        for _ in open.map(std::mem::take).unwrap_or_default() {
            self.packets
                .mark(cycle, CONTEXTS + context as u64, Mark::End, Arrow::None, out);
        }
    }
}

impl Writer for Timeline<'_> {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>) {
        let left = self.follower.context();
        let _ = self.follower.event(event);
        match *event {
            Event::Retire(ref retire) => self.executed(&retire.step(), out),
            Event::Enter(ref enter) => {
                self.states.enters(enter);
                let arrow = self
                    .arrows
                    .remove(&enter.exception)
                    .map_or(Arrow::None, Arrow::To);
                self.follow(enter.at.from, arrow, out);
                self.stack(enter.at.to, enter.sp, out);
            }
            Event::Exit(ref exit) => {
                self.close(exit.at.to, left, out);
                self.states.exits();
                self.follow(exit.at.to, Arrow::None, out);
                self.stack(exit.at.to, exit.sp, out);
            }
            Event::Reset { at, .. } => {
                self.end(at.to, out);
                self.arrows.clear();
                self.follow(at.to, Arrow::None, out);
            }
            Event::Sleep { at, .. } => {
                let track = CONTEXTS + self.follower.context() as u64;
                self.packets
                    .mark(at.from, track, Mark::Begin("asleep"), Arrow::None, out);
                self.packets.mark(at.to, track, Mark::End, Arrow::None, out);
            }
            Event::MaskChange {
                cycle, mask, new, pc, ..
            } => self.mask(cycle, mask, new, pc, out),
            Event::Clock { cycle, hz } => self.clock(cycle, hz, out),
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
            } => self.edge(cycle, exception, level, out),
            _ => {}
        }
    }

    fn step(&mut self, step: &Step<'_>, out: &mut Vec<u8>) {
        let _ = self.follower.step(step);
        self.executed(step, out);
    }

    fn end(&mut self, cycle: u64, out: &mut Vec<u8>) {
        if let Some((context, root, since)) = self.nameless.take() {
            self.declare(context, out);
            self.slices(since, context, vec![root], Arrow::None, out);
        }
        for context in 0..self.open.len() {
            self.close(cycle, context, out);
        }
        self.states.end(cycle, &mut self.packets, out);
        for mask in [Mask::Primask, Mask::Faultmask, Mask::Basepri, Mask::Mie] {
            self.mask(cycle, mask, 0, 0, out);
        }
    }
}
