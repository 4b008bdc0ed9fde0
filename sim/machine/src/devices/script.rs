//! Devices, and what happens around a chip, as a board's user writes them: scripts in [Rhai](https://rhai.rs).
//!
//! Rhai, because a script's whole state is a value that can be copied (a snapshot is a copy of it), because what a script does depends on
//! nothing but its arguments, and because it has no way to files, time or other programs. Numbers are integers of 64 bits. Each call
//! has a limit of operations, of depth and of data, so that no script hangs or takes the host's memory.
//!
//! A script is a list of functions, of which it has those that it needs ([`Role`]); its state is the map `this`. What it asks of the
//! simulator ([`desk`]) is done when the function returns.

mod desk;
mod target;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bus::{ClockId, Device, DeviceError, Effect, Given, Incoming, Irq};
use rhai::packages::{Package, StandardPackage};
use rhai::{AST, Array, CallFnOptions, Dynamic, Engine, EvalAltResult, FuncArgs, INT, Map, Position, Scope};
use serde::Deserialize;

use self::desk::Desk;
pub(crate) use self::target::{Scripts, TargetScript};
use super::output::Output;
use super::{Around, Settings, not_modelled};
use crate::host::{self, Files};
use crate::nearest::{did_you_mean, nearest};

/// The role of a script on its board.
pub(crate) struct Role {
    /// The functions that are called, with the number of their arguments.
    called: &'static [(&'static str, usize)],
    /// Whether it has an interrupt, and shows bytes that it sends.
    of_chip: bool,
    /// The functions in which it can hold the clock of its bus.
    stretches_in: &'static [&'static str],
}

/// A device, or what is around the chip.
const DEVICE: Role = Role {
    called: CALLED,
    of_chip: true,
    stretches_in: &[],
};
const CALLED: &[(&str, usize)] = &[
    ("reset", 0),
    ("read", 2),
    ("write", 3),
    ("wake", 0),
    ("bytes", 1),
    ("pin", 2),
    ("value", 2),
    ("port", 3),
];

/// Limits of one call, and of what a script holds.
const MOST_OPERATIONS: u64 = 100_000;
const MOST_CALLS: usize = 16;
const MOST_DATA: usize = 1 << 16;
const MOST_KEYS: usize = 1 << 10;
/// How deep lists and maps may be within each other when a call is over. Rhai walks them by recursion; within one call there are as many levels as
/// its operations make, about 10,000, for which the threads of the command line have room.
const MOST_LEVELS: usize = 64;
/// Whether all calls are to end: one may take the host seconds, of an array that is copied by each of its operations.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Ends the calls of all scripts in this process, those that have not begun too: the runs end with them, at their limit.
pub fn end_scripts() {
    ENDING.store(true, Ordering::Relaxed);
}

/// The most bytes that a script gives and sends in a run, until somebody takes them.
const MOST_GIVEN: usize = 64 << 20;
const MOST_SENT: usize = 16 << 20;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScriptSettings {
    /// The file, by its path from the board file.
    script: Option<String>,
}

impl Settings for ScriptSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let file = self.script.as_ref().ok_or("it needs a `script`")?;
        let script = Script::beside(around, file, &DEVICE, around.irq)?;
        if !script.has("read") && !script.has("write") {
            return Err(format!(
                "{file}: a device has `fn read(offset, size)` or `fn write(offset, size, value)`"
            ));
        }
        Ok(Box::new(script))
    }
}

/// The part of a script that all copies of a device share.
struct Program {
    engine: Engine,
    ast: AST,
    /// The file's name in messages.
    file: String,
    role: &'static Role,
    /// The functions called by the simulator, each with its file and line.
    places: Vec<(&'static str, String)>,
}

/// A device that a script makes.
#[derive(Clone)]
pub(crate) struct Script {
    program: Arc<Program>,
    state: Dynamic,
    core_hz: u32,
    output: Output,
    wake: u64,
    /// Core cycles for which the last call holds the clock of its bus.
    stretch: u64,
    sent: Vec<u8>,
    effects: VecDeque<Effect>,
    given: VecDeque<Given>,
    /// Bytes that it has given since reset.
    given_bytes: usize,
    note: Option<String>,
}

impl Script {
    /// A script that gives others what comes from outside, and answers nowhere.
    ///
    /// # Errors
    /// A message about the mistake, with its line.
    pub(crate) fn around(files: &dyn Files, path: &Path) -> Result<Script, String> {
        let name = path.display().to_string();
        let text =
            host::read_text(files, path).map_err(|error| format!("{name}: cannot be read: {error}"))?;
        let script = Script::new(&name, &text, &DEVICE, None)?;
        match ["read", "write"].into_iter().find(|called| script.has(called)) {
            Some(called) => Err(format!(
                "{name}: `{called}` is of a device, which a board file describes (`kind = \"script\"`)"
            )),
            None => Ok(script),
        }
    }

