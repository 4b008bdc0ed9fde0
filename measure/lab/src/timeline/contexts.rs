//! Tracks the running context.

use std::collections::HashMap;

use events::{Event, Exception};
use machine::{ExceptionNames, Image};

use crate::profile::ThreadNames;

/// Suspended threads by their stack pointers, and active exceptions.
pub(crate) struct Contexts<'a> {
    called: ExceptionNames,
    thread_names: ThreadNames<'a>,
    /// The numbers of the contexts that are threads.
    numbers: HashMap<usize, u32>,
    names: Vec<String>,
    exceptions: HashMap<Exception, usize>,
    /// The interrupted contexts, outermost first, followed by the running one.
    active: Vec<usize>,
    parked: HashMap<u32, usize>,
    threads: u32,
}

impl<'a> Contexts<'a> {
    pub(crate) fn new(image: &'a Image, called: ExceptionNames) -> Contexts<'a> {
        Contexts {
            called,
            thread_names: ThreadNames::new(image),
            numbers: HashMap::from([(0, 0)]),
            names: vec!["thread 0".to_owned()],
            exceptions: HashMap::new(),
            active: vec![0],
            parked: HashMap::new(),
            threads: 1,
        }
    }

    /// The board's names of its exceptions.
    pub(crate) fn called(&self) -> &ExceptionNames {
        &self.called
    }

    /// Call before an event is attributed: an entry belongs to the new context.
    pub(crate) fn before(&mut self, event: &Event) {
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
    pub(crate) fn behind(&mut self, event: &Event) {
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
    pub(crate) fn current(&self) -> usize {
        self.active.last().copied().unwrap_or(0)
    }

    pub(crate) fn name(&self, context: usize) -> &str {
        &self.names[context]
    }

    /// Whether the running thread's function may still be found.
    pub(crate) fn is_nameless(&self) -> bool {
        let number = self.numbers.get(&self.current());
        number.is_some_and(|number| self.thread_names.is_pending(*number))
    }

    /// Processes an instruction; returns the running thread's old and new name if this settled the name.
    pub(crate) fn executed(&mut self, pc: u32) -> Option<(String, String)> {
        let context = self.current();
        let number = *self.numbers.get(&context)?;
        if !self.thread_names.executed(number, pc) {
            return None;
        }
        let new = self.thread_names.name(number);
        Some((std::mem::replace(&mut self.names[context], new.clone()), new))
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
            self.thread_names.begin(self.threads);
            self.numbers.insert(self.names.len() - 1, self.threads);
            self.threads += 1;
            self.names.len() - 1
        });
        if let Some(thread) = self.active.first_mut() {
            self.parked.insert(left, std::mem::replace(thread, next));
        }
    }
}
