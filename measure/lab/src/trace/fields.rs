//! An event as named values.

use events::{Costs, EntryKind, Event, Mask, RuleBook, RuleId};
use machine::{Board, ExceptionNames};

/// The names of values, in column order.
macro_rules! names {
    ($($name:ident $text:literal)*) => {
        /// The name of a value.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Name { $($name),* }

        impl Name {
            /// All names, as written.
            pub(super) const ALL: [&str; [$($text),*].len()] = [$($text),*];
        }
    };
}

names! {
    End "end"
    Issued "issued"
    Pc "pc"
    Insn "insn"
    At "at"
    Causes "causes"
    Sp "sp"
    Exception "name"
    Level "level"
    Recognised "recognised"
    By "by"
    Return "return"
    Handler "handler"
    To "to"
    Address "address"
    Size "size"
    Value "value"
    Mask "mask"
    Old "old"
    New "new"
    Operation "operation"
    Parameter "parameter"
    Imm "imm"
    Left "left"
    Error "error"
    Byte "byte"
    Priority "priority"
    Hz "hz"
}

impl Name {
    /// The name as written.
    pub(super) fn text(self) -> &'static str {
        Name::ALL[self as usize]
    }
}

/// A value of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value<'a> {
    Number(u64),
    Signed(i64),
    Address(u32),
    Text(&'a str),
}

/// Receives the values of one event.
pub(super) trait Line<'a> {
    fn value(&mut self, name: Name, value: Value<'a>);
}

/// Texts about an event that it does not contain itself; `""` if there is none.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct About<'a> {
    /// The disassembled instruction.
    pub(super) insn: &'a str,
    /// Its source place.
    pub(super) place: &'a str,
    /// The exception's name.
    pub(super) name: &'a str,
    /// The cycles by rule.
    pub(super) causes: &'a str,
}

use Value::{Address, Number, Signed, Text};

/// Rule names by number, so that they need not be searched for in the rule book.
pub(super) struct RuleNames([&'static str; 128]);

impl RuleNames {
    pub(super) fn of(rules: &RuleBook) -> RuleNames {
        let name = |number| rules.get(RuleId(number)).map_or("verilog", |rule| rule.id);
        RuleNames(std::array::from_fn(|number| name(number as u8)))
    }
}

/// A window's costs as text: `load:2,wait-states:1`.
pub(super) fn causes(costs: &Costs, names: &RuleNames) -> String {
    let mut text = String::new();
    for (index, cost) in costs.as_slice().iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(names.0[usize::from(cost.rule.0 & 127)]);
        text.push(':');
        text.push_str(itoa::Buffer::new().format(cost.cycles));
    }
    text
}

/// The names of a board's ports, by their peripheral index.
pub(super) fn ports(board: &Board) -> Vec<(usize, String)> {
    let ports = board.ports();
    ports.map(|(place, name, _)| (place, name.to_owned())).collect()
}

/// The name of the event's exception or pin.
pub(super) fn name(event: &Event, called: &ExceptionNames, ports: &[(usize, String)]) -> String {
    let exception = match event {
        Event::Enter(enter) => enter.exception,
        Event::Exit(exit) => exit.exception,
        Event::Input { exception, .. } | Event::Line { exception, .. } => *exception,
        Event::Pin { port, pin, .. } => {
            let port = ports.iter().find(|(place, _)| *place == usize::from(*port));
            return port.map_or(String::new(), |(_, name)| format!("{name}.{pin}"));
        }
        _ => return String::new(),
    };
    called.name(exception)
}

/// The event's cycle and kind.
pub(super) fn head(event: &Event) -> (u64, &'static str) {
    let kind = match event {
        Event::Retire(_) => "retire",
        Event::Enter(_) => "enter",
        Event::Exit(_) => "exit",
        Event::Fetch { .. } => "fetch",
        Event::Reset { .. } => "reset",
        Event::Sleep { .. } => "sleep",
        Event::Read { .. } => "read",
        Event::Write { .. } => "write",
        Event::MaskChange { .. } => "mask",
        Event::Semihosting { .. } => "semihost",
        Event::Breakpoint { .. } => "bkpt",
        Event::Line { .. } => "line",
        Event::Pin { .. } => "pin",
        Event::Clock { .. } => "clock",
        Event::Input { .. } => "input",
        Event::Switch { .. } => "switch",
        Event::Text { .. } => "text",
    };
    let window = event.window().map(|(at, _)| at.from);
    (window.unwrap_or(event.cycle()), kind)
}

/// The remaining values of a line.
pub(super) fn fields<'a>(event: &Event, about: About<'a>, to: &mut impl Line<'a>) {
    let About {
        insn,
        place,
        name,
        causes,
    } = about;
    if let Some((at, _)) = event.window() {
        to.value(Name::End, Number(at.to));
    }
    match *event {
        Event::Retire(ref retire) => {
            to.value(Name::Issued, Number(retire.issued));
            to.value(Name::Pc, Address(retire.pc));
            to.value(Name::Sp, Address(retire.sp));
            to.value(Name::Insn, Text(insn));
        }
        Event::Enter(ref enter) => {
            to.value(Name::Recognised, Number(enter.recognised));
            to.value(Name::Exception, Text(name));
            to.value(Name::By, Text(entry_kind(enter.kind)));
            to.value(Name::Return, Address(enter.return_address));
            to.value(Name::Handler, Address(enter.handler));
            to.value(Name::Sp, Address(enter.sp));
            if let Some(priority) = enter.priority {
                to.value(Name::Priority, Signed(priority.into()));
            }
        }
        Event::Exit(ref exit) => {
            to.value(Name::Exception, Text(name));
            to.value(Name::To, Address(exit.to));
            to.value(Name::Sp, Address(exit.sp));
        }
        Event::Fetch { pc, .. } => {
            to.value(Name::Pc, Address(pc));
            to.value(Name::At, Text(place));
        }
        Event::Sleep { .. } | Event::Reset { .. } => {}
        _ => other(event, name, to),
    }
    if !causes.is_empty() {
        to.value(Name::Causes, Text(causes));
    }
    if let Event::Retire(_) = event {
        to.value(Name::At, Text(place));
    }
}

