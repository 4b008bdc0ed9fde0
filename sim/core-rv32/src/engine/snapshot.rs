//! Saving a core in time, and putting it back.

use super::Hart;
use super::emit::EmitPosition;
use super::inputs::Inputs;
use super::pipeline::Registers;
use super::program::Saved;
use crate::core::NotModelled;

/// The state of a [`Hart`] at one moment.
#[derive(Clone)]
pub struct Snapshot {
    program: Saved,
    bus: bus::Snapshot,
    pipeline: Registers,
    inputs: Inputs,
    cycle: u64,
    fetched: Option<u32>,
    position: EmitPosition,
    refused: Option<NotModelled>,
}

impl Hart {
    /// Saves the state. Costs what the program has written, not what the board has.
    pub fn snapshot(&mut self) -> Snapshot {
        Snapshot {
            bus: self.program.core.bus.snapshot(),
            program: self.program.save(),
            pipeline: self.pipeline.registers(),
            inputs: self.inputs.clone(),
            cycle: self.cycle,
            fetched: self.fetched,
            position: self.position,
            refused: self.refused.clone(),
        }
    }

    /// Restores a snapshot of this core, or of one with the same program and board. Cached runs stay, unless their instructions differ
    /// there.
    pub fn rewind(&mut self, snapshot: &Snapshot) {
        self.program.core.bus.restore(&snapshot.bus);
        self.program.restore(&snapshot.program);
        self.pipeline.restore(&snapshot.pipeline);
        self.inputs.clone_from(&snapshot.inputs);
        self.cycle = snapshot.cycle;
        self.fetched = snapshot.fetched;
        self.position = snapshot.position;
        self.refused.clone_from(&snapshot.refused);
        self.ended = false;
    }
}
