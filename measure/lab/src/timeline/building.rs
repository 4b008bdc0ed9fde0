//! Builds the timeline of one sample.

use std::collections::HashMap;

use events::{Costs, RuleBook, RuleId, Window};
use machine::Image;
use machine::image::SourceFrame;
use report::Timeline;
use report::timeline::{Code, Folder};
use spans::Place;

use crate::project::Project;

/// Windows that are kept one by one; later ones are compressed.
const MOST_WINDOWS: usize = 2000;
/// Context switches that are kept.
const MOST_TURNS: usize = 2000;

/// A window to add.
pub(super) struct Step<'a> {
    pub(super) context: &'a str,
    pub(super) pc: Option<u32>,
    pub(super) size: u32,
    pub(super) text: &'a str,
    pub(super) at: Window,
    pub(super) costs: &'a Costs,
}

/// A program and the project that it is made from.
type Program<'a> = (&'a Image, &'a Project);

/// The identity of a piece of code: an instruction's address, or the text of another event.
#[derive(PartialEq, Eq, Hash, Debug)]
enum Key {
    Address(u32),
    Text(String),
}

/// A timeline under construction.
#[derive(Debug)]
pub(super) struct Building {
    timeline: Timeline,
    codes: HashMap<Key, u32>,
    costs: HashMap<Costs, u32>,
    rules: HashMap<RuleId, u32>,
    names: HashMap<String, u32>,
    folder: Option<Folder>,
    /// First and last cycle of its windows.
    tiled: Option<(u64, u64)>,
    /// The last instruction, and the address after it.
    last: Option<(u32, u32)>,
    /// Whether each code is at a line of the user's project itself.
    is_own: Vec<bool>,
    /// The line of the user's project that each context executed last: the caller of what has no such line.
    callers: HashMap<u32, u32>,
}

impl Building {
    pub(super) fn new(place: Place, clock_hz: u32) -> Building {
        Building {
            timeline: Timeline {
                began: place.began,
                ended: place.ended,
                number: place.number,
                clock_hz,
                ..Timeline::default()
            },
            codes: HashMap::new(),
            costs: HashMap::new(),
            rules: HashMap::new(),
            names: HashMap::new(),
            folder: None,
            tiled: None,
            last: None,
            is_own: Vec::new(),
            callers: HashMap::new(),
        }
    }

    pub(super) fn began(&self) -> u64 {
        self.timeline.began
    }

    pub(super) fn ended(&self) -> u64 {
        self.timeline.ended
    }

    /// A timeline without windows: earlier work took the whole sample.
    pub(super) fn empty(mut self) -> Timeline {
        self.timeline.lead = signed(self.timeline.cycles());
        self.timeline
    }

    /// The finished timeline; `None` without windows.
    pub(super) fn finish(mut self) -> Option<Timeline> {
        let (first, last) = self.tiled?;
        self.timeline.rest = self.folder.map(Folder::finish).unwrap_or_default();
        self.timeline.lead = signed(first) - signed(self.timeline.began);
        self.timeline.tail = signed(self.timeline.ended) - signed(last);
        Some(self.timeline)
    }

    /// Adds the next window.
    pub(super) fn step(&mut self, step: &Step<'_>, of: Program<'_>, book: &RuleBook) {
        let first = self.tiled.map_or(step.at.from, |(first, _)| first);
        self.tiled = Some((first, step.at.to));
        let context = self.context(step.context);
        self.turn(context, step.at.from - first);
        let code = self.code(step, context, of);
        let cost = self.cost(step.costs, book);
        self.jumped(step);
        let spent = &self.timeline.costs[cost as usize];
        let known = &mut self.timeline.code[code as usize];
        known.count += 1;
        if let (true, Some(site)) = (self.is_own[code as usize], known.site) {
            self.callers.insert(context, site);
        }
        for &(rule, cycles) in spent {
            match known.cost.iter_mut().find(|(known, _)| *known == rule) {
                Some((_, sum)) => *sum += cycles,
                None => known.cost.push((rule, cycles)),
            }
        }
        self.last = step.pc.map(|pc| (code, pc.wrapping_add(step.size)));
        let window = (context, code, step.at.length(), cost);
        let windows = &mut self.timeline.windows;
        if windows.len() < MOST_WINDOWS {
            windows.push(window);
        } else {
            let folder = self.folder.get_or_insert_with(|| Folder::behind(windows));
            self.timeline.omitted += u64::from(!folder.push(window));
        }
    }

