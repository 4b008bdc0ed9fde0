//! Writes to bits that a register does not have: a chip drops them in silence, and a program that was built for another chip of the family waits
//! for them in vain.
//!
//! A bit is told of that is written as one, read as 0 before, and is neither writable, nor cleared or started by such a write, nor a status that
//! hardware shows. So a register that is read, changed and written back is not told of, and neither is one that holds nothing (a key, a trigger),
//! nor a write of all ones.

use super::Register;

/// Notes already shown and notes to show.
#[derive(Clone, Default, Debug)]
pub(crate) struct Absent {
    /// The peripheral.
    name: String,
    /// The bits that were told of already, each with the place of its register.
    told: Vec<(usize, u32)>,
    /// The fields that registers lack, by name: the register, the bits.
    named: Vec<(usize, u32, String)>,
    note: Option<String>,
}

impl Absent {
    /// # Errors
    /// A field that is not written as one, in words.
    pub(super) fn new(registers: &[Register]) -> Result<Absent, String> {
        let mut named = Vec::new();
        for (index, register) in registers.iter().enumerate() {
            for text in &register.absent {
                let bits = bits(text)
                    .ok_or_else(|| format!("`{text}`: a field is written like PE[17] or LATENCY[2:0]"))?;
                named.push((index, bits, text.clone()));
            }
        }
        Ok(Absent {
            named,
            ..Absent::default()
        })
    }

    /// The peripheral's name.
    pub(crate) fn call(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }

    /// A write of `value` to the register at this place drops these bits.
    pub(crate) fn tell(&mut self, register: &str, place: usize, dropped: u32, value: u32) {
        let told = self.told.iter().filter(|told| told.0 == place);
        let dropped = dropped & !told.fold(0, |all, told| all | told.1);
        if dropped == 0 {
            return;
        }
        self.told.push((place, dropped));
        let what = self.names(place, dropped);
        self.note = Some(format!(
            "{} {register}: the chip does not have {what}: a write of {value:#x} leaves them 0",
            self.name
        ));
    }

    /// The fields in which these bits are, and the bits of no known field.
    fn names(&self, index: usize, dropped: u32) -> String {
        let fields = self
            .named
            .iter()
            .filter(|&&(register, bits, _)| register == index && bits & dropped != 0);
        let (mut names, mut rest) = (Vec::new(), dropped);
        for (_, bits, name) in fields {
            names.push(name.clone());
            rest &= !bits;
        }
        if rest != 0 {
            let numbers: Vec<_> = (0..32).filter(|bit| rest >> bit & 1 != 0).collect();
            let numbers: Vec<_> = numbers.iter().map(u32::to_string).collect();
            let bit = if numbers.len() == 1 { "bit" } else { "bits" };
            names.push(format!("{bit} {}", numbers.join(", ")));
        }
        names.join(", ")
    }

    pub(crate) fn note(&mut self) -> Option<String> {
        self.note.take()
    }
}

/// The bits of `NAME[bit]` or `NAME[high:low]`.
fn bits(text: &str) -> Option<u32> {
    let (_, bits) = text.strip_suffix(']')?.split_once('[')?;
    let (high, low) = bits.split_once(':').unwrap_or((bits, bits));
    let number = |text: &str| text.parse::<u32>().ok().filter(|&bit| bit < 32);
    let (high, low) = (number(high)?, number(low)?);
    (high >= low).then(|| u32::MAX >> (31 - (high - low)) << low)
}
