//! Breakpoints and watchpoints, as GDB sets them.

use gdbstub::target::TargetResult;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint, SwBreakpointOps,
    WatchKind,
};

use super::Served;
use crate::stops::Watched;

impl Breakpoints for Served {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Served {
    fn add_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        self.session.add_breakpoint(address);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.session.remove_breakpoint(address))
    }
}

impl HwBreakpoint for Served {
    fn add_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        self.session.add_breakpoint(address);
        Ok(true)
    }

    fn remove_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.session.remove_breakpoint(address))
    }
}

fn watched(address: u32, size: u32, kind: WatchKind) -> Watched {
    Watched {
        address,
        size,
        writes: kind != WatchKind::Read,
        reads: kind != WatchKind::Write,
    }
}

impl HwWatchpoint for Served {
    fn add_hw_watchpoint(&mut self, address: u32, size: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        self.session.add_watched(watched(address, size, kind));
        Ok(true)
    }

    fn remove_hw_watchpoint(&mut self, address: u32, size: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        Ok(self.session.remove_watched(watched(address, size, kind)))
    }
}
