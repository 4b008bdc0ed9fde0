//! A sink that follows calls and contexts and attributes each window.

mod direct;
mod masked;

use std::collections::HashMap;

use events::{Costs, Enter, Event, Exception, Exit, Flow, Interest, Sink, Step, Window};
use machine::{Architecture, Image};

use super::functions::{Functions, Name};
use super::jumps::Jump;
use super::latency::Latencies;
use super::stack::{Place, Stacks};
use super::tree::{Here, Tree};
use direct::Direct;
use masked::MaskedTime;

/// Maximum call depth of a context; beyond it the oldest call is dropped, for programs that never return.
const MOST_FRAMES: usize = 1 << 12;

/// A call in progress.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The caller's node.
    node: u32,
    returns_to: u32,
    sp: u32,
}

/// The last executed instruction.
#[derive(Clone, Copy, Default, Debug)]
struct Last {
    pc: u32,
    raw: u32,
    size: u8,
}

/// The execution position of a context.
#[derive(Clone, Debug)]
struct Position {
    context: u32,
    root: u32,
    here: Here,
    frames: Vec<Frame>,
    last: Last,
    /// Address of the next sequential instruction.
    next: u32,
    /// Whether it has not executed anything yet.
    is_new: bool,
    /// Its place on its stack when it was suspended.
    place: Place,
}

/// A known context.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// The exception that it handles; `None` for a thread.
    pub(super) exception: Option<Exception>,
    /// The thread's number, in order of appearance.
    pub(super) thread: u32,
    pub(super) runs: u64,
    root: u32,
}

/// The recording sink.
pub(super) struct Recorder<'a> {
    architecture: Architecture,
    pub(super) functions: Functions<'a>,
    pub(super) tree: Tree,
    pub(super) contexts: Vec<Known>,
    pub(super) stacks: Stacks,
    pub(super) masked: MaskedTime,
    pub(super) latencies: Latencies,
    pub(super) instructions: u64,
    /// End of the last window.
    pub(super) end: u64,
    /// First cycle of the first window.
    pub(super) begin: Option<u64>,
    /// End of the last sleep window; one that begins there continues the same sleep.
    asleep_until: Option<u64>,
    at: Position,
    /// The interrupted positions, outermost first.
    interrupted: Vec<Position>,
    /// Suspended threads by their stack pointers.
    parked: HashMap<u32, Position>,
    direct: Direct,
    threads: u32,
    handlers: HashMap<Exception, u32>,
    /// Whether the node has changed since the last query.
    moved: bool,
}

