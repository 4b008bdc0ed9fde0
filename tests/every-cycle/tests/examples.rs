//! The example applications put out what is kept beside them in `expected.txt`.

use std::fs;
use std::sync::Arc;

use machine::{Board, Console, Image, Machine, Options, Outcome};
use xtask::{firmware, root};

/// The board that `cargo run` takes.
const BOARD: &str = "cortex-m3";

fn puts_out_what_it_should(example: &str) {
    let folder = root().join("firmware/examples").join(example);
    let input = fs::read(folder.join("input.txt")).unwrap_or_default();
    let expected = fs::read_to_string(folder.join("expected.txt")).expect("kept beside the example");
    let image = Arc::new(Image::load(&firmware::program(example).expect("built")).expect("an ELF file"));
    let (output, captured) = Captured::new();
    let options = Options {
        console: Console::new(output, std::io::sink(), std::io::Cursor::new(input)),
        ..Options::default()
    };
    let board = Board::find(BOARD).expect("a board of the repository");
    let mut machine = Machine::new(&board, &image, options).expect("starts");
    let outcome = machine.run(10_000_000, &mut probe::Silent);
    assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
    assert_eq!(captured.text(), expected);
}

#[test]
fn blinky() {
    puts_out_what_it_should("blinky");
}

#[test]
fn uart_echo() {
    puts_out_what_it_should("uart-echo");
}

#[test]
fn control_loop() {
    puts_out_what_it_should("control-loop");
}

/// What was put out.
#[derive(Clone, Default)]
struct Captured(Arc<std::sync::Mutex<Vec<u8>>>);

impl Captured {
    fn new() -> (Self, Self) {
        let captured = Captured::default();
        (captured.clone(), captured)
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no writer panics").clone()).expect("text")
    }
}

impl std::io::Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no writer panics").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
