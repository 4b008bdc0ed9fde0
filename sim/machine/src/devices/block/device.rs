//! The [`bus::Device`] that a table and its peripheral are.

/// The registers of a device, a row each: its name, its offset, and what [`Reg`] says of it. The name also stands for the offset. After the
/// device's type comes its field of what it shares with others of its kind ([`Half`]), and the one of its tasks, if its method `task` starts those.
macro_rules! registers {
    ($device:ident $($half:ident)? $(, tasks of $frame:ident)?; $($name:ident = $offset:literal $(.$method:ident($($argument:expr),*))*;)+) => {
        $(#[allow(dead_code)] // Most are used by the table alone.
        const $name: u32 = $offset;)+

        impl $crate::devices::block::Block for $device {
            const REGISTERS: &'static [$crate::devices::block::Reg<Self>] = &$crate::devices::block::row::placed([
                $($crate::devices::block::Reg::<$device>::new(stringify!($name), $offset)$(.$method($($argument),*))*,)+
            ]);
            fn regs(&self) -> &$crate::devices::block::Regs<Self> {
                &self.regs
            }
            fn regs_mut(&mut self) -> &mut $crate::devices::block::Regs<Self> {
                &mut self.regs
            }
            fn half(&self) -> Option<&dyn $crate::devices::block::Half> {
                $crate::devices::block::only([$(&self.$half as &dyn $crate::devices::block::Half)?])
            }
            fn half_mut(&mut self) -> Option<&mut dyn $crate::devices::block::Half> {
                $crate::devices::block::only([$(&mut self.$half as &mut dyn $crate::devices::block::Half)?])
            }
            $(fn task_of(&self, effect: bus::Effect) -> Option<u32> {
                self.$frame.hears(effect)
            }
            fn start(&mut self, task: u32, now: u64) -> Result<(), bus::DeviceError> {
                self.task(task, now)
            })?
        }

        $crate::devices::block::device::device! { $device }
    };
}

/// The [`bus::Device`] of a table and what the peripheral does.
macro_rules! device {
    ($device:ident) => {
        impl bus::Device for $device {
            fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, bus::DeviceError> {
                $crate::devices::block::access::read(self, offset, size, now)
            }
            fn write(
                &mut self,
                offset: u32,
                size: u32,
                value: u32,
                now: u64,
            ) -> Result<(), bus::DeviceError> {
                $crate::devices::block::access::write(self, offset, size, value, now)
            }
            fn peek(&mut self, offset: u32, now: u64) -> Option<u32> {
                $crate::devices::block::access::peek(self, offset, now)
            }
            fn set_name(&mut self, name: &str) {
                self.regs.set_name(name);
            }
            fn takes_parts(&self) -> bool {
                <$device as $crate::devices::block::Peripheral>::ACCESS
                    != $crate::devices::block::Access::Split
            }
            fn register_name(&self, offset: u32) -> Option<String> {
                $crate::devices::block::access::register_name(self, offset)
            }
            fn note(&mut self) -> Option<String> {
                $crate::devices::block::access::note(self)
            }
            fn next_event(&self) -> u64 {
                use $crate::devices::block::{Block, Peripheral};
                self.half()
                    .map_or(u64::MAX, |half| half.due())
                    .min(Peripheral::due(self))
            }
            fn poll(&mut self, now: u64, line: &mut dyn FnMut(bus::Irq, bool)) {
                use $crate::devices::block::{Block, Peripheral};
                self.advance(now);
                if let Some(half) = self.half_mut() {
                    half.poll(now);
                    half.lines(line);
                }
                self.lines(now, line);
            }
            fn take_effect(&mut self) -> Option<bus::Effect> {
                use $crate::devices::block::{Block, Peripheral};
                let own = self.effect();
                own.or_else(|| self.half_mut()?.take_effect())
            }
            fn hear(&mut self, effect: bus::Effect, now: u64) -> Result<(), bus::DeviceError> {
                $crate::devices::block::access::hear(self, effect, now)
            }
            fn hear_source(&mut self, source: u16, level: bool, now: u64) {
                $crate::devices::block::Peripheral::heard_source(self, source, level, now);
            }
            fn pulse_source(&mut self, source: u16, now: u64) {
                $crate::devices::block::Peripheral::heard_pulse(self, source, now);
            }
            fn stimulate(&mut self, input: &bus::Incoming, now: u64) -> Result<(), bus::DeviceError> {
                $crate::devices::block::access::stimulate(self, input, now)
            }
            fn leave_reset(&mut self, now: u64) -> Result<(), bus::DeviceError> {
                $crate::devices::block::Peripheral::out_of_reset(self, now)
            }
            fn keep(&mut self, kept: &mut bus::Outside, cause: bus::ResetCause) {
                $crate::devices::block::Peripheral::kept(self, kept, cause);
            }
            fn request(&mut self, now: u64) -> Option<bus::Request> {
                $crate::devices::block::Peripheral::wants(self, now)
            }
            fn answered(&mut self, value: Option<u32>, now: u64) {
                $crate::devices::block::Peripheral::got(self, value, now);
            }
            fn master_ports(&self) -> &'static [&'static str] {
                $crate::devices::block::Peripheral::ports(self)
            }
            fn requested_port(&self) -> usize {
                $crate::devices::block::Peripheral::port_wanted(self)
            }
            fn pace(&self) -> Option<u32> {
                $crate::devices::block::Peripheral::cycles_between(self)
            }
            fn read_quietly(&self) -> bool {
                $crate::devices::block::Peripheral::is_quiet(self)
            }
            fn is_console(&self) -> bool {
                $crate::devices::block::Peripheral::is_for_people(self)
            }
            fn carry(&mut self, outside: &mut bus::Outside) {
                use $crate::devices::block::Block;
                if let Some(half) = self.half_mut() {
                    half.carry(outside);
                }
            }
            fn unreceived(&self) -> Vec<(usize, &'static str)> {
                use $crate::devices::block::Block;
                self.half().map_or_else(Vec::new, |half| half.unreceived())
            }
            fn port(&self) -> Option<bus::Port> {
                use $crate::devices::block::Block;
                self.half()?.port()
            }
            fn gives(&self) -> bool {
                use $crate::devices::block::Block;
                self.half().is_some_and(|half| half.gives())
            }
            fn take_given(&mut self) -> Option<bus::Given> {
                use $crate::devices::block::Block;
                self.half_mut()?.take_given()
            }
            fn drain_output(&mut self, sink: &mut dyn FnMut(&[u8])) {
                use $crate::devices::block::Block;
                if let Some(half) = self.half_mut() {
                    half.drain_output(sink);
                }
            }
        }
    };
}

pub(crate) use {device, registers};
