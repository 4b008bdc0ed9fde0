//! Files that use each other can only be read together. This test keeps such circles from growing again.

/// Crates, each with the number of files in its largest circle (ARCHITECTURE.md, "Structure").
const LARGEST: [(&str, usize); 11] = [
    ("kernel/cmsis", 2),
    ("kernel/mainspring", 5),
    ("measure/gdb", 3),
    ("measure/lab", 5),
    ("measure/report", 5),
    ("sim/bus", 11),
    ("sim/core-cortex-m", 9),
    ("sim/core-rv32", 7),
    ("sim/isa-thumb", 2),
    ("sim/machine", 19),
    ("sim/rtl", 2),
];

#[test]
fn no_circle_of_files_grows() {
    for (folder, most) in LARGEST {
        let found = xtask::shape::largest_circle_of(folder).unwrap();
        assert!(
            found <= most,
            "{folder}: {found} files use each other, {most} did before: move what all of them use into a file below"
        );
    }
}
