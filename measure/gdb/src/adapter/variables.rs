//! Scopes and the variables in them.

use dap::requests::{ScopesArguments, SetVariableArguments, VariablesArguments};
use machine::image::SymbolKind;
use machine::svd::{Peripheral, Register};
use serde_json::{Value, json};

use super::requests::parsed;
use super::state::Container;
use super::{Adapter, Answered, Refusal};
use crate::session::Session;

/// The most static variables shown.
const MOST_STATICS: usize = 1 << 12;
/// The largest variable shown as a number, in bytes.
const WIDEST: u32 = 8;

fn variable(name: impl Into<String>, value: impl Into<String>) -> Value {
    json!({ "name": name.into(), "value": value.into(), "variablesReference": 0 })
}

/// A number in little-endian bytes, as hexadecimal and decimal.
pub(super) fn number(bytes: &[u8]) -> String {
    let value = bytes
        .iter()
        .rev()
        .fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    let width = 2 + 2 * bytes.len();
    format!("{value:#0width$x} ({value})")
}

impl Adapter {
    pub(super) fn scopes(&mut self, arguments: Value) -> Answered {
        let arguments: ScopesArguments = parsed(arguments)?;
        let index = usize::try_from(arguments.frame_id.wrapping_sub(1)).ok();
        let level = index.and_then(|index| self.levels.get(index).copied());
        let level = level.ok_or_else(|| Refusal(format!("there is no frame {}", arguments.frame_id)))?;
        let session = self.session()?;
        let has_svd = session.target().board().svd().is_some();
        let has_threads = session.threads()?.len() > 1;
        let scopes = [
            ("Registers", Container::Registers(level.thread), true),
            ("Cycles", Container::Cycles, true),
            ("Statics", Container::Statics, true),
            ("Kernel", Container::Kernel, has_threads),
            ("Peripherals", Container::Peripherals, has_svd),
        ];
        let mut told = Vec::new();
        for (name, container, _) in scopes.into_iter().filter(|(.., shown)| *shown) {
            let mut scope = json!({
                "name": name,
                "variablesReference": self.refer(container),
                "expensive": matches!(container, Container::Peripherals | Container::Statics),
            });
            if name == "Registers" {
                scope["presentationHint"] = "registers".into();
            }
            told.push(scope);
        }
        Ok(json!({ "scopes": told }))
    }

    fn refer(&mut self, container: Container) -> usize {
        self.containers.push(container);
        self.containers.len()
    }

    fn container(&self, reference: i64) -> Answered<Container> {
        let index = usize::try_from(reference.wrapping_sub(1)).ok();
        let found = index.and_then(|index| self.containers.get(index).copied());
        found.ok_or_else(|| {
            Refusal(format!(
                "there is no variable {reference}, or the program ran since"
            ))
        })
    }

    pub(super) fn variables(&mut self, arguments: Value) -> Answered {
        let arguments: VariablesArguments = parsed(arguments)?;
        let all = match self.container(arguments.variables_reference)? {
            Container::Registers(thread) => self.registers(thread)?,
            Container::Statics => statics(self.session()?),
            Container::Peripherals => self.peripherals()?,
            Container::Peripheral(index) => self.peripheral(index)?,
            Container::Fields(index, register) => self.fields(index, register)?,
            Container::Kernel => {
                let threads = self.session()?.threads()?;
                let told = threads
                    .iter()
                    .map(|(number, thread)| variable(format!("thread {number}"), &thread.name));
                told.collect()
            }
            Container::Cycles => self.cycles()?,
        };
        let size = |number: Option<i64>| number.and_then(|number| usize::try_from(number).ok());
        let most = size(arguments.count)
            .filter(|count| *count > 0)
            .unwrap_or(usize::MAX);
        let shown = all
            .into_iter()
            .skip(size(arguments.start).unwrap_or(0))
            .take(most);
        Ok(json!({ "variables": shown.collect::<Vec<_>>() }))
    }

    fn registers(&mut self, thread: u32) -> Answered<Vec<Value>> {
        let (_, thread) = self.thread(i64::from(thread))?;
        let session = self.session()?;
        let (description, image) = (session.description(), session.target().image().clone());
        let told = description.rows().map(|row| {
            let Some(bytes) = session.register(row, Some(&thread)) else {
                return variable(row.name(), "not known");
            };
            let mut value = number(&bytes);
            if let Ok(word) = <[u8; 4]>::try_from(bytes.as_slice()) {
                let address = u32::from_le_bytes(word);
                if matches!(row.name(), "pc" | "lr" | "ra" | "mepc" | "mtvec")
                    && let Some(symbol) = image.describe(address & !1)
                {
                    value = format!("{address:#010x} <{symbol}>");
                }
            } else if let Ok(double) = <[u8; 8]>::try_from(bytes.as_slice()) {
                value = format!(
                    "{:#018x} ({})",
                    u64::from_le_bytes(double),
                    f64::from_le_bytes(double)
                );
            }
            let mut told = variable(row.name(), value);
            told["evaluateName"] = format!("${}", row.name()).into();
            told
        });
        Ok(told.collect())
    }

    fn cycles(&mut self) -> Answered<Vec<Value>> {
        let (from, executed) = self.resumed_at;
        let target = self.session()?.target();
        let (cycle, instructions) = (target.cycle(), target.instructions());
        let (time, clock) = (target.nanoseconds(), target.clock_hz());
        Ok(vec![
            variable("since the last stop", cycle.abs_diff(from).to_string()),
            variable(
                "instructions since the last stop",
                instructions.abs_diff(executed).to_string(),
            ),
            variable("since reset", cycle.to_string()),
            variable("instructions since reset", instructions.to_string()),
            variable("time since reset", format!("{time} ns")),
            variable("clock", format!("{clock} Hz")),
        ])
    }

