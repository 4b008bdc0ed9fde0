//! Every semihosting operation, asked for by a program that works through a table of requests in its RAM.

mod common;

use common::{DATA, LIMIT, program};
use events::Silent;
use machine::{Board, Captured, Console, FileAccess, Machine, Options, Outcome};

/// Loads operation and parameter from the table, asks, stores the answer behind them, and goes on.
const CLIENT: [u16; 10] = [
    0x4c03,
    0x6820,
    0x6861,
    0xbeab,
    0x60a0,
    0x340c,
    0xe7f9,
    0xbf00,
    DATA as u16,
    (DATA >> 16) as u16,
];

/// Where blocks of arguments lie.
const BLOCKS: u32 = DATA + 0x400;

/// A conversation: requests, and memory that they point to.
#[derive(Default)]
struct Talk {
    requests: Vec<(u32, u32)>,
    blocks: Vec<u8>,
}

impl Talk {
    /// Puts bytes into memory; their address.
    fn put(&mut self, bytes: &[u8]) -> u32 {
        let at = BLOCKS + self.blocks.len() as u32;
        self.blocks.extend_from_slice(bytes);
        self.blocks.resize(self.blocks.len().next_multiple_of(4), 0);
        at
    }

    fn words(&mut self, words: &[u32]) -> u32 {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put(&bytes)
    }

    fn ask(&mut self, operation: u32, parameter: u32) {
        self.requests.push((operation, parameter));
    }

    /// Asks with a block of words.
    fn ask_with(&mut self, operation: u32, words: &[u32]) {
        let block = self.words(words);
        self.ask(operation, block);
    }

    fn open(&mut self, name: &str, mode: u32) {
        let text = self.put(name.as_bytes());
        self.ask_with(0x01, &[text, mode, name.len() as u32]);
    }

    /// Runs it to the end.
    fn run(self, files: FileAccess, input: &'static str) -> Answers {
        let count = self.requests.len();
        let (output, error) = (Captured::default(), Captured::default());
        let console = Console::new(output.clone(), error.clone(), input.as_bytes());
        let (machine, outcome) = self.end(files, console);
        assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
        let answers = (0..count as u32)
            .map(|index| machine.peek_word(DATA + 12 * index + 8).unwrap())
            .collect();
        Answers {
            values: answers,
            machine,
            output: output.text(),
            error: error.text(),
        }
    }

    /// How it ends.
    fn outcome(self, files: FileAccess) -> Outcome {
        self.end(files, Console::none()).1
    }

    fn end(mut self, files: FileAccess, console: Console) -> (Machine, Outcome) {
        self.ask(0x18, 0x2_0026);
        let mut words: Vec<u32> = self
            .requests
            .iter()
            .flat_map(|&(operation, parameter)| [operation, parameter, 0])
            .collect();
        words.resize((BLOCKS - DATA) as usize / 4, 0);
        words.extend(
            self.blocks
                .chunks(4)
                .map(|word| u32::from_le_bytes(word.try_into().unwrap())),
        );
        let options = Options {
            console,
            files,
            command_line: "fw one two".into(),
            date: DATE,
            ..Options::default()
        };
        let board = Board::find("cortex-m3").unwrap();
        let mut machine = Machine::new(&board, &program(&CLIENT, &words), options).unwrap();
        let outcome = machine.run(LIMIT, &mut Silent);
        (machine, outcome)
    }
}

struct Answers {
    values: Vec<u32>,
    machine: Machine,
    output: String,
    error: String,
}

impl Answers {
    fn text(&self, at: u32, length: u32) -> String {
        let byte = |offset: u32| self.machine.peek_word(at + offset).unwrap() as u8;
        (0..length).map(|offset| char::from(byte(offset))).collect()
    }
}

const FAILED: u32 = u32::MAX;

/// The date at reset.
const DATE: u64 = 1_700_000_000;

#[test]
fn writes_to_both_outputs() {
    let mut talk = Talk::default();
    talk.open(":tt", 4);
    talk.open(":tt", 8);
    let text = talk.put(b"out!\0");
    talk.ask_with(0x05, &[3, text, 4]);
    talk.ask_with(0x05, &[4, text, 3]);
    talk.ask(0x03, text);
    talk.ask(0x04, text);
    talk.ask_with(0x05, &[9, text, 4]);
    talk.ask(0x13, 0);
    let answers = talk.run(FileAccess::None, "");
    assert_eq!(
        (answers.output.as_str(), answers.error.as_str()),
        ("out!", "outoout!"),
        "SYS_WRITEC and SYS_WRITE0 write to the debugger's console"
    );
    assert_eq!(answers.values[..4], [3, 4, 0, 0]);
    assert_eq!(answers.values[6..], [4, 9], "four bytes not written, EBADF");
}

#[test]
fn reads_lines_and_sees_the_end_of_input() {
    let mut talk = Talk::default();
    let buffer = talk.put(&[0; 16]);
    talk.open(":tt", 0);
    talk.ask(0x07, 0);
    talk.ask_with(0x06, &[3, buffer, 16]);
    talk.ask_with(0x06, &[3, buffer + 8, 2]);
    talk.ask_with(0x06, &[3, buffer, 16]);
    talk.ask(0x07, 0);
    let answers = talk.run(FileAccess::None, "xab\ncd");
    assert_eq!(answers.values, [3, u32::from(b'x'), 13, 0, 16, FAILED]);
    assert_eq!(answers.text(buffer, 3), "ab\n");
    assert_eq!(answers.text(buffer + 8, 2), "cd");
}

