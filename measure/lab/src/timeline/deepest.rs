//! Records the path of calls on which one call of a function uses the most stack.
//!
//! The path is followed by the instructions: a function begins at the first instruction of its symbol, and is over when another one at its
//! stack pointer begins or one below it on the stack continues. Interrupts are left out; they have frames of their own.

use std::collections::HashMap;

use events::{Event, Flow, Interest, Retire, Sink};
use machine::{ExceptionNames, Image, Outcome};
use report::StackFrame;
use spans::Place;

use super::AHEAD;
use super::contexts::Contexts;
use crate::backend::Bench;
use crate::diagnostic::Result;
use crate::project::Project;

/// Records the deepest path of a call, outermost function first; `bench` is at reset. The path is empty if the run does not reach the call.
///
/// # Errors
///
/// If the program cannot run.
pub(crate) fn deepest(
    bench: &mut Bench,
    image: &Image,
    called: ExceptionNames,
    place: Place,
    limit: u64,
) -> Result<Vec<StackFrame>> {
    let mut recorder = Recorder {
        image,
        project: Project::here(),
        contexts: Contexts::new(called),
        place,
        listens: false,
        context: None,
        frames: Vec::new(),
        code: HashMap::new(),
        lines: Vec::new(),
        line: None,
        lowest: u32::MAX,
        path: Vec::new(),
    };
    let start = place.began.saturating_sub(AHEAD).min(limit);
    if bench.cycle() >= start || super::goes_on(&bench.run(start, &mut recorder)?) {
        recorder.listens = true;
        while matches!(bench.run(limit, &mut recorder)?, Outcome::Paused { .. } if !recorder.is_over()) {}
    }
    Ok(recorder.finish())
}

/// A file and a line of the user's project.
type Line = (String, u32);

/// A function that is being called.
#[derive(Clone, Copy)]
struct Called {
    /// Address of its first instruction.
    entry: u32,
    /// Stack pointer with which it began.
    sp: u32,
    /// The line that takes its stack, or the line of its caller if it is none of the user's functions: an index into the recorder's lines.
    line: Option<usize>,
    /// The most bytes that one of its instructions took.
    took: u32,
}

struct Recorder<'a> {
    image: &'a Image,
    project: Project,
    contexts: Contexts,
    place: Place,
    listens: bool,
    /// The context of the call, once it has begun.
    context: Option<usize>,
    frames: Vec<Called>,
    /// The first address of the function of each executed instruction, and its line: a look-up takes longer than an instruction.
    code: HashMap<u32, (u32, Option<usize>)>,
    lines: Vec<Line>,
    /// The user's line that was executed last.
    line: Option<usize>,
    lowest: u32,
    path: Vec<Called>,
}

impl Recorder<'_> {
    fn is_over(&self) -> bool {
        self.context.is_none() && self.lowest != u32::MAX
    }

    fn retire(&mut self, retire: &Retire) -> Flow {
        if self.context.is_none() && retire.issued >= self.place.began && !self.is_over() {
            self.context = Some(self.contexts.current());
            self.lowest = retire.sp_before;
        }
        if self.context.is_some() && retire.issued >= self.place.ended {
            self.context = None;
            return Flow::Pause;
        }
        if self.context == Some(self.contexts.current()) {
            self.follow(retire);
        }
        Flow::On
    }

    fn follow(&mut self, retire: &Retire) {
        let Some((entry, own)) = self.place(retire.pc) else {
            return;
        };
        if entry == retire.pc || self.frames.is_empty() {
            while self
                .frames
                .pop_if(|called| called.sp <= retire.sp_before)
                .is_some()
            {}
            self.frames.push(Called {
                entry,
                sp: retire.sp_before,
                line: own.or(self.line),
                took: 0,
            });
        } else if let Some(at) = self.frames.iter().rposition(|called| called.entry == entry) {
            self.frames.truncate(at + 1);
        }
        let took = retire.sp_before.saturating_sub(retire.sp);
        if let Some(called) = self.frames.last_mut().filter(|called| took > called.took) {
            called.took = took;
            called.line = own.or(called.line);
        }
        if retire.sp < self.lowest || self.path.is_empty() {
            self.lowest = self.lowest.min(retire.sp);
            self.path.clone_from(&self.frames);
        }
        self.line = own.or(self.line);
    }

    /// The first address of the function at `pc`, and the line of the user's project there.
    fn place(&mut self, pc: u32) -> Option<(u32, Option<usize>)> {
        if let Some(known) = self.code.get(&pc) {
            return Some(*known);
        }
        let (symbol, _) = self.image.symbol_at(pc)?;
        let entry = symbol.address;
        let frames = self.image.frames_at(pc);
        let mut places = frames.iter().filter_map(|frame| frame.place.as_ref());
        let line = places.find_map(|place| {
            let line = (self.project.own(&place.file)?, place.line);
            (line.1 > 0).then_some(line)
        });
        let line = line.map(|line| {
            let known = self.lines.iter().position(|known| *known == line);
            known.unwrap_or_else(|| {
                self.lines.push(line);
                self.lines.len() - 1
            })
        });
        self.code.insert(pc, (entry, line));
        Some((entry, line))
    }

    /// The frames, each from its function's stack pointer to that of the next one.
    fn finish(self) -> Vec<StackFrame> {
        let ends = self
            .path
            .iter()
            .skip(1)
            .map(|called| called.sp)
            .chain([self.lowest]);
        let frame = |(called, end): (&Called, u32)| StackFrame {
            function: self
                .image
                .symbol_at(called.entry)
                .map_or_else(String::new, |(symbol, _)| symbol.name.clone()),
            bytes: i64::from(called.sp) - i64::from(end),
            place: called.line.map(|line| self.lines[line].clone()),
        };
        self.path.iter().zip(ends).map(frame).collect()
    }
}

impl Sink for Recorder<'_> {
    fn interest(&self) -> Interest {
        if self.listens {
            return Interest::windows();
        }
        Interest {
            control: true,
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.contexts.before(event);
        let flow = match event {
            Event::Retire(retire) if self.listens => self.retire(retire),
            _ => Flow::On,
        };
        self.contexts.behind(event);
        flow
    }
}