    /// Records a jump target if this window does not follow the last instruction in sequence.
    fn jumped(&mut self, step: &Step<'_>) {
        if let (Some((code, next)), Some(pc)) = (self.last, step.pc)
            && pc != next
        {
            self.timeline.code[code as usize].target = Some(pc);
        }
    }

    fn context(&mut self, name: &str) -> u32 {
        let contexts = &mut self.timeline.contexts;
        let known = contexts.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            contexts.push(name.to_owned());
            contexts.len() - 1
        }) as u32
    }

    fn turn(&mut self, context: u32, cycle: u64) {
        let turns = &mut self.timeline.turns;
        if turns.last().is_some_and(|(last, _)| *last == context) {
            return;
        }
        if turns.len() < MOST_TURNS {
            turns.push((context, cycle));
        } else {
            self.timeline.omitted_turns += 1;
        }
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(&index) = self.names.get(name) {
            return index;
        }
        let index = self.timeline.names.len() as u32;
        self.timeline.names.push(name.to_owned());
        self.names.insert(name.to_owned(), index);
        index
    }

    fn code(&mut self, step: &Step<'_>, context: u32, of: Program<'_>) -> u32 {
        let key = step
            .pc
            .map_or_else(|| Key::Text(step.text.to_owned()), Key::Address);
        if let Some(&index) = self.codes.get(&key) {
            return index;
        }
        let mut code = Code {
            pc: step.pc,
            text: step.text.to_owned(),
            function: None,
            inlined: None,
            file: None,
            line: 0,
            target: None,
            count: 0,
            cost: Vec::new(),
            site: None,
        };
        let mut is_own = false;
        if let Some(pc) = step.pc {
            let (image, project) = of;
            let frames = image.frames_at(pc);
            let names: Vec<&str> = frames
                .iter()
                .filter_map(|frame| frame.function.as_deref())
                .collect();
            code.function = names.last().map(|name| self.name(name));
            code.inlined = (names.len() > 1).then(|| self.name(names[0]));
            if let Some(place) = image.place_at(pc).filter(|place| place.line > 0) {
                (code.file, code.line) = (Some(self.name(&project.name_of(&place.file))), place.line);
            }
            let own = self.site(&frames, project);
            is_own = own.is_some();
            code.site = own.or_else(|| self.callers.get(&context).copied());
        }
        let index = self.timeline.code.len() as u32;
        self.timeline.code.push(code);
        self.is_own.push(is_own);
        self.codes.insert(key, index);
        index
    }

    /// The line of the innermost frame in the user's project.
    fn site(&mut self, frames: &[SourceFrame], project: &Project) -> Option<u32> {
        let (frame, file, line) = frames.iter().find_map(|frame| {
            let place = frame.place.as_ref().filter(|place| place.line > 0)?;
            Some((frame, project.own(&place.file)?, place.line))
        })?;
        let function = frame.function.as_deref().map(|name| self.name(name));
        let site = (function, self.name(&file), line);
        let sites = &mut self.timeline.sites;
        let known = sites.iter().position(|known| *known == site);
        Some(known.unwrap_or_else(|| {
            sites.push(site);
            sites.len() - 1
        }) as u32)
    }

    fn cost(&mut self, costs: &Costs, book: &RuleBook) -> u32 {
        if let Some(&index) = self.costs.get(costs) {
            return index;
        }
        let spent = costs
            .iter()
            .map(|cost| (self.rule(cost.rule, book), u64::from(cost.cycles)))
            .collect();
        let index = self.timeline.costs.len() as u32;
        self.timeline.costs.push(spent);
        self.costs.insert(*costs, index);
        index
    }

    fn rule(&mut self, rule: RuleId, book: &RuleBook) -> u32 {
        let rules = &mut self.timeline.rules;
        *self.rules.entry(rule).or_insert_with(|| {
            rules.push(book.get(rule).map_or("?", |rule| rule.id).to_owned());
            rules.len() as u32 - 1
        })
    }
}

fn signed(cycle: u64) -> i64 {
    i64::try_from(cycle).unwrap_or(i64::MAX)
}