    /// The script in a file, by its path from the board file.
    fn beside(
        around: &Around<'_>,
        file: &str,
        role: &'static Role,
        irq: Option<Irq>,
    ) -> Result<Script, String> {
        let path = around.folder.join(file);
        let text = host::read_text(around.files, &path)
            .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
        Script::new(file, &text, role, irq)
    }

    /// The text of a script that was found in `file`, after its `reset`.
    fn new(file: &str, text: &str, role: &'static Role, irq: Option<Irq>) -> Result<Script, String> {
        let engine = engine();
        let ast = engine
            .compile(text)
            .map_err(|error| placed(file, error.1, &error.0))?;
        let mut has = Vec::new();
        for function in ast.iter_functions() {
            let Some(&(name, arguments)) = role.called.iter().find(|(name, _)| *name == function.name) else {
                continue;
            };
            if function.params.len() != arguments {
                let (count, place) = (function.params.len(), at_function(file, text, name));
                return Err(format!(
                    "{place}: `{name}` has {arguments} arguments, not {count}"
                ));
            }
            has.push(name);
        }
        if let Some((name, question)) = misspelt(text, &ast, role, &has) {
            let place = at_function(file, text, &name);
            return Err(format!("{place}: nobody calls `{name}`: {question}"));
        }
        if has.is_empty() {
            let all: Vec<_> = role.called.iter().map(|(name, _)| format!("`{name}`")).collect();
            let all = all.join(", ");
            return Err(format!(
                "{file}: it has none of the functions that are called: {all}"
            ));
        }
        let places = has.iter().map(|name| (*name, at_function(file, text, name)));
        let places = places.collect();
        let file = file.to_owned();
        let mut script = Script {
            program: Arc::new(Program {
                engine,
                ast,
                file,
                role,
                places,
            }),
            state: Map::new().into(),
            core_hz: 0,
            output: Output::new(irq),
            wake: u64::MAX,
            stretch: 0,
            sent: Vec::new(),
            effects: VecDeque::new(),
            given: VecDeque::new(),
            given_bytes: 0,
            note: None,
        };
        match script.ask("reset", (), 0) {
            Ok(_) => Ok(script),
            Err(DeviceError::NotModelled(message)) => match message.strip_prefix(MISTAKE) {
                Some(placed) => Err(placed.to_owned()),
                None => Err(format!("{}: {message}", script.program.file)),
            },
            Err(DeviceError::Bus) => Err(script
                .mistake("reset", "answers no access that could end in a bus error")
                .replacen(MISTAKE, "", 1)),
        }
    }

    fn has(&self, function: &str) -> bool {
        self.program.places.iter().any(|(name, _)| *name == function)
    }

    /// Calls a function, if there is one, and does what it asked for.
    fn ask(
        &mut self,
        function: &'static str,
        arguments: impl FuncArgs,
        now: u64,
    ) -> Result<Dynamic, DeviceError> {
        if !self.has(function) {
            return Ok(Dynamic::UNIT);
        }
        let program = Arc::clone(&self.program);
        let desk = Arc::new(Mutex::new(Desk::new(now, self.core_hz)));
        let options = CallFnOptions::new()
            .eval_ast(false)
            .bind_this_ptr(&mut self.state)
            .with_tag(desk::Handle(Arc::clone(&desk)));
        let returned = program.engine.call_fn_with_options::<Dynamic>(
            options,
            &mut Scope::new(),
            &program.ast,
            function,
            arguments,
        );
        let mut desk = desk.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let too_much = self.take(&mut desk, function, now);
        if let Some(refused) = desk.refused.take() {
            return Err(refused);
        }
        let returned =
            returned.or_else(|error| not_modelled(told(self.place(function), &program.file, *error)));
        let wrong = too_much.or_else(|| self.wrong_state());
        if let Some(wrong) = wrong.filter(|_| returned.is_ok()) {
            return not_modelled(self.mistake(function, &wrong));
        }
        returned
    }

    /// A message about a function's mistake, with its line.
    fn mistake(&self, function: &str, what: &str) -> String {
        format!("{MISTAKE}{}: `{function}` {what}", self.place(function))
    }

    /// Where a function is defined.
    fn place(&self, function: &str) -> &str {
        let mut places = self.program.places.iter();
        let place = places.find(|(name, _)| *name == function);
        place.map_or(&*self.program.file, |(_, place)| place)
    }

