//! Checks that the lists of cores in xtask match the table of cores.

use machine::board::Core;
use xtask::cross::TARGETS;
use xtask::timing;

#[test]
fn there_is_a_compiler_for_every_core() {
    for core in Core::all() {
        let first = core.targets().first();
        assert!(first.is_some(), "{}", core.name());
        for target in core.targets() {
            assert!(TARGETS.contains(target), "{target}, of {}", core.name());
        }
    }
}

#[test]
fn timing_programs_are_for_cores_that_there_are() {
    for core in timing::CORES {
        assert!(Core::named(core.name).is_some(), "{}", core.name);
    }
}
