//! Whether AFIO or SYSCFG works, whose EXTICR1 to EXTICR4 choose the port of each line. While RCC holds that block in reset, all lines are port
//! A's; without its clock the registers choose as before, read as 0 and take no writes.

use bus::Effect;

/// The block.
#[derive(Clone, Default)]
pub(super) struct Ports {
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

    /// Hears of a wire, if it is one of the two; whether the block is in reset.
    pub(super) fn hear(&mut self, effect: Effect) -> bool {
        if let Effect::Wire { number, level } = effect {
            for field in [&mut self.clock, &mut self.reset].into_iter().flatten() {
                if field.wire == number {
                    field.open = level;
                }
            }
        }
        self.reset.as_ref().is_some_and(|field| !field.open)
    }

    /// The field that keeps it from working, and what that does.
    fn closed(&self) -> Option<(&Field, &'static str)> {
        let fields = [
            (&self.reset, "holds it in reset"),
            (&self.clock, "has its clock off"),
        ];
        let mut fields = fields
            .into_iter()
            .filter_map(|(field, does)| Some((field.as_ref()?, does)));
        fields.find(|(field, _)| !field.open)
    }

    pub(super) fn work(&self) -> bool {
        self.closed().is_none()
    }

    /// A register as it reads now.
    pub(super) fn shown(&self, register: u32) -> u32 {
        if self.work() { register } else { 0 }
    }

    /// A register is accessed: the first access that does not reach it is told.
    pub(super) fn reached(&mut self, register: usize, now: u64) {
        let Some((field, does)) = self.closed().filter(|_| !self.told) else {
            return;
        };
        let offset = 8 + 4 * register;
        let (by, rest) = field.name.split_once('_').unwrap_or(("", &field.name));
        let (bits, block) = rest.rsplit_once('_').unwrap_or((rest, ""));
        let note = format!(
            "{block} was accessed in cycle {now} (offset {offset:#x}, EXTICR) while {by} {does} ({bits}): it reads as 0 and takes no writes"
        );
        (self.told, self.note) = (true, Some(note));
    }

    pub(super) fn note(&mut self) -> Option<String> {
        self.note.take()
    }
}
