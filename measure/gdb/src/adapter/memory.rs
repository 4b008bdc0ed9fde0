//! Requests about memory.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dap::requests::{ReadMemoryArguments, WriteMemoryArguments};
use machine::board::MemoryKind;
use serde_json::{Value, json};

use super::requests::parsed;
use super::{Adapter, Answered, Refusal};

/// The most bytes that one request reads.
const MOST_SHOWN: i64 = 1 << 20;

/// The address of a memory reference, moved by an offset.
pub(super) fn address(reference: &str, offset: Option<i64>) -> Answered<u32> {
    let text = reference.trim();
    let number = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let moved = number.and_then(|number| i64::from(number).checked_add(offset.unwrap_or(0)));
    let address = moved.and_then(|address| u32::try_from(address).ok());
    address.ok_or_else(|| Refusal(format!("`{reference}` is no address in 32 bits")))
}

impl Adapter {
    pub(super) fn read_memory(&mut self, arguments: Value) -> Answered {
        let arguments: ReadMemoryArguments = parsed(arguments)?;
        let start = address(&arguments.memory_reference, arguments.offset)?;
        if !(0..=MOST_SHOWN).contains(&arguments.count) {
            return Err(Refusal(format!("`count` is 0 to {MOST_SHOWN} bytes")));
        }
        let block = self.session()?.read_memory(start, arguments.count as u32)?;
        let bytes = block.map(|block| block.bytes).unwrap_or_default();
        Ok(json!({
            "address": format!("{start:#010x}"),
            "data": STANDARD.encode(&bytes),
            "unreadableBytes": arguments.count - bytes.len() as i64,
        }))
    }

    pub(super) fn write_memory(&mut self, arguments: Value) -> Answered {
        let arguments: WriteMemoryArguments = parsed(arguments)?;
        let start = address(&arguments.memory_reference, arguments.offset)?;
        let data = STANDARD.decode(&arguments.data);
        let data = data.map_err(|error| Refusal(format!("`data` is not Base64: {error}")))?;
        let length = data.len();
        if !self.write_bytes(start, &data)? {
            return Err(Refusal(format!(
                "{length} bytes at {start:#010x} cannot be written"
            )));
        }
        Ok(json!({ "bytesWritten": length }))
    }

    /// Writes memory, flash too; the editor reads it all again.
    pub(super) fn write_bytes(&mut self, start: u32, data: &[u8]) -> Answered<bool> {
        let session = self.session()?;
        let is_flash =
            session.target().board().memories().iter().any(|memory| {
                memory.kind == MemoryKind::Rom && start.wrapping_sub(memory.base) < memory.size
            });
        Ok(if is_flash {
            session.program_memory(start, data)?
        } else {
            session.write_memory(start, data)?
        })
    }
}
