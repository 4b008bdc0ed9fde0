//! A device's interrupt output, which tells its line what changes and when.

use bus::Irq;

/// One output and its level; low after reset.
#[derive(Clone, Default, Debug)]
pub(crate) struct Output {
    irq: Option<Irq>,
    level: bool,
    /// The core cycle from which the level is another than the one that was told.
    changed: Option<u64>,
}

impl Output {
    /// An output to a line, or to nowhere.
    pub(crate) fn new(irq: Option<Irq>) -> Output {
        Output {
            irq,
            level: false,
            changed: None,
        }
    }

    /// Drives this level from core cycle `now` on.
    pub(crate) fn set(&mut self, level: bool, now: u64) {
        if level != self.level {
            self.level = level;
            // A level that goes there and back before it was told is told as what it is then.
            self.changed.get_or_insert(now);
        }
    }

    /// The core cycle from which there is something to tell; `u64::MAX` for never.
    pub(crate) fn due(&self) -> u64 {
        self.changed.filter(|_| self.irq.is_some()).unwrap_or(u64::MAX)
    }

    /// Tells the level, if it is due in core cycle `now`.
    pub(crate) fn tell(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if let Some(irq) = self.irq
            && self.due() <= now
        {
            self.changed = None;
            line(irq, self.level);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_a_change_once_and_not_before_its_cycle() {
        let mut output = Output::new(Some(Irq::External(3)));
        let mut told = Vec::new();
        assert_eq!(output.due(), u64::MAX);
        output.set(true, 10);
        output.set(true, 12);
        assert_eq!(output.due(), 10);
        for now in [9, 10, 11] {
            output.tell(now, &mut |irq, level| told.push((now, irq, level)));
        }
        assert_eq!(told, [(10, Irq::External(3), true)]);
        assert_eq!(output.due(), u64::MAX);
    }

    #[test]
    fn without_a_line_there_is_nothing_to_tell() {
        let mut output = Output::new(None);
        output.set(true, 10);
        assert_eq!(output.due(), u64::MAX);
        output.tell(10, &mut |_, _| panic!("told to whom?"));
    }
}