fn other<'a>(event: &Event, name: &'a str, to: &mut impl Line<'a>) {
    let number = |value: u8| Number(u64::from(value));
    match *event {
        Event::Write {
            pc,
            address,
            size,
            value,
            ..
        }
        | Event::Read {
            pc,
            address,
            size,
            value,
            ..
        } => {
            to.value(Name::Pc, Address(pc));
            to.value(Name::Address, Address(address));
            to.value(Name::Size, number(size));
            to.value(Name::Value, Address(value));
        }
        Event::MaskChange {
            pc,
            mask,
            old,
            new,
            lifts,
            ..
        } => {
            to.value(Name::Pc, Address(pc));
            to.value(Name::Mask, Text(mask_name(mask)));
            to.value(Name::Old, number(old));
            to.value(Name::New, number(new));
            to.value(Name::Priority, Signed(lifts.into()));
        }
        Event::Semihosting {
            pc,
            operation,
            parameter,
            ..
        } => {
            to.value(Name::Pc, Address(pc));
            to.value(Name::Operation, Address(operation));
            to.value(Name::Parameter, Address(parameter));
        }
        Event::Breakpoint { pc, imm, sp, .. } => {
            to.value(Name::Pc, Address(pc));
            to.value(Name::Imm, number(imm));
            to.value(Name::Sp, Address(sp));
        }
        Event::Input { level, .. } | Event::Line { level, .. } | Event::Pin { level, .. } => {
            to.value(Name::Exception, Text(name));
            to.value(Name::Level, number(level.into()));
        }
        Event::Clock { hz, .. } => to.value(Name::Hz, Number(hz.into())),
        Event::Switch { pc, left, sp, .. } => {
            to.value(Name::Pc, Address(pc));
            to.value(Name::Left, Address(left));
            to.value(Name::Sp, Address(sp));
        }
        Event::Text { error, byte, .. } => {
            to.value(Name::Error, number(error.into()));
            to.value(Name::Byte, number(byte));
        }
        Event::Retire(_)
        | Event::Enter(_)
        | Event::Exit(_)
        | Event::Fetch { .. }
        | Event::Reset { .. }
        | Event::Sleep { .. } => {}
    }
}

fn entry_kind(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Preempt => "preempt",
        EntryKind::TailChain => "tail-chain",
        EntryKind::LateArrival => "late-arrival",
    }
}

pub(super) fn mask_name(mask: Mask) -> &'static str {
    match mask {
        Mask::Primask => "PRIMASK",
        Mask::Faultmask => "FAULTMASK",
        Mask::Basepri => "BASEPRI",
        Mask::Mie => "MIE",
    }
}
