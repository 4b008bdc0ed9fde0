//! Scripts that misbehave, on a board.

use bus::Incoming;
use machine::Board;

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
