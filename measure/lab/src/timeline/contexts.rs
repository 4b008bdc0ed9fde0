//! Tracks the running context.

use std::collections::HashMap;

use events::{Event, Exception};
use machine::ExceptionNames;

/// Suspended threads by their stack pointers, and active exceptions.
#[derive(Debug)]
pub(super) struct Contexts {
    called: ExceptionNames,
    names: Vec<String>,
    exceptions: HashMap<Exception, usize>,
    /// The interrupted contexts, outermost first, followed by the running one.
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

    /// The board's names of its exceptions.
    pub(super) fn called(&self) -> &ExceptionNames {
        &self.called
    }

    /// Call before an event is attributed: an entry belongs to the new context.
    pub(super) fn before(&mut self, event: &Event) {
        match event {
            Event::Enter(enter) => {
                let context = self.exception(enter.exception);
                self.active.push(context);
            }
            Event::Switch { left, sp, .. } => self.switch(*left, *sp),
            _ => {}
        }
    }

    /// Call after an event is attributed: a return or a reset belongs to the old context.
    pub(super) fn behind(&mut self, event: &Event) {
        if let Event::Reset { .. } = event {
            self.active = vec![0];
            self.parked.clear();
        }
        if let Event::Exit(exit) = event {
            let context = self.exception(exit.exception);
            if let Some(depth) = self.active.iter().rposition(|active| *active == context)
                && depth > 0
            {
                self.active.truncate(depth);
            }
        }
    }

    /// The running context.
    pub(super) fn current(&self) -> usize {
        self.active.last().copied().unwrap_or(0)
    }

    pub(super) fn name(&self, context: usize) -> &str {
        &self.names[context]
    }

    fn exception(&mut self, exception: Exception) -> usize {
        if let Some(&context) = self.exceptions.get(&exception) {
            return context;
        }
        self.names.push(self.called.name(exception));
        let context = self.names.len() - 1;
        self.exceptions.insert(exception, context);
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
