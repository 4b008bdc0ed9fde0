//! Scripts that misbehave, on a board.

use bus::Incoming;
use events::Silent;
use machine::{Board, Outcome};

use crate::common::{CODE, LIMIT, elf, flash, image, load, machine_on, with_literals};

/// What a script on an STM32F407 comes to, once pin 3 of port A is high: what the next access is answered with.
fn told(script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rhai"), script).unwrap();
    let file = folder.path().join("mine.toml");
    let text = "like = \"stm32f407\"\nname = \"mine\"\ndescription = \"d\"\n[[peripheral]]\nname = \"WIRE\"\nkind = \"script\"\n\
                base = 0x50000000\nsize = 0x400\nscript = \"a.rhai\"\n";
    std::fs::write(&file, text).unwrap();
    let mut bus = Board::find(file.to_str().unwrap()).unwrap().bus(&[]);
    let level = Some(true);
    bus.schedule("GPIOA", 10, Incoming::Pin { pin: 3, level })
        .unwrap();
    for now in 10..20 {
        bus.poll(now, &mut |_, _| {});
    }
    let answer = bus.read(0x5000_0000, 4, 20);
    answer.map_or_else(|error| format!("{error:?}"), |value| value.to_string())
}

/// A pin whose level turns its own level around has none: the run does not wait for one.
#[test]
fn what_gives_in_answer_to_itself_is_told() {
    let turns = "fn read(offset, size) { 7 }\nfn port(port, pin, level) { drive(\"GPIOA\", 3, !level); }";
    let told_of = told(turns);
    assert!(told_of.contains("each makes it give again"), "{told_of}");
    let itself = "fn read(offset, size) { 7 }\nfn port(port, pin, level) { measure(\"WIRE\", 0, 1); }\n\
                  fn value(channel, value) { measure(\"WIRE\", 0, value + 1); }";
    let told_of = told(itself);
    assert!(told_of.contains("each makes it give again"), "{told_of}");
    assert_eq!(
        told("fn read(offset, size) { 7 }\nfn port(port, pin, level) { drive(\"GPIOA\", 4, !level); }"),
        "7"
    );
}

/// What a stimulus leads to is refused at the next access, as what a device leads to is.
#[test]
fn a_mistake_that_a_stimulus_leads_to_stops_the_run() {
    let told_of = told("fn read(offset, size) { 7 }\n\nfn port(port, pin, level) {\n this.absent }");
    let expected = "mistake in script a.rhai:4: ";
    assert!(
        told_of.contains(expected) && told_of.contains("Nowhere"),
        "{told_of}"
    );
}

/// A range that is allowed answers what a script was asked, and nothing of what it did by itself.
#[test]
fn what_a_script_refuses_by_itself_no_allowed_range_answers() {
    // ldr r0, =DEVICE; ldr r1, [r0]; b .
    let code = with_literals(&[load(0, CODE, 0), 0x6801, 0xe7fe], &[0x5000_0000]);
    let told = |script: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.rhai"), script).unwrap();
        let file = folder.path().join("mine.toml");
        let text = "like = \"stm32f407\"\nname = \"mine\"\n[[peripheral]]\nname = \"X\"\nkind = \"script\"\n\
                    base = 0x50000000\nscript = \"a.rhai\"\n";
        std::fs::write(&file, text).unwrap();
        let image = image(&elf(&[flash(0x0800_0000, &code)]));
        let (mut machine, _) = machine_on(file.to_str().unwrap(), &image);
        match machine.run(LIMIT, &mut Silent) {
            Outcome::NotModelled(report) => (report.what.clone(), report.hint()),
            other => panic!("{other:?}"),
        }
    };
    let (what, hint) = told("fn read(o, s) { refuse(\"no\") }");
    assert_eq!(what, "X, at 0x50000000: no");
    assert!(hint.unwrap().contains("--allow 0x50000000..0x50000004"));
    let begins = "fn reset() { wake_in(1); }\nfn read(o, s) { 0 }\nfn wake()";
    let (what, hint) = told(&format!("{begins} {{ refuse(\"no\"); }}"));
    assert_eq!((what.as_str(), hint), ("X: no, in cycle 2", None));
    let (what, hint) = told(&format!("{begins} {{ drive(\"GPIOZ\", 3, true); }}"));
    assert!(
        what.contains("`GPIOZ`, which the board does not have; it has `GPIOA`"),
        "{what}"
    );
    assert_eq!(hint, None);
}