#[test]
fn tells_consoles_from_files_and_errors_from_answers() {
    let mut talk = Talk::default();
    talk.open(":tt", 4);
    talk.ask_with(0x09, &[3]);
    talk.ask_with(0x09, &[7]);
    talk.ask_with(0x08, &[FAILED]);
    talk.ask_with(0x08, &[5]);
    talk.ask_with(0x0c, &[3]);
    talk.ask_with(0x02, &[3]);
    talk.ask_with(0x02, &[3]);
    let answers = talk.run(FileAccess::None, "");
    assert_eq!(answers.values, [3, 1, FAILED, 1, 0, 0, 0, FAILED]);
}

#[test]
fn tells_which_extensions_there_are() {
    let mut talk = Talk::default();
    let buffer = talk.put(&[0; 8]);
    talk.open(":semihosting-features", 0);
    talk.ask_with(0x0c, &[3]);
    talk.ask_with(0x0a, &[3, 4]);
    talk.ask_with(0x06, &[3, buffer, 1]);
    let answers = talk.run(FileAccess::None, "");
    assert_eq!(answers.values, [3, 5, 0, 0]);
    assert_eq!(
        answers.machine.peek_word(buffer).unwrap(),
        0b11,
        "EXIT_EXTENDED and STDOUT_STDERR"
    );
}

#[test]
fn refuses_files_unless_they_are_allowed() {
    let conversation = || {
        let mut talk = Talk::default();
        let text = talk.put(b"data");
        talk.open("log.txt", 4);
        talk.ask(0x13, 0);
        talk.ask_with(0x05, &[3, text, 4]);
        talk.ask_with(0x02, &[3]);
        talk.ask_with(0x0e, &[text, 4]);
        talk
    };
    let answers = conversation().run(FileAccess::None, "");
    assert_eq!(answers.values, [FAILED, 13, 4, FAILED, FAILED]);
    let directory = tempfile::tempdir().unwrap();
    let answers = conversation().run(FileAccess::within(directory.path()), "");
    assert_eq!(answers.values, [3, 0, 0, 0, FAILED]);
    assert_eq!(std::fs::read(directory.path().join("log.txt")).unwrap(), b"data");
}

#[test]
fn a_second_handle_sees_what_was_written_and_the_end_keeps_it() {
    let mut talk = Talk::default();
    let (text, buffer) = (talk.put(b"data"), talk.put(&[0; 8]));
    talk.open("log.txt", 4);
    talk.ask_with(0x05, &[3, text, 4]);
    talk.open("log.txt", 0);
    talk.ask_with(0x0c, &[4]);
    talk.ask_with(0x09, &[4]);
    talk.ask_with(0x0a, &[4, 2]);
    talk.ask_with(0x06, &[4, buffer, 8]);
    talk.ask_with(0x05, &[4, text, 4]);
    talk.ask_with(0x05, &[3, text, 2]);
    let directory = tempfile::tempdir().unwrap();
    let answers = talk.run(FileAccess::within(directory.path()), "");
    assert_eq!(answers.values, [3, 0, 4, 4, 0, 0, 6, 4, 0]);
    assert_eq!(answers.text(buffer, 2), "ta");
    assert_eq!(
        std::fs::read(directory.path().join("log.txt")).unwrap(),
        b"datada"
    );
}

#[cfg(unix)]
#[test]
fn what_is_no_file_stops_the_run_by_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(socket).unwrap();
    let mut talk = Talk::default();
    talk.open("socket", 0);
    let outcome = talk.outcome(FileAccess::within(directory.path()));
    let Outcome::NotModelled(report) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(
        report.what,
        "SYS_OPEN: `socket` is neither a file nor a directory"
    );
}

#[test]
fn time_is_the_simulated_one() {
    let mut talk = Talk::default();
    let ticks = talk.put(&[0xff; 8]);
    talk.ask(0x10, 0);
    talk.ask(0x11, 0);
    talk.ask(0x31, 0);
    talk.ask(0x30, ticks);
    let answers = talk.run(FileAccess::None, "");
    assert_eq!(answers.values, [0, DATE as u32, 8_000_000, 0]);
    let elapsed = answers.machine.peek_word(ticks).unwrap();
    assert!((1..200).contains(&elapsed), "a few dozen cycles: {elapsed}");
    assert_eq!(answers.machine.peek_word(ticks + 4), Some(0));
}

#[test]
fn gives_command_line_and_heap() {
    let mut talk = Talk::default();
    let (line, small, heap) = (talk.put(&[0; 16]), talk.put(&[0; 4]), talk.put(&[0; 16]));
    let block = talk.words(&[line, 16]);
    talk.ask(0x15, block);
    talk.ask_with(0x15, &[small, 4]);
    talk.ask_with(0x16, &[heap]);
    let answers = talk.run(FileAccess::None, "");
    assert_eq!(answers.values, [0, FAILED, 0]);
    assert_eq!(answers.text(line, 10), "fw one two");
    assert_eq!(answers.machine.peek_word(block + 4), Some(10));
    let [base, limit, stack, bottom] = [0, 4, 8, 12].map(|at| answers.machine.peek_word(heap + at).unwrap());
    assert_eq!((limit, stack, bottom), (common::STACK, common::STACK, base));
    assert!((BLOCKS..common::STACK).contains(&base) && base % 8 == 0);
}

#[test]
fn a_block_outside_memory_stops_the_run() {
    let words = [0x05, 0x7000_0000, 0];
    let (_, outcome, _) = common::run(&program(&CLIENT, &words));
    let Outcome::NotModelled(report) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(
        report.what,
        "SYS_WRITE: its argument at 0x70000000 is not in memory that can be used so"
    );
}