    /// The message about an invalid state after a call; the state is empty then.
    fn wrong_state(&mut self) -> Option<String> {
        let wrong = if !self.state.is_map() {
            "leaves a `this` that is no map".to_owned()
        } else if is_deeper(&self.state, MOST_LEVELS) {
            format!("leaves lists or maps in `this` that are more than {MOST_LEVELS} deep within each other")
        } else {
            return None;
        };
        self.state = Map::new().into();
        Some(wrong)
    }

    /// Calls a function outside an access: an error stops the next access.
    fn tell(&mut self, function: &'static str, arguments: impl FuncArgs, now: u64) -> Option<Dynamic> {
        match self.ask(function, arguments, now) {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.refuse_later(error, now);
                None
            }
        }
    }

    fn refuse_later(&mut self, error: DeviceError, now: u64) {
        let error = match error {
            DeviceError::NotModelled(what) if what != ENDED => {
                DeviceError::NotModelled(format!("{what}, in cycle {now}"))
            }
            other => other,
        };
        self.given.push_back(Err(error));
    }

    /// Takes what was asked for; in words, if that is more than there is room for.
    fn take(&mut self, desk: &mut Desk, function: &str, now: u64) -> Option<String> {
        if let Some(level) = desk.irq {
            self.output.set(level, now);
        }
        if !self.program.role.of_chip && (desk.irq.is_some() || !desk.sent.is_empty()) {
            return Some("asks for `irq` or `send`, which a target on a bus does not have".to_owned());
        }
        if desk.stretch.is_some() && !self.program.role.stretches_in.contains(&function) {
            return Some("asks for `stretch`, and no byte of it is on a bus of I2C".to_owned());
        }
        self.stretch = desk.stretch.unwrap_or(0);
        if desk.wake.is_some_and(|cycle| cycle != u64::MAX) && !self.has("wake") {
            return Some("asks to be woken, and there is no function `wake`".to_owned());
        }
        self.wake = desk.wake.unwrap_or(self.wake);
        self.sent.append(&mut desk.sent);
        self.effects.extend(desk.effects.drain(..));
        self.given.extend(desk.given.drain(..).map(Ok));
        self.note = desk.note.take().or(self.note.take());
        self.given_bytes = self.given_bytes.saturating_add(desk.given_bytes);
        if self.given_bytes > MOST_GIVEN {
            self.given.clear();
            return Some(format!("gives more than {} MiB in a run", MOST_GIVEN >> 20));
        }
        if self.sent.len() > MOST_SENT {
            self.sent.clear();
            return Some(format!("sends {} MiB in no time", MOST_SENT >> 20));
        }
        None
    }
}

/// The file and the line at which a function begins.
fn at_function(file: &str, text: &str, name: &str) -> String {
    let begins = |line: &str| {
        let mut heads = line.split("fn ").skip(1).map(str::trim_start);
        let is_its = |head: &str| {
            let rest = head.strip_prefix(name);
            rest.is_some_and(|rest| rest.trim_start().starts_with('('))
        };
        !line.trim_start().starts_with("//") && heads.any(is_its)
    };
    match text.lines().position(begins) {
        Some(line) => format!("{file}:{}", line + 1),
        None => file.to_owned(),
    }
}

/// A function that nobody calls, and whose name is nearly that of one which would be called: its name, and which one is meant.
fn misspelt(text: &str, ast: &AST, role: &Role, has: &[&str]) -> Option<(String, String)> {
    let mut own = ast
        .iter_functions()
        .filter(|function| !has.contains(&function.name));
    own.find_map(|function| {
        let is_word = |word: &&str| *word == function.name;
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.by_ref().filter(is_word).nth(1).is_some() {
            return None;
        }
        let missing = role.called.iter().map(|(name, _)| *name);
        let missing = missing.filter(|name| !has.contains(name));
        let question = did_you_mean(&nearest(function.name, missing, 1))?;
        Some((function.name.to_owned(), question))
    })
}

/// Whether there are more levels of lists and maps than so many.
fn is_deeper(value: &Dynamic, levels: usize) -> bool {
    let within = |value: &Dynamic| (value.is_array() || value.is_map()) && is_deeper(value, levels - 1);
    let list = value
        .as_array_ref()
        .is_ok_and(|list| levels == 0 || list.iter().any(within));
    list || value
        .as_map_ref()
        .is_ok_and(|map| levels == 0 || map.values().any(within))
}

fn engine() -> Engine {
    let mut engine = Engine::new_raw();
    engine.register_global_module(StandardPackage::new().as_shared_module());
    // Other text than the file's.
    for word in ["eval", "import"] {
        engine.disable_symbol(word);
    }
    engine
        .set_max_operations(MOST_OPERATIONS)
        .set_max_call_levels(MOST_CALLS)
        .set_max_string_size(MOST_DATA)
        .set_max_array_size(MOST_DATA)
        .set_max_map_size(MOST_KEYS)
        .set_strict_variables(true)
        .set_fail_on_invalid_map_property(true);
    engine.on_progress(|_| ENDING.load(Ordering::Relaxed).then_some(Dynamic::UNIT));
    desk::offer(&mut engine);
    engine
}

