//! Expressions: numbers, registers, symbols, registers of devices, memory, sums of these; and `monitor` commands.

use dap::requests::EvaluateArguments;
use machine::image::SymbolKind;
use serde_json::{Value as Json, json};

use super::requests::parsed;
use super::variables::number;
use super::{Adapter, Answered, Refusal};

/// The longest expression in bytes.
const LONGEST: usize = 1 << 10;
/// The most bytes of a variable that are shown.
const MOST_SHOWN: u32 = 32;

/// A value, and where it is if it lies in memory.
pub(super) struct Value {
    pub(super) number: u64,
    pub(super) address: Option<u32>,
    /// Its size in bytes.
    pub(super) size: u32,
    pub(super) text: String,
}

impl Value {
    fn of(value: u64) -> Value {
        let text = format!("{value:#x} ({value})");
        Value {
            number: value,
            address: None,
            size: 4,
            text,
        }
    }
}

impl Adapter {
    pub(super) fn evaluate(&mut self, arguments: Json) -> Answered {
        let arguments: EvaluateArguments = parsed(arguments)?;
        let text = arguments.expression.trim();
        if let Some(command) = text.strip_prefix("monitor") {
            return self.monitor(command);
        }
        let value = self.value_of(text)?;
        let mut told = json!({ "result": value.text, "variablesReference": 0 });
        if let Some(address) = value.address {
            told["memoryReference"] = format!("{address:#010x}").into();
        }
        Ok(told)
    }

    fn monitor(&mut self, command: &str) -> Answered {
        let session = self.session()?;
        let before = session.cycle();
        let text = session.monitor(command)?;
        let is_moved = session.cycle() != before;
        if is_moved && matches!(self.course, super::Course::Stopped) {
            let session = self.session()?;
            let now = (session.cycle(), session.target().instructions());
            (self.resumed_at, self.failure) = (now, None);
            self.stopped_as("goto", None, None);
        }
        Ok(json!({ "result": text, "variablesReference": 0 }))
    }

    /// The value of an expression.
    pub(super) fn value_of(&mut self, text: &str) -> Answered<Value> {
        if text.len() > LONGEST {
            return Err(Refusal(format!("an expression has at most {LONGEST} characters")));
        }
        self.sum(text.trim())
    }

    fn sum(&mut self, text: &str) -> Answered<Value> {
        let alone = match self.term(text) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let Some(at) = text.rfind(['+', '-']).filter(|at| *at > 0) else {
            return Err(alone);
        };
        let Ok(right) = self.term(text[at + 1..].trim()) else {
            return Err(alone);
        };
        let left = self.sum(text[..at].trim())?;
        Ok(Value::of(u64::from(match &text[at..=at] {
            "+" => (left.number as u32).wrapping_add(right.number as u32),
            _ => (left.number as u32).wrapping_sub(right.number as u32),
        })))
    }

    fn term(&mut self, text: &str) -> Answered<Value> {
        if let Some(rest) = text.strip_prefix('*') {
            let address = self
                .sum(rest.trim_start_matches('(').trim_end_matches(')').trim())?
                .number as u32;
            return self.at(address, 4);
        }
        if let Some(rest) = text.strip_prefix('&') {
            let address = self.term(rest.trim())?.address;
            let missing = || Refusal(format!("`{}` is not in memory", rest.trim()));
            return Ok(Value::of(u64::from(address.ok_or_else(missing)?)));
        }
        if let Ok(value) = super::memory::address(text, None) {
            return Ok(Value::of(u64::from(value)));
        }
        let name = text.strip_prefix('$').unwrap_or(text);
        if let Some(value) = self.register_value(name)? {
            return Ok(value);
        }
        if let Some((address, size)) = self.device_register(text)? {
            return self.at(address, size);
        }
        let image = self.session()?.target().image().clone();
        match image.symbol(text) {
            Ok(symbol) if symbol.kind == SymbolKind::Object => self.at(symbol.address, symbol.size.max(1)),
            Ok(symbol) => {
                let address = symbol.address;
                Ok(Value {
                    address: Some(address),
                    text: format!("{address:#010x} <{}>", symbol.name),
                    ..Value::of(u64::from(address))
                })
            }
            Err(error) => {
                let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
                Err(Refusal(format!("{error}{hint}")))
            }
        }
    }

    fn register_value(&mut self, name: &str) -> Answered<Option<Value>> {
        let session = self.session()?;
        let description = session.description();
        let row = description
            .rows()
            .find(|row| row.name().eq_ignore_ascii_case(name));
        let bytes = row.and_then(|row| session.register(row, None));
        Ok(bytes.map(|bytes| Value {
            number: bytes
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u64::from(*byte)),
            address: None,
            size: bytes.len() as u32,
            text: number(&bytes),
        }))
    }

    /// Address and bytes of `PERIPHERAL.REGISTER`.
    fn device_register(&mut self, text: &str) -> Answered<Option<(u32, u32)>> {
        let board = self.session()?.target().board();
        let (Some(svd), Some((owner, name))) = (board.svd(), text.split_once('.')) else {
            return Ok(None);
        };
        let mut peripherals = svd.peripherals().iter();
        let peripheral = peripherals.find(|peripheral| peripheral.name.eq_ignore_ascii_case(owner));
        let found = peripheral.and_then(|peripheral| {
            let mut registers = peripheral.registers.iter();
            let register = registers.find(|register| register.name.eq_ignore_ascii_case(name))?;
            Some((peripheral.base.wrapping_add(register.offset), register.bytes))
        });
        Ok(found)
    }

    /// What memory holds at an address.
    fn at(&mut self, address: u32, size: u32) -> Answered<Value> {
        let shown = size.min(MOST_SHOWN);
        let block = self.session()?.read_memory(address, shown)?;
        let bytes = block.map(|block| block.bytes).unwrap_or_default();
        if bytes.len() < shown as usize {
            return Err(Refusal(format!("{address:#010x} cannot be read")));
        }
        let text = if matches!(size, 1 | 2 | 4 | 8) {
            number(&bytes)
        } else {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let more = if size > shown { " …" } else { "" };
            format!("{size} bytes: {}{more}", digits.join(" "))
        };
        let first = bytes.iter().take(8).rev();
        Ok(Value {
            number: first.fold(0, |value, byte| value << 8 | u64::from(*byte)),
            address: Some(address),
            size,
            text,
        })
    }
}
