//! Compares our RV32 cores with the Verilog. `RTL_SEED` repeats a run; `RTL_PROGRAMS` is the number of programs per test.

mod architecture;
mod brought;
mod campaign;
mod careful;
mod causes;
mod checks;
mod common;
mod compiled;
mod cycles;
mod fast;
mod fetches;
mod golden;
mod litex;
mod loops;
mod memories;
mod nowhere;
mod oracle;
mod ports;
mod precursor;
mod privileged;
mod programs;
mod refused;
mod single;
mod values;
mod waits;