impl<'a> Recorder<'a> {
    /// `by_call`: the program's threads are known to switch by an ordinary call.
    pub(super) fn new(image: &'a Image, by_call: bool) -> Recorder<'a> {
        let mut functions = Functions::new(image);
        let mut tree = Tree::default();
        let root = tree.root(0, functions.number(Name::Context(0)));
        let at = Position::new(0, root, &tree);
        let main = Known {
            exception: None,
            thread: 0,
            runs: 1,
            root,
        };
        Recorder {
            architecture: image.architecture(),
            functions,
            at,
            tree,
            contexts: vec![main],
            stacks: Stacks::new(image.architecture()),
            masked: MaskedTime::default(),
            latencies: Latencies::default(),
            instructions: 0,
            end: 0,
            begin: None,
            asleep_until: None,
            interrupted: Vec::new(),
            parked: HashMap::new(),
            direct: Direct::new(by_call),
            threads: 0,
            handlers: HashMap::new(),
            moved: true,
        }
    }

    /// The running context, and the nodes from its root to the current one.
    pub(super) fn path(&self) -> (usize, Vec<u32>) {
        let node = self.at.here.node;
        let above = std::iter::successors(Some(node), |&node| self.tree.nodes[node as usize].parent);
        let mut path: Vec<u32> = above.collect();
        path.reverse();
        (self.at.context as usize, path)
    }

    /// The running context and its current node.
    pub(super) fn here(&self) -> (usize, u32) {
        (self.at.context as usize, self.at.here.node)
    }

    /// The running context.
    pub(super) fn context(&self) -> usize {
        self.at.context as usize
    }

    /// Whether the node has changed since the last query.
    pub(super) fn moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// Distance in bytes from the top of the current stack.
    pub(super) fn depth(&self, sp: u32) -> u32 {
        self.stacks.depth(sp)
    }

    #[inline(always)]
    fn executed(&mut self, step: &Step<'_>) {
        if !self.goes_straight_on(step) {
            self.executed_otherwise(step);
        }
    }

    /// Fast path: counts an instruction that follows the last one in sequence and has a known cost here. This is by far the most frequent
    /// case.
    #[inline(always)]
    fn goes_straight_on(&mut self, step: &Step<'_>) -> bool {
        let outside = step.pc.wrapping_sub(self.at.here.start) >= self.at.here.length;
        if outside || step.pc != self.at.next || self.stacks.leaves(step.sp) {
            return false;
        }
        let known = self.tree.known(&self.at.here, step.pc);
        let again = known.is_some_and(|cell| cell.raw == step.raw && cell.add_again(step.costs));
        if again {
            self.passes(step);
            self.stacks.goes_on(step.sp);
        }
        again
    }

    /// Makes this the last instruction.
    #[inline(always)]
    fn passes(&mut self, step: &Step<'_>) {
        self.end = step.at.to;
        self.instructions += 1;
        self.at.next = step.pc.wrapping_add(u32::from(step.size));
        self.at.last = Last {
            pc: step.pc,
            raw: step.raw,
            size: step.size,
        };
    }

    #[inline(never)]
    fn executed_otherwise(&mut self, step: &Step<'_>) {
        self.end = step.at.to;
        let outside = step.pc.wrapping_sub(self.at.here.start) >= self.at.here.length;
        // The very first instruction never counts as sequential.
        if outside || step.pc != self.at.next {
            self.begin = self.begin.or(Some(step.at.from));
            self.goes(step.pc, step.sp_before, outside);
        }
        self.passes(step);
        let cell = self.tree.cell(&self.at.here, step.pc);
        cell.raw = step.raw;
        cell.add(step.costs);
        if self.stacks.leaves(step.sp) {
            self.leaves_stack(step);
        }
        self.stacks.goes_on(step.sp);
    }

    /// Handles an instruction that is not sequential, or is in another function.
    #[inline(never)]
    fn goes(&mut self, pc: u32, sp: u32, outside: bool) {
        self.moved = true;
        self.may_have_switched(pc, outside);
        let outside = pc.wrapping_sub(self.at.here.start) >= self.at.here.length;
        if self.at.is_new {
            self.at.is_new = false;
            self.enter_function(None, pc, self.at.root);
            return;
        }
        let Last { raw, size, pc: site } = self.at.last;
        let jumped = pc != self.at.next;
        match Jump::of(self.architecture, raw, size) {
            Jump::Call if jumped => self.calls(pc, sp),
            jump => {
                if jumped && self.returns(pc, sp, jump) || !outside {
                    return;
                }
                // Another function without a call: a tail call, or fall-through.
                self.enter_function(Some(site), pc, self.at.here.node);
            }
        }
    }

    fn calls(&mut self, pc: u32, sp: u32) {
        // Deeper calls were left without a return.
        while self.at.frames.last().is_some_and(|frame| frame.sp < sp) {
            self.at.frames.pop();
        }
        if self.at.frames.len() >= MOST_FRAMES {
            self.at.frames.drain(..MOST_FRAMES / 2);
        }
        self.at.frames.push(Frame {
            node: self.at.here.node,
            returns_to: self.at.next,
            sp,
        });
        let (site, node) = (self.at.last.pc, self.at.here.node);
        let piece = self.functions.piece(pc);
        let callee = self.tree.child(node, Some(site), piece);
        self.tree.nodes[callee as usize].calls += 1;
        self.at.here = self.tree.here(callee);
    }

    /// Whether this is a return; then continues in the caller.
    fn returns(&mut self, pc: u32, sp: u32, jump: Jump) -> bool {
        let fits = |frame: &Frame| frame.returns_to == pc && frame.sp == sp;
        let last = self.at.frames.last().copied();
        let found = match last {
            // Register-saving routines return with another stack pointer than they were called with.
            Some(frame) if fits(&frame) || jump == Jump::Indirect && frame.returns_to == pc => {
                Some(self.at.frames.len() - 1)
            }
            _ if jump == Jump::Indirect => self.at.frames.iter().rposition(fits),
            _ => None,
        };
        let Some(index) = found else { return false };
        let caller = self.at.frames[index].node;
        self.at.frames.truncate(index);
        self.at.here = self.tree.here(caller);
        let inside = pc.wrapping_sub(self.at.here.start) < self.at.here.length;
        if !inside {
            // The call was the last instruction of a piece.
            self.enter_function(None, pc, caller);
        }
        true
    }

    /// Continues in the function at `pc`, below `parent`. If that function is an ancestor reached without a call, continues there.
    fn enter_function(&mut self, site: Option<u32>, pc: u32, parent: u32) {
        let piece = self.functions.piece(pc);
        let base = self.at.frames.last().map(|frame| frame.node);
        let mut above = Some(parent);
        while let Some(node) = above.filter(|node| Some(*node) != base) {
            let known = &self.tree.nodes[node as usize];
            if known.piece == piece {
                self.at.here = self.tree.here(node);
                return;
            }
            above = known.parent;
        }
        let node = self.tree.child(parent, site, piece);
        let is_entered = pc == piece.start;
        self.tree.nodes[node as usize].calls += u64::from(is_entered);
        self.at.here = self.tree.here(node);
    }

    /// Handles a new stack depth, or a change of stacks.
    #[cold]
    fn leaves_stack(&mut self, step: &Step<'_>) {
        let sets = self.stacks.sets(step);
        let left = self.stacks.place().at(step.sp_before);
        let before = sets.then(|| self.stacks.region()).flatten();
        let is_deeper = self.stacks.moved(self.at.context, step);
        self.keep_path(is_deeper);
        if sets {
            self.stack_was_set(step, left, before);
        }
    }

    fn keep_path(&mut self, is_deeper: bool) {
        if is_deeper {
            let interrupted = self.interrupted.iter().map(|position| position.here.node);
            let path = interrupted.chain([self.at.here.node]).collect();
            self.stacks.keep(path);
        }
    }

    fn enter(&mut self, enter: &Enter) {
        let context = self.handler(enter.exception);
        let known = &mut self.contexts[context as usize];
        known.runs += 1;
        let root = known.root;
        self.tree.nodes[root as usize].calls += 1;
        self.tree.nodes[root as usize].own.add(&enter.costs);
        let is_deeper = self.stacks.leaves_frame(enter.sp);
        self.keep_path(is_deeper);
        self.at.place = self.stacks.place();
        let handler = Position::new(context, root, &self.tree);
        self.interrupted.push(std::mem::replace(&mut self.at, handler));
        let is_deeper = self.stacks.entered(context, enter.sp);
        self.keep_path(is_deeper);
    }

    /// The context of an exception.
    fn handler(&mut self, exception: Exception) -> u32 {
        if let Some(&context) = self.handlers.get(&exception) {
            return context;
        }
        let context = self.contexts.len() as u32;
        let root = self
            .tree
            .root(context, self.functions.number(Name::Context(context)));
        self.contexts.push(Known {
            exception: Some(exception),
            thread: 0,
            runs: 0,
            root,
        });
        self.handlers.insert(exception, context);
        context
    }

    fn exit(&mut self, exit: &Exit) {
        let context = self.handler(exit.exception);
        let root = self.contexts[context as usize].root;
        self.tree.nodes[root as usize].own.add(&exit.costs);
        // Nested exceptions that did not return end with it.
        let depth = if self.at.context == context {
            Some(self.interrupted.len())
        } else {
            self.interrupted
                .iter()
                .rposition(|position| position.context == context)
        };
        if let Some(depth) = depth.filter(|depth| *depth > 0) {
            self.at = self.interrupted[depth - 1].clone();
            self.interrupted.truncate(depth - 1);
            self.forget_pending();
            let is_deeper = self.stacks.returned(self.at.context, self.at.place, exit.sp);
            self.keep_path(is_deeper);
        }
    }

    /// Continues with another thread.
    fn switch(&mut self, left: u32, sp: u32) {
        let Some(thread) = self.resumed_by_exception(sp) else {
            return;
        };
        let is_thread = self.interrupted.is_empty();
        if is_thread {
            self.at.place = self.stacks.place();
        }
        let position = self.interrupted.first_mut().unwrap_or(&mut self.at);
        let was = std::mem::replace(position, thread);
        let (context, place) = (position.context, position.place);
        self.parked.insert(left, was);
        self.contexts[context as usize].runs += 1;
        if is_thread {
            let is_deeper = self.stacks.resumed(context, place, sp);
            self.keep_path(is_deeper);
        }
    }

    fn new_thread(&mut self) -> Position {
        self.threads += 1;
        let context = self.contexts.len() as u32;
        let root = self
            .tree
            .root(context, self.functions.number(Name::Context(context)));
        self.contexts.push(Known {
            exception: None,
            thread: self.threads,
            runs: 0,
            root,
        });
        Position::new(context, root, &self.tree)
    }

    /// Restarts the main program after a chip reset; all suspended contexts are dropped.
    fn restart(&mut self, at: Window, costs: &Costs) {
        self.tree.nodes[self.at.here.node as usize].own.add(costs);
        self.masked.restart(at.to);
        self.interrupted.clear();
        self.parked.clear();
        self.direct.restart();
        let main = self.contexts[0].root;
        self.contexts[0].runs += 1;
        self.at = Position::new(0, main, &self.tree);
        self.moved = true;
    }

    /// Processes a breakpoint or semihosting request, which does not retire.
    fn instruction(&mut self, pc: u32, costs: &Costs) {
        let outside = pc.wrapping_sub(self.at.here.start) >= self.at.here.length;
        if outside || pc != self.at.next {
            self.goes(pc, u32::MAX, outside);
        }
        self.at.next = pc.wrapping_add(if self.architecture == Architecture::Arm {
            2
        } else {
            4
        });
        self.tree.cell(&self.at.here, pc).add(costs);
    }

    fn sleep(&mut self, at: Window, costs: &Costs) {
        let goes_on = self.asleep_until == Some(at.from);
        self.asleep_until = Some(at.to);
        let piece = super::functions::Piece {
            function: self.functions.number(Name::Asleep),
            start: 0,
            length: 0,
        };
        let node = self.tree.child(self.at.here.node, Some(self.at.last.pc), piece);
        let node = &mut self.tree.nodes[node as usize];
        node.calls += u64::from(!goes_on);
        node.own.add(costs);
    }
}

impl Position {
    fn new(context: u32, root: u32, tree: &Tree) -> Position {
        Position {
            context,
            root,
            here: tree.here(root),
            frames: Vec::new(),
            last: Last::default(),
            next: u32::MAX,
            is_new: true,
            place: Place::NEW,
        }
    }
}

impl Sink for Recorder<'_> {
    fn interest(&self) -> Interest {
        Interest {
            steps: true,
            ..Interest::windows()
        }
    }

    fn step(&mut self, step: &Step<'_>) -> Flow {
        self.executed(step);
        Flow::On
    }

    fn event(&mut self, event: &Event) -> Flow {
        if let Event::Retire(retire) = event {
            self.executed(&retire.step());
            return Flow::On;
        }
        if let Some((at, _)) = event.window() {
            self.begin = self.begin.or(Some(at.from));
            self.end = at.to;
        }
        self.latencies.event(event);
        match event {
            Event::Enter(enter) => {
                self.masked.enter(enter.exception, enter.priority);
                self.enter(enter);
            }
            Event::Exit(exit) => {
                self.masked.exit(exit.exception);
                self.exit(exit);
            }
            Event::Switch { left, sp, .. } => self.switch(*left, *sp),
            Event::Semihosting { pc, costs, .. } | Event::Breakpoint { pc, costs, .. } => {
                self.instruction(*pc, costs);
            }
            Event::Sleep { at, costs } => self.sleep(*at, costs),
            Event::Reset { at, costs } => self.restart(*at, costs),
            Event::MaskChange {
                cycle,
                pc,
                mask,
                new,
                lifts,
                ..
            } => self.masked.change(*cycle, *pc, *mask, *new, *lifts),
            _ => {}
        }
        Flow::On
    }
}
