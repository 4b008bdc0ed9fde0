//! Turns recorded numbers into a profile with names.

use std::collections::{BTreeMap, HashMap};

use events::{Class, RuleBook};
use machine::image::SymbolKind;
use machine::{Board, ExceptionNames, Image, Listing};
use report::profile::{Cause, Code, Context, Frame, Function, Masked, Node, Profile, Stack, Tally};

use super::functions::Name;
use super::recorder::{Known, Recorder};
use super::tree::Cell;
use crate::backend::Bench;

/// The profile of a completed run.
pub(super) fn taken(
    mut recorder: Recorder<'_>,
    image: &Image,
    board: &Board,
    bench: &Bench,
    outcome: String,
) -> Profile {
    recorder.masked.finish(recorder.end);
    let book = board.core().rule_book();
    let causes = Causes::new(&book);
    let called = board.exception_names();
    let contexts: Vec<Context> = recorder
        .contexts
        .iter()
        .map(|known| Context {
            name: context_name(known, &called),
            runs: known.runs,
            is_thread: known.exception.is_none(),
            entry: None,
        })
        .collect();
    let functions: Vec<Function> = recorder
        .functions
        .names()
        .iter()
        .map(|name| function(name, image, &contexts))
        .collect();
    let nodes: Vec<Node> = nodes(&recorder, &causes);
    let code = code(&recorder, image);
    let lines = lines(&nodes, &code, image);
    Profile {
        elf: image.file().to_owned(),
        board: board.name().to_owned(),
        core: board.core().name().to_owned(),
        outcome,
        clock_hz: bench.clock_hz(),
        nanoseconds: bench.nanoseconds(),
        cycles: recorder.end - recorder.begin.unwrap_or(recorder.end),
        instructions: recorder.instructions,
        classes: Class::ALL.iter().map(|class| class.name().to_owned()).collect(),
        stacks: stacks(&recorder, image),
        masked: Masked {
            cycles: recorder.masked.cycles,
            count: recorder.masked.count,
            longest: recorder.masked.longest(),
        },
        latencies: std::mem::take(&mut recorder.latencies).finish(|exception| called.name(exception)),
        kernels: Vec::new(),
        causes: causes.all,
        contexts,
        functions,
        nodes,
        code,
        lines,
    }
}

/// The causes in a rule book, by rule number.
struct Causes {
    all: Vec<Cause>,
    numbers: HashMap<u8, usize>,
}

impl Causes {
    fn new(book: &RuleBook) -> Causes {
        let class = |class: Class| Class::ALL.iter().position(|known| *known == class).unwrap_or(0);
        let cause = |rule: &events::Rule| Cause {
            rule: rule.id.to_owned(),
            class: class(rule.class),
        };
        let numbers = book.rules().iter().zip(0..);
        Causes {
            all: book.rules().iter().map(cause).collect(),
            numbers: numbers.map(|(rule, index)| (rule.number.0, index)).collect(),
        }
    }

    fn tally(&self, cell: &Cell) -> Tally {
        let mut tally = Tally {
            count: cell.count,
            cycles: Vec::new(),
        };
        for (rule, cycles) in cell.spent() {
            let cause = self.numbers.get(&rule);
            debug_assert!(cause.is_some(), "rule {rule} is none of the core's");
            tally.cycles.push((cause.copied().unwrap_or(0), cycles));
        }
        tally
    }
}

pub(super) fn context_name(known: &Known, called: &ExceptionNames) -> String {
    match known.exception {
        Some(exception) => called.name(exception),
        None => format!("thread {}", known.thread),
    }
}

/// The function name of a node.
pub(super) fn node_name(
    recorder: &Recorder<'_>,
    node: u32,
    image: &Image,
    called: &ExceptionNames,
) -> String {
    let number = recorder.tree.nodes[node as usize].piece.function;
    match &recorder.functions.names()[number as usize] {
        Name::Context(context) => context_name(&recorder.contexts[*context as usize], called),
        name => function(name, image, &[]).name,
    }
}

fn function(name: &Name, image: &Image, contexts: &[Context]) -> Function {
    let place = |address| {
        let place = image.place_at(address).filter(|place| place.line > 0)?;
        Some((place.file.to_string(), place.line))
    };
    match *name {
        Name::Symbol(address) => Function {
            name: image
                .symbol_at(address)
                .map_or_else(|| format!("{address:#010x}"), |(symbol, _)| symbol.name.clone()),
            address: Some(address),
            place: place(address),
        },
        Name::Unknown(address) => Function {
            name: format!("code at {address:#010x}"),
            address: Some(address),
            place: place(address),
        },
        Name::Context(context) => Function {
            name: format!("[{}]", contexts[context as usize].name),
            address: None,
            place: None,
        },
        Name::Asleep => Function {
            name: "[asleep]".to_owned(),
            address: None,
            place: None,
        },
    }
}

