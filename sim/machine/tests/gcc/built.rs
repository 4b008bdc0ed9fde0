//! For which core a program was built, and from where it starts.

use super::*;

/// Each core's program gets the board of that core if nobody names one; of cores without a model, the nearest is named.
/// What is compiled for, with more options; and the board that is taken, or what the refusal says, and its hint.
type Case = (
    &'static str,
    &'static [&'static str],
    Result<&'static str, (&'static str, &'static str)>,
);

#[test]
fn a_program_gets_the_core_that_it_was_built_for() {
    const SINGLE: [&str; 2] = ["-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"];
    let directory = tempfile::tempdir().unwrap();
    let cases: [Case; 10] = [
        ("cortex-m0", &[], Ok("cortex-m0plus")),
        ("cortex-m0plus", &[], Ok("cortex-m0plus")),
        ("cortex-m3", &[], Ok("cortex-m3")),
        ("cortex-m4", &[], Ok("cortex-m4")),
        (
            "cortex-m4",
            &["-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
            Ok("cortex-m4f"),
        ),
        (
            "cortex-m7",
            &["-mfloat-abi=hard", "-mfpu=fpv5-d16"],
            Err((
                "cortex-m4f",
                "ARMv7E-M with floating point by FPv5 in double precision",
            )),
        ),
        (
            "cortex-m7",
            &SINGLE,
            Err(("cortex-m4f", "ARMv7E-M with floating point by FPv5")),
        ),
        (
            "cortex-m33",
            &SINGLE,
            Err(("cortex-m4f", "ARMv8-M with floating point by FPv5")),
        ),
        ("cortex-m33", &[], Err(("cortex-m4f", "ARMv8-M"))),
        ("cortex-m23", &[], Err(("cortex-m3", "ARMv8-M"))),
    ];
    for (cpu, options, expected) in cases {
        let cpu = format!("-mcpu={cpu}");
        let flags = [&["-nostdlib", &cpu][..], options].concat();
        let Some(elf) = build(directory.path(), "empty.c", EMPTY, &flags) else {
            return;
        };
        let image = image(&elf);
        match (image.plain_board(), expected) {
            (Ok(board), Ok(name)) => {
                assert_eq!(board.name, name, "{cpu}");
                let why = board.why.unwrap_or_default();
                let says = match name {
                    "cortex-m0plus" => {
                        "using `cortex-m0plus` (built for ARMv6-M), a bare core; others that fit: `cortex-m0`"
                    }
                    "cortex-m4" => {
                        "using `cortex-m4` (built for ARMv7E-M), a bare core; others that fit: `cortex-m4f`, `cc2652`, `nrf52840`"
                    }
                    "cortex-m4f" => {
                        "using `cortex-m4f` (built for ARMv7E-M with floating point), a bare core; others that fit: `cc2652`, `nrf52840`"
                    }
                    _ => "",
                };
                assert_eq!(
                    why.strip_prefix("no --board given: ").unwrap_or(&why),
                    says,
                    "{cpu}"
                );
                let core = Board::find(name).unwrap().core();
                assert_eq!(image.beyond(core), None, "{cpu}");
            }
            (Err(error), Err((name, built))) => {
                assert_eq!(
                    error.to_string(),
                    format!("built for {built}, a core that is not modelled")
                );
                assert!(
                    error.hint().contains(&format!("`--board {name}` comes nearest")),
                    "{}",
                    error.hint()
                );
                let core = Board::find(name).unwrap().core();
                assert_eq!(image.beyond(core).as_deref(), Some(built), "{cpu}");
            }
            (got, _) => panic!("{cpu} {options:?}: {got:?}"),
        }
    }
}

const EMPTY: &str = r#"
extern unsigned stack_top;
void reset(void) { for (;;); }
__attribute__((section(".isr_vector"), used)) void *const vectors[2] = { &stack_top, (void *)reset };
"#;

/// As arduino-pico's `.ota`: code that was linked in as data, among the code of a segment.
#[test]
fn a_boot_loader_that_is_data_is_started() {
    let directory = tempfile::tempdir().unwrap();
    let blob = r#"
extern unsigned stack_top;
extern const unsigned short loader[];
__asm__(".section .isr_vector, \"a\"\n.word stack_top, loader + 1\n.global loader\nloader: .hword 0xe7fe\n.text\n");
void code(void) {}
"#;
    let Some(elf) = build(
        directory.path(),
        "blob.c",
        blob,
        &["-nostdlib", "-mcpu=cortex-m3"],
    ) else {
        return;
    };
    let image = image(&elf);
    let table = image.vector_table().expect("a table");
    assert_eq!(table.address, 0);
    let mut machine = Machine::new(&Board::find("cortex-m3").unwrap(), &image, Options::default()).unwrap();
    assert!(matches!(machine.run(1000, &mut Silent), Outcome::Stuck(_)));
}
