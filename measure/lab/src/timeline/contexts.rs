//! Which context runs.

use std::collections::HashMap;

use events::Event;
use machine::ExceptionNames;

/// Threads by the stack pointers with which they were left, and the exceptions that are active.
#[derive(Debug)]
pub(super) struct Contexts {
    called: ExceptionNames,
    names: Vec<String>,
    exceptions: HashMap<u16, usize>,
    /// What was interrupted, the outermost first, and what runs.
    active: Vec<usize>,
    parked: HashMap<u32, usize>,
    threads: usize,
}

impl Contexts {
    pub(super) fn new(called: ExceptionNames) -> Contexts {
        Contexts {
            called,
            names: vec!["thread 0".to_owned()],
            exceptions: HashMap::new(),
            active: vec![0],
            parked: HashMap::new(),
            threads: 1,
        }
    }

    /// What the board calls its exceptions.
    pub(super) fn called(&self) -> &ExceptionNames {
        &self.called
    }

    /// Before what is told of an event: an entry is of the context that it leads to.
    pub(super) fn before(&mut self, event: &Event) {
        match event {
            Event::Enter(enter) => {
                let context = self.exception(enter.number);
                self.active.push(context);
            }
            Event::Switch { left, sp, .. } => self.switch(*left, *sp),
            _ => {}
        }
    }

    /// Behind what is told of an event: a return is of the context that it leaves, and so is a reset.
    pub(super) fn behind(&mut self, event: &Event) {
        if let Event::Reset { .. } = event {
            self.active = vec![0];
            self.parked.clear();
        }
        if let Event::Exit(exit) = event {
            let context = self.exception(exit.number);
            if let Some(depth) = self.active.iter().rposition(|active| *active == context)
                && depth > 0
            {
                self.active.truncate(depth);
            }
        }
    }

    /// The one that runs.
    pub(super) fn current(&self) -> usize {
        self.active.last().copied().unwrap_or(0)
    }

    pub(super) fn name(&self, context: usize) -> &str {
        &self.names[context]
    }

    fn exception(&mut self, number: u16) -> usize {
        if let Some(&context) = self.exceptions.get(&number) {
            return context;
        }
        self.names.push(self.called.of(number));
        let context = self.names.len() - 1;
        self.exceptions.insert(number, context);
        context
    }

    fn switch(&mut self, left: u32, sp: u32) {
        let next = self.parked.remove(&sp);
        let next = next.unwrap_or_else(|| {
            self.names.push(format!("thread {}", self.threads));
            self.threads += 1;
            self.names.len() - 1
        });
        if let Some(thread) = self.active.first_mut() {
            self.parked.insert(left, std::mem::replace(thread, next));
        }
    }
}