/// The message about a call that [`end_scripts`] ended.
pub(crate) const ENDED: &str = "a call of a script was ended with the run";

/// With this begins what a script did wrong: no range of addresses that is allowed would answer it.
pub(crate) const MISTAKE: &str = "mistake in script ";

/// Formats an error with its place: the line that the library names, or that of the call; otherwise the function that `begins` there.
fn told(begins: &str, file: &str, mut error: EvalAltResult) -> String {
    let mut called = Position::NONE;
    while let EvalAltResult::ErrorInFunctionCall(_, _, inner, place) = error {
        called = if place.is_none() { called } else { place };
        error = *inner;
    }
    let place = error.take_position().or_else(called);
    let limit = match error {
        EvalAltResult::ErrorTerminated(..) => return ENDED.to_owned(),
        EvalAltResult::ErrorTooManyOperations(_) => format!(": a call has {MOST_OPERATIONS} operations"),
        _ => String::new(),
    };
    let file = if place.is_none() { begins } else { file };
    placed(
        &format!("{MISTAKE}{file}"),
        place,
        &desk::one_line(&format!("{error}{limit}")),
    )
}

fn placed(file: &str, place: Position, message: &dyn std::fmt::Display) -> String {
    match place.line() {
        Some(line) => format!("{file}:{line}: {message}"),
        None => format!("{file}: {message}"),
    }
}

/// A number of the simulator's, as a script has it.
fn int(number: u64) -> INT {
    INT::try_from(number).unwrap_or(INT::MAX)
}

impl Device for Script {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        if !self.has("read") {
            return not_modelled(format!("offset {offset:#x}: {} has no `read`", self.program.file));
        }
        let value = self.ask("read", (INT::from(offset), INT::from(size)), now)?;
        match value.as_int() {
            Ok(value) => Ok(value as u32 & u32::MAX >> (32 - 8 * size)),
            Err(kind) => {
                let what = format!("returned {kind} and not a number, at offset {offset:#x}");
                not_modelled(self.mistake("read", &what))
            }
        }
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        if !self.has("write") {
            return not_modelled(format!(
                "offset {offset:#x}: {} has no `write`",
                self.program.file
            ));
        }
        let arguments = (INT::from(offset), INT::from(size), INT::from(value));
        self.ask("write", arguments, now).map(drop)
    }

    fn next_event(&self) -> u64 {
        self.wake.min(self.output.due())
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if self.wake <= now {
            self.wake = u64::MAX;
            self.tell("wake", (), now);
        }
        self.output.tell(now, line);
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        match effect {
            Effect::Clock(ClockId::CORE, hz) => self.core_hz = hz,
            Effect::Pin { port, pin, level } if self.has("port") => {
                let arguments = (INT::from(port), INT::from(pin), level);
                return self.ask("port", arguments, now).map(drop);
            }
            _ => {}
        }
        Ok(())
    }

    fn leave_reset(&mut self, now: u64) -> Result<(), DeviceError> {
        (self.state, self.wake) = (Map::new().into(), u64::MAX);
        self.ask("reset", (), now).map(drop)
    }

    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        let wanted = match input {
            Incoming::Bytes(_) | Incoming::Waiting(_) => "bytes",
            Incoming::Pin { .. } => "pin",
            Incoming::Value { .. } => "value",
        };
        if !self.has(wanted) {
            return not_modelled(format!("{} has no `{wanted}`", self.program.file));
        }
        let returned = match input {
            Incoming::Bytes(bytes) | Incoming::Waiting(bytes) => {
                let bytes: Array = bytes.iter().map(|&byte| Dynamic::from(INT::from(byte))).collect();
                self.ask(wanted, (bytes,), now)
            }
            Incoming::Pin { pin, level } => {
                let level = level.map_or(Dynamic::UNIT, Dynamic::from);
                self.ask(wanted, (INT::from(*pin), level), now)
            }
            Incoming::Value { channel, value } => {
                self.ask(wanted, (INT::from(*channel), INT::from(*value)), now)
            }
        };
        returned.map(drop)
    }

    fn gives(&self) -> bool {
        true
    }

    fn take_given(&mut self) -> Option<Given> {
        self.given.pop_front()
    }

    fn note(&mut self) -> Option<String> {
        self.note.take()
    }

    fn drain_output(&mut self, sink: &mut dyn FnMut(&[u8])) {
        if !self.sent.is_empty() {
            sink(&std::mem::take(&mut self.sent));
        }
    }
}

#[cfg(test)]
mod tests;
