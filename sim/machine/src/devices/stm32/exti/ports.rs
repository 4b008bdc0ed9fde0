//! EXTICR1 to EXTICR4 of AFIO or SYSCFG: the port of each line. They are there while RCC lets that block work: held in reset all lines are port A's,
//! and without its clock they choose as before, read as 0 and take no writes.

use bus::Effect;

/// The registers.
#[derive(Clone, Default)]
pub(super) struct Ports {
    /// The port of each line.
    chosen: [u8; 16],
    clock: Option<Field>,
    reset: Option<Field>,
    /// One access is told of, for all.
    told: bool,
    note: Option<String>,
}

/// A field of RCC, as the wire says what it lets the block do.
#[derive(Clone)]
struct Field {
    /// `RCC_APB2ENR[14]_SYSCFG`.
    name: String,
    wire: u16,
    open: bool,
}

impl Ports {
    /// With the fields that turn the block's clock on, which is off at first, and that reset it; each with the number of its wire, 0 for none.
    pub(super) fn new((clock, clock_wire): (&str, u16), (reset, reset_wire): (&str, u16)) -> Ports {
        let field = |name: &str, wire, open| {
            (wire != 0).then(|| Field {
                name: name.to_owned(),
                wire,
                open,
            })
        };
        Ports {
            clock: field(clock, clock_wire, false),
            reset: field(reset, reset_wire, true),
            ..Ports::default()
        }
    }

    /// Whether a line is that port's.
    pub(super) fn chooses(&self, line: u8, port: u8) -> bool {
        self.chosen[usize::from(line & 15)] == port
    }

    /// Hears of a wire, if it is one of the two.
    pub(super) fn hear(&mut self, effect: Effect) {
        let Effect::Wire { number, level } = effect else {
            return;
        };
        for field in [&mut self.clock, &mut self.reset].into_iter().flatten() {
            if field.wire == number {
                field.open = level;
            }
        }
        if self.reset.as_ref().is_some_and(|field| !field.open) {
            self.chosen = [0; 16];
        }
    }

    /// Whether an access reaches them; if none does, it is told once.
    fn works(&mut self, offset: u32, now: u64) -> bool {
        let mut fields = [
            (&self.reset, "holds it in reset"),
            (&self.clock, "has its clock off"),
        ]
        .into_iter();
        let closed = fields.find_map(|(field, does)| {
            field
                .as_ref()
                .filter(|field| !field.open)
                .map(|field| (field, does))
        });
        let Some((field, does)) = closed else {
            return true;
        };
        if !std::mem::replace(&mut self.told, true) {
            let (by, rest) = field.name.split_once('_').unwrap_or(("", &field.name));
            let (bits, block) = rest.rsplit_once('_').unwrap_or((rest, ""));
            self.note = Some(format!(
                "{block} was accessed in cycle {now} (offset {offset:#x}, EXTICR) while {by} {does} ({bits}): it reads as 0 and takes no writes"
            ));
        }
        false
    }

    /// Four lines of a register, each in four bits.
    pub(super) fn read(&mut self, offset: u32, first: usize, now: u64) -> u32 {
        if !self.works(offset, now) {
            return 0;
        }
        (0..4).fold(0, |word, line| {
            word | u32::from(self.chosen[first + line]) << (4 * line)
        })
    }

    /// Some of them, by the bytes that are written.
    pub(super) fn write(&mut self, offset: u32, first: usize, size: u32, value: u32, now: u64) {
        if !self.works(offset, now) {
            return;
        }
        // Four lines in the lower half of each.
        let from = 2 * (offset & 3) as usize;
        for line in from..(from + 2 * size as usize).min(4) {
            self.chosen[first + line] = (value >> (4 * (line - from)) & 15) as u8;
        }
    }

    pub(super) fn note(&mut self) -> Option<String> {
        self.note.take()
    }
}
