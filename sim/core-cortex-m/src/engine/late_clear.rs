//! Handlers that clear their request right before they return. On a chip, that write is still under way over a bridge when the return looks
//! for pending exceptions, and the handler runs once more. Here a device write completes in its own data phase, so a note warns of it.

use bus::WRITE_ON_ITS_WAY;

use crate::core::Core;
use crate::sys::exceptions::number;

impl Core {
    /// Whether the line of the interrupt whose handler executes is high.
    pub(crate) fn requests_itself(&self) -> bool {
        self.sys.exceptions.is_high(self.regs.ipsr)
    }

    /// A write of the handler withdrew its request in cycle `now`.
    pub(crate) fn note_withdrawn(&mut self, now: u64) {
        self.late_clear.withdrawn = Some((self.regs.ipsr, now));
    }

    /// A handler reads from a device: its earlier writes there have arrived by then.
    #[inline]
    pub(crate) fn note_read_back(&mut self) {
        self.late_clear.withdrawn = None;
    }

    /// The handler of this exception returns by the instruction at `pc`, which starts in cycle `now`.
    pub(super) fn note_late_clear(&mut self, pc: u32, handles: u16, now: u64) {
        let Some((_, at)) = self
            .late_clear
            .withdrawn
            .take_if(|(number, _)| *number == handles)
        else {
            return;
        };
        let ago = now.saturating_sub(at);
        if ago > WRITE_ON_ITS_WAY || self.late_clear.noted {
            return;
        }
        self.late_clear.noted = true;
        let irq = handles.saturating_sub(number::EXTERNAL);
        let cycles = if ago == 1 { "cycle" } else { "cycles" };
        let note = format!(
            "the handler of interrupt {irq} clears its request {ago} {cycles} before it returns: on a chip that write may still be on its way, and the \
             handler may block twice; read the register back before the handler returns"
        );
        self.bus.note_at(pc, note);
    }
}
