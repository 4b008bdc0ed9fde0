//! An event as named values.

use events::{Costs, EntryKind, Event, Mask, RuleBook};
use machine::{Exception, Image};

use super::lines::Known;

/// A named value of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value<'a> {
    Number(u64),
    Address(u32),
    Text(&'a str),
}

/// What stands in a line: its first cycle, what it is, and the rest. Reused from line to line.
pub(super) type Fields<'a> = Vec<(&'static str, Value<'a>)>;

use Value::{Address, Number, Text};

/// What is written of the costs of a window: `load:2,wait-states:1`.
pub(super) fn causes(costs: &Costs, rules: &RuleBook, text: &mut String) {
    for (index, cost) in costs.iter().enumerate() {
        let name = rules.get(cost.rule).map_or("verilog", |rule| rule.id);
        if index > 0 {
            text.push(',');
        }
        text.push_str(name);
        text.push(':');
        text.push_str(&cost.cycles.to_string());
    }
}

/// The name of the exception that an event is about.
pub(super) fn exception(event: &Event, image: &Image) -> String {
    let number = match event {
        Event::Enter(enter) => enter.number,
        Event::Exit(exit) => exit.number,
        Event::Input { number, .. } | Event::Line { number, .. } => *number,
        _ => return String::new(),
    };
    Exception(number).name_in(image.architecture())
}

/// The event as a line has it: when, what, and its values. `name` is its exception, `causes` what its cycles went to.
pub(super) fn fields<'a>(
    event: &Event,
    known: Option<&'a Known>,
    name: &'a str,
    causes: &'a str,
    to: &mut Fields<'a>,
) -> (u64, &'static str) {
    let (insn, place) = known.map_or(("", ""), |known| (&*known.insn, &*known.place));
    let window = event.window().map(|(at, _)| at);
    if let Some(at) = window {
        to.push(("end", Number(at.to)));
    }
    let kind = match *event {
        Event::Retire(ref retire) => {
            let values = [
                ("issued", Number(retire.issued)),
                ("pc", Address(retire.pc)),
                ("sp", Address(retire.sp)),
                ("insn", Text(insn)),
            ];
            to.extend(values);
            "retire"
        }
        Event::Enter(ref enter) => {
            let values = [
                ("recognised", Number(enter.recognised)),
                ("name", Text(name)),
                ("by", Text(entry_kind(enter.kind))),
                ("return", Address(enter.return_address)),
                ("handler", Address(enter.handler)),
                ("sp", Address(enter.sp)),
            ];
            to.extend(values);
            "enter"
        }
        Event::Exit(ref exit) => {
            to.extend([
                ("name", Text(name)),
                ("to", Address(exit.to)),
                ("sp", Address(exit.sp)),
            ]);
            "exit"
        }
        Event::Fetch { pc, .. } => {
            to.extend([("pc", Address(pc)), ("at", Text(place))]);
            "fetch"
        }
        Event::Sleep { .. } => "sleep",
        _ => other(event, name, to),
    };
    if !causes.is_empty() {
        to.push(("causes", Text(causes)));
    }
    if let Event::Retire(_) = event {
        to.push(("at", Text(place)));
    }
    (window.map_or(event.cycle(), |at| at.from), kind)
}

fn other<'a>(event: &Event, name: &'a str, to: &mut Fields<'a>) -> &'static str {
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
            let values = [
                ("pc", Address(pc)),
                ("address", Address(address)),
                ("size", number(size)),
                ("value", Address(value)),
            ];
            to.extend(values);
            if matches!(event, Event::Read { .. }) {
                "read"
            } else {
                "write"
            }
        }
        Event::MaskChange {
            pc, mask, old, new, ..
        } => {
            let values = [
                ("pc", Address(pc)),
                ("mask", Text(mask_name(mask))),
                ("old", number(old)),
                ("new", number(new)),
            ];
            to.extend(values);
            "mask"
        }
        Event::Semihosting {
            pc,
            operation,
            parameter,
            ..
        } => {
            let values = [
                ("pc", Address(pc)),
                ("operation", Address(operation)),
                ("parameter", Address(parameter)),
            ];
            to.extend(values);
            "semihost"
        }
        Event::Breakpoint { pc, imm, sp, .. } => {
            to.extend([("pc", Address(pc)), ("imm", number(imm)), ("sp", Address(sp))]);
            "bkpt"
        }
        Event::Input { level, .. } | Event::Line { level, .. } => {
            to.extend([("name", Text(name)), ("level", number(level.into()))]);
            if matches!(event, Event::Line { .. }) {
                "line"
            } else {
                "input"
            }
        }
        Event::Switch { pc, left, sp, .. } => {
            to.extend([("pc", Address(pc)), ("left", Address(left)), ("sp", Address(sp))]);
            "switch"
        }
        Event::Text { error, byte, .. } => {
            to.extend([("error", number(error.into())), ("byte", number(byte))]);
            "text"
        }
        Event::Retire(_) | Event::Enter(_) | Event::Exit(_) | Event::Fetch { .. } | Event::Sleep { .. } => "",
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
    }
}