fn nodes(recorder: &Recorder<'_>, causes: &Causes) -> Vec<Node> {
    let tree = &recorder.tree;
    let node = |node: &super::tree::Node| Node {
        parent: node.parent.map(|parent| parent as usize),
        context: node.context as usize,
        function: node.piece.function as usize,
        call_site: node.call_site,
        calls: node.calls,
        own: causes.tally(&node.own),
        code: tree
            .code(node)
            .map(|(pc, cell)| (pc, causes.tally(cell)))
            .collect(),
    };
    tree.nodes.iter().map(node).collect()
}

/// The executed instructions.
fn code(recorder: &Recorder<'_>, image: &Image) -> BTreeMap<u32, Code> {
    let mut found: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for node in &recorder.tree.nodes {
        for (pc, cell) in recorder.tree.code(node) {
            found.entry(pc).or_insert((cell.raw, node.piece.function));
        }
    }
    let mut listing = Listing::new(image.architecture());
    let mut next = 0;
    let mut all = BTreeMap::new();
    for (pc, (raw, function)) in found {
        if pc != next {
            listing.jump();
        }
        let wide = if image.architecture() == machine::Architecture::Arm {
            raw > 0xffff
        } else {
            raw & 3 == 3
        };
        next = pc + if wide { 4 } else { 2 };
        // Events that do not retire, such as a BKPT that a debugger handles, have no encoding.
        let text = if raw == 0 {
            "breakpoint".to_owned()
        } else {
            listing.line(pc, raw).unwrap_or_else(|error| error)
        };
        let frames = frames(image, pc);
        let function = function as usize;
        all.insert(
            pc,
            Code {
                text,
                function,
                frames,
            },
        );
    }
    all
}

fn frames(image: &Image, pc: u32) -> Vec<Frame> {
    let frames = image.frames_at(pc).into_iter();
    let frames = frames.map(|frame| Frame {
        function: frame.function,
        place: frame
            .place
            .filter(|place| place.line > 0)
            .map(|place| (place.file.to_string(), place.line)),
    });
    frames.collect()
}

/// Execution count of each line that has code.
fn lines(nodes: &[Node], code: &BTreeMap<u32, Code>, image: &Image) -> BTreeMap<String, BTreeMap<u32, u64>> {
    let mut all: BTreeMap<String, BTreeMap<u32, u64>> = BTreeMap::new();
    for (file, line) in image.code_lines() {
        match all.get_mut(file) {
            Some(lines) => drop(lines.insert(line, 0)),
            None => drop(all.insert(file.to_owned(), BTreeMap::from([(line, 0)]))),
        }
    }
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for (pc, tally) in nodes.iter().flat_map(|node| &node.code) {
        *counts.entry(*pc).or_default() += tally.count;
    }
    for (pc, executed) in counts {
        let place = code.get(&pc).and_then(|code| code.frames.first()?.place.as_ref());
        let Some((file, line)) = place else { continue };
        if let Some(count) = all.get_mut(file).and_then(|lines| lines.get_mut(line)) {
            *count = executed.max(*count);
        }
    }
    all
}

/// The used stacks, with the call path at each one's lowest point.
fn stacks(recorder: &Recorder<'_>, image: &Image) -> Vec<Stack> {
    let used = recorder
        .stacks
        .all
        .iter()
        .filter(|region| region.top > region.lowest);
    used.map(|region| {
        let mut path = Vec::new();
        for &node in &region.path {
            let above = std::iter::successors(Some(node), |&node| recorder.tree.nodes[node as usize].parent);
            let mut above: Vec<usize> = above.map(|node| node as usize).collect();
            above.reverse();
            path.extend(above);
        }
        let variable = variable_at(image, region.top - 1);
        let lowest = variable_at(image, region.lowest).filter(|other| Some(other) != variable.as_ref());
        Stack {
            context: region.context as usize,
            top: region.top,
            lowest: region.lowest,
            variable,
            runs_into: lowest.map(|(name, _)| name),
            path,
        }
    })
    .collect()
}

/// The variable that contains this address, and its size.
fn variable_at(image: &Image, address: u32) -> Option<(String, u32)> {
    let (symbol, offset) = image.symbol_at(address)?;
    let is_variable = symbol.kind == SymbolKind::Object && offset < symbol.size;
    is_variable.then(|| (symbol.name.clone(), symbol.size))
}