    fn svd(&mut self) -> Answered<Vec<Peripheral>> {
        let board = self.session()?.target().board();
        Ok(board
            .svd()
            .map(|svd| svd.peripherals().to_vec())
            .unwrap_or_default())
    }

    fn peripherals(&mut self) -> Answered<Vec<Value>> {
        let mut told = Vec::new();
        for (index, peripheral) in self.svd()?.iter().enumerate() {
            let mut one = variable(&peripheral.name, format!("{:#010x}", peripheral.base));
            one["variablesReference"] = self.refer(Container::Peripheral(index)).into();
            told.push(one);
        }
        Ok(told)
    }

    fn peripheral(&mut self, index: usize) -> Answered<Vec<Value>> {
        let all = self.svd()?;
        let Some(peripheral) = all.get(index) else {
            return Ok(Vec::new());
        };
        let mut told = Vec::new();
        for (number, register) in peripheral.registers.iter().enumerate() {
            let bytes = self.register_bytes(peripheral, register)?;
            let text = bytes.as_deref().map_or("not modelled".to_owned(), self::number);
            let mut one = variable(&register.name, text);
            one["evaluateName"] = format!("{}.{}", peripheral.name, register.name).into();
            one["memoryReference"] =
                format!("{:#010x}", peripheral.base.wrapping_add(register.offset)).into();
            if bytes.is_some() && !register.fields.is_empty() {
                one["variablesReference"] = self.refer(Container::Fields(index, number)).into();
            }
            told.push(one);
        }
        Ok(told)
    }

    fn fields(&mut self, index: usize, register: usize) -> Answered<Vec<Value>> {
        let all = self.svd()?;
        let found = all
            .get(index)
            .and_then(|peripheral| Some((peripheral, peripheral.registers.get(register)?)));
        let Some((peripheral, register)) = found else {
            return Ok(Vec::new());
        };
        let bytes = self.register_bytes(peripheral, register)?.unwrap_or_default();
        let value = bytes
            .iter()
            .rev()
            .fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        let fields = register.fields.iter();
        Ok(fields
            .map(|field| variable(&field.name, format!("{:#x}", field.of(value))))
            .collect())
    }

    /// The bytes of a device's register, without side effects; `None` if it is not modelled.
    fn register_bytes(&mut self, peripheral: &Peripheral, register: &Register) -> Answered<Option<Vec<u8>>> {
        let mut bytes = vec![0; register.bytes as usize];
        let memory = self.session()?.target().memory()?;
        let is_read = memory.read(peripheral.base.wrapping_add(register.offset), &mut bytes);
        Ok(is_read.then_some(bytes))
    }

    /// The name by which an expression finds a variable of a container.
    pub(super) fn full_name(&mut self, reference: Option<i64>, name: &str) -> String {
        let container = reference.and_then(|reference| self.container(reference).ok());
        match container {
            Some(Container::Peripheral(index)) => {
                let peripherals = self.svd().unwrap_or_default();
                let owner = peripherals.get(index).map(|peripheral| peripheral.name.as_str());
                format!("{}.{name}", owner.unwrap_or_default())
            }
            Some(Container::Registers(_)) => format!("${name}"),
            _ => name.to_owned(),
        }
    }

    pub(super) fn set_variable(&mut self, arguments: Value) -> Answered {
        let arguments: SetVariableArguments = parsed(arguments)?;
        let container = self.container(arguments.variables_reference)?;
        let value = self.value_of(&arguments.value)?.number;
        let name = self.full_name(Some(arguments.variables_reference), &arguments.name);
        let cannot = || Refusal(format!("`{name}` cannot be written"));
        let is_done = match container {
            Container::Registers(thread) => {
                if self.thread(i64::from(thread))?.1.saved.is_some() {
                    return Err(Refusal::new("registers that a kernel saved are read-only"));
                }
                let session = self.session()?;
                let description = session.description();
                let row = description
                    .rows()
                    .find(|row| row.name() == arguments.name)
                    .ok_or_else(cannot)?;
                session.set_register(row, &value.to_le_bytes()[..row.size().min(8)])?
            }
            Container::Statics | Container::Peripheral(_) => {
                let place = self.value_of(&name)?;
                let address = place
                    .address
                    .filter(|_| place.size <= WIDEST)
                    .ok_or_else(cannot)?;
                self.write_bytes(address, &value.to_le_bytes()[..place.size as usize])?
            }
            _ => false,
        };
        if !is_done {
            return Err(cannot());
        }
        let now = self.value_of(&name)?;
        Ok(json!({ "value": now.text, "variablesReference": 0 }))
    }
}

/// The program's variables in RAM.
fn statics(session: &mut Session) -> Vec<Value> {
    let image = session.target().image().clone();
    let objects = image
        .symbols()
        .filter(|symbol| symbol.kind == SymbolKind::Object && symbol.size > 0);
    let mut told = Vec::new();
    for symbol in objects.take(MOST_STATICS) {
        let text = match session.read_memory(symbol.address, symbol.size.min(WIDEST)) {
            Ok(Some(block)) if symbol.size <= WIDEST => number(&block.bytes),
            Ok(Some(_)) => format!("{} bytes", symbol.size),
            _ => continue,
        };
        let mut one = variable(&symbol.name, text);
        one["evaluateName"] = symbol.name.clone().into();
        one["memoryReference"] = format!("{:#010x}", symbol.address).into();
        told.push(one);
    }
    told
}
