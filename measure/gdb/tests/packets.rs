//! What comes over the connection to GDB, whatever it is: each packet is answered or refused, and so is the next one.

use std::cell::RefCell;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use gdb::{Session, serve};
use lab::backend::Backend;
use machine::{Board, Debugger, Image, Options};
use programs::{Firmware, NOP, RAM};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Long enough for a busy computer.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server with a program that never ends, and GDB's side of the connection.
struct Gdb {
    stream: TcpStream,
    server: JoinHandle<Option<u8>>,
    held: Vec<u8>,
}

impl Gdb {
    fn new() -> Gdb {
        // loop: str r0, [r1]; b loop, with r1 in RAM.
        let code: &[u16] = &[0xf240, 0x0100, 0xf2c2, 0x0100, 0x6008, 0xe7fd, NOP];
        Gdb::with(&Firmware::new(&[code]))
    }

    fn with(firmware: &Firmware) -> Gdb {
        let image = Arc::new(Image::parse("app.elf", &firmware.elf()).unwrap());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let options = Options {
                debugger: Debugger::Attached,
                ..Options::default()
            };
            let board = Board::find("stm32f407").unwrap();
            let bench = Backend::Model.bench(&board, &image, options).unwrap();
            let session = Session::new(bench, Arc::default()).unwrap();
            let (connection, _) = listener.accept().unwrap();
            serve(session, connection, |_| {}).unwrap()
        });
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let held = Vec::new();
        Gdb { stream, server, held }
    }

    fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    fn byte(&mut self) -> Option<u8> {
        if self.held.is_empty() {
            let mut buffer = [0; 4096];
            let length = match self.stream.read(&mut buffer) {
                Ok(length) => length,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => 0,
                Err(error) => panic!("no answer: {error}"),
            };
            self.held = buffer[..length].iter().rev().copied().collect();
        }
        self.held.pop()
    }

    /// The next packet; `None` at the end of the connection.
    fn reply(&mut self) -> Option<String> {
        while self.byte()? != b'$' {}
        let mut data = Vec::new();
        loop {
            match self.byte()? {
                b'#' => break,
                byte => data.push(byte),
            }
        }
        self.byte()?;
        self.byte()?;
        Some(String::from_utf8_lossy(&data).into_owned())
    }

    /// The answer to a packet.
    fn ask(&mut self, packet: &[u8]) -> String {
        self.send(&framed(packet));
        self.reply()
            .unwrap_or_else(|| panic!("the server ended at {}", packet.escape_ascii()))
    }
}

fn framed(data: &[u8]) -> Vec<u8> {
    let sum = data.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    [b"$", data, format!("#{sum:02x}").as_bytes()].concat()
}

#[test]
fn each_packet_is_answered_or_refused_and_the_next_one_too() {
    let mut gdb = Gdb::new();
    let mut tried = 0;
    for line in include_str!("packets.txt").lines() {
        let mut words = line.split_whitespace();
        let expected = words.next().unwrap();
        for packet in words.filter(|_| expected != "#") {
            let answer = gdb.ask(packet.as_bytes());
            let is_right = match expected {
                "-" => answer.is_empty(),
                _ => answer.starts_with(expected),
            };
            assert!(is_right, "{packet}: {answer}, not {expected}");
            if expected == "O" {
                while gdb.reply().unwrap() != "OK" {}
            }
            assert_eq!(gdb.ask(b"qC"), "QC1", "after {packet}");
            tried += 1;
        }
    }
    assert_eq!(gdb.ask(b""), "");
    assert!(tried > 200, "{tried}");
    gdb.ask(b"D");
    assert_eq!(gdb.server.join().unwrap(), None);
}

/// Noise and broken packets.
const NOISE: &[&[u8]] = &[
    b"",
    b"noise",
    b"\x00\xff\x80",
    b"+++",
    b"-",
    b"---",
    b"\x03",
    b"\x03\x03",
    b"#",
    b"#00",
    b"}",
    b"*",
    b"$",
    b"$$",
    b"$$$$",
    b"$#",
    b"$#0",
    b"$g",
    b"$g#",
    b"$g#6",
    b"$g#00",
    b"$g#zz",
    b"$g#6z",
    b"$g#z7",
    b"$g#\x03",
    b"$g#+",
    b"$g#-",
    b"$m20000000,4$g#00",
    b"$m20000000,4#",
    b"$m20000000,4#$",
    b"$?#3f#3f",
    b"$?#3F",
    b"$0*\"#7c",
    b"$\x03#00",
    b"$vFlashWrite:8000000:\xff\xfe#11",
];

#[test]
fn noise_is_passed_over() {
    for acknowledges in [true, false] {
        let mut gdb = Gdb::new();
        if !acknowledges {
            assert_eq!(gdb.ask(b"QStartNoAckMode"), "OK");
        }
        for noise in NOISE {
            gdb.send(noise);
            gdb.send(&framed(b"qC"));
            // What can be read in the noise is answered too.
            while gdb
                .reply()
                .unwrap_or_else(|| panic!("ended at {}", noise.escape_ascii()))
                != "QC1"
            {}
        }
        gdb.ask(b"D");
        gdb.server.join().unwrap();
    }
}

#[test]
fn a_damaged_packet_is_asked_for_again_and_so_is_a_reply() {
    let mut gdb = Gdb::new();
    gdb.send(b"$qC#00");
    assert_eq!(gdb.byte(), Some(b'-'));
    assert_eq!(gdb.ask(b"qC"), "QC1");
    gdb.send(b"-");
    assert_eq!(gdb.reply().unwrap(), "QC1");
    // Without acknowledgements nothing is sent again.
    assert_eq!(gdb.ask(b"QStartNoAckMode"), "OK");
    gdb.send(b"-$qC#00");
    assert_eq!(gdb.reply().unwrap(), "E16");
    assert_eq!(gdb.ask(b"qC"), "QC1");
    let long = vec![b'0'; 1 << 18];
    assert_eq!(gdb.ask(&long), "E16");
    assert_eq!(gdb.ask(b"qC"), "QC1");
}

#[test]
fn a_program_that_never_ends_is_interrupted_and_left() {
    let mut gdb = Gdb::new();
    for _ in 0..3 {
        // Ctrl-C may come in one piece with the request, or when the program has run for a while.
        gdb.send(&[&framed(b"vCont;c")[..], b"\x03"].concat());
        assert_eq!(gdb.reply().unwrap(), "T02thread:1;");
    }
    gdb.send(&framed(b"c"));
    std::thread::sleep(Duration::from_millis(50));
    gdb.send(b"noise\x03");
    assert_eq!(gdb.reply().unwrap(), "T02thread:1;");
    assert_eq!(gdb.ask(b"qC"), "QC1");
    // A request while it runs waits for the stop.
    gdb.send(&[framed(b"c"), framed(b"qC")].concat());
    gdb.send(b"\x03");
    assert_eq!(
        [gdb.reply().unwrap(), gdb.reply().unwrap()],
        ["T02thread:1;", "QC1"]
    );
    gdb.send(&framed(b"c"));
    drop(gdb.stream);
    assert_eq!(gdb.server.join().unwrap(), None);
}

#[test]
fn who_ends_the_session_is_answered_as_it_expects() {
    for (packet, answer) in [
        ("k", None),
        ("D", Some("OK")),
        ("D;1", Some("OK")),
        ("vKill;1", Some("OK")),
    ] {
        let mut gdb = Gdb::new();
        gdb.send(&framed(packet.as_bytes()));
        assert_eq!(gdb.reply().as_deref(), answer, "{packet}");
        assert_eq!(gdb.reply(), None);
        assert_eq!(gdb.server.join().unwrap(), None);
    }
    let mut gdb = Gdb::with(&Firmware::new(&[programs::EXIT]));
    gdb.send(&framed(b"c"));
    assert_eq!(gdb.reply().as_deref(), Some("W00"));
    assert_eq!(gdb.server.join().unwrap(), Some(0));
}

/// A breakpoint is set once, however often it is asked for, and one in hardware is not one in software.
#[test]
fn points_are_set_once() {
    let mut gdb = Gdb::new();
    let main = format!("{:x}", programs::FLASH + 4 * 24 + 8);
    for point in ["Z0", "Z0", "Z1"] {
        assert_eq!(gdb.ask(format!("{point},{main},2").as_bytes()), "OK");
    }
    let stops = |gdb: &mut Gdb| gdb.ask(b"vCont;c");
    assert_eq!(stops(&mut gdb), "T05thread:1;");
    gdb.ask(format!("z0,{main},2").as_bytes());
    assert_eq!(stops(&mut gdb), "T05thread:1;");
    gdb.ask(format!("z1,{main},2").as_bytes());
    gdb.send(&[&framed(b"c")[..], b"\x03"].concat());
    assert_eq!(gdb.reply().unwrap(), "T02thread:1;");
    // Who knows of reasons is told them.
    gdb.ask(b"qSupported:hwbreak+");
    gdb.ask(format!("Z1,{main},2").as_bytes());
    assert_eq!(stops(&mut gdb), "T05thread:1;hwbreak:;");
    gdb.ask(format!("z1,{main},2").as_bytes());
    gdb.ask(format!("Z2,{RAM:x},1").as_bytes());
    assert_eq!(stops(&mut gdb), format!("T05thread:1;watch:{RAM:x};"));
}

/// Registers of the RCC of an STM32F407, of which some words are reserved: all that are modelled are shown.
#[test]
fn a_block_of_registers_is_read_up_to_its_end() {
    let mut gdb = Gdb::new();
    let block = gdb.ask(b"m40023800,88");
    assert_eq!(block.len(), 2 * 136, "{block}");
    for at in (0..136).step_by(4) {
        let word = gdb.ask(format!("m{:x},4", 0x4002_3800 + at).as_bytes());
        let shown = &block[2 * at..2 * at + 8];
        assert!(
            shown == word || word == "E0e" && shown == "00000000",
            "{at:#x}: {shown} {word}"
        );
    }
    // Up to the end of memory, where nothing is described.
    let end = gdb.ask(b"m2001fffc,10");
    assert_eq!(end.len(), 8, "{end}");
}

/// Arguments that are nearly right.
fn payload() -> impl Strategy<Value = Vec<u8>> {
    let names = [
        "m",
        "M",
        "X",
        "G",
        "g",
        "p",
        "P",
        "Z",
        "z",
        "H",
        "T",
        "D",
        "c",
        "s",
        "C",
        "S",
        "bc",
        "bs",
        "?",
        "!",
        "qRcmd",
        "qXfer",
        "qC",
        "qSupported",
        "qThreadExtraInfo",
        "qAttached",
        "vCont",
        "vCont?",
        "vFlashErase",
        "vFlashWrite",
        "vFlashDone",
        "vKill",
        "v",
        "Q",
    ];
    let pieces = [
        "0",
        "1",
        "4",
        "-1",
        "20000000",
        "8000100",
        "ffffffff",
        "100000000",
        "zz",
        "xx",
        "p1.1",
        ",",
        ",",
        ":",
        ":",
        ";",
        ";",
        "=",
        "#",
        "}",
        "*",
        "features",
        "memory-map",
        "read",
        "target.xml",
        "68",
        "c",
        "s",
        "r",
        "t",
        "\u{3}",
        " ",
    ];
    let name = proptest::sample::select(names.to_vec());
    let rest = vec(proptest::sample::select(pieces.to_vec()), 0..8);
    (name, rest).prop_map(|(name, rest)| [&[name][..], &rest].concat().concat().into_bytes())
}

/// Whether a request ends the session, as it should.
fn leaves(data: &[u8]) -> bool {
    data.starts_with(b"k") || data.starts_with(b"D") || data.starts_with(b"vKill")
}

#[derive(Clone, Debug)]
enum Sent {
    Noise(Vec<u8>),
    Packet(Vec<u8>),
}

fn sent() -> impl Strategy<Value = Sent> {
    // `k` and `D` with a good checksum would rightly end it.
    let noise = vec(any::<u8>(), 0..40).prop_filter("none may end it", |bytes| {
        !bytes.windows(2).any(|two| matches!(two, b"$k" | b"$D" | b"$v"))
    });
    let packet = payload().prop_filter("none may end it", |data| !leaves(data));
    prop_oneof![1 => noise.prop_map(Sent::Noise), 3 => packet.prop_map(Sent::Packet)]
}

#[test]
fn nothing_that_comes_ends_the_session() {
    let gdb = RefCell::new(Gdb::new());
    let config = ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let tried = TestRunner::new(config).run(&vec(sent(), 1..6), |all| {
        let mut gdb = gdb.borrow_mut();
        for sent in &all {
            match sent {
                Sent::Noise(bytes) => gdb.send(bytes),
                Sent::Packet(data) => gdb.send(&framed(data)),
            }
        }
        // What is broken off ends, and if the program runs now, it stops.
        gdb.send(b"#00\x03");
        gdb.send(&framed(b"qfThreadInfo"));
        loop {
            match gdb.reply() {
                Some(reply) if reply == "m1" => break Ok(()),
                Some(_) => {}
                None => break Err(TestCaseError::fail("the session ended")),
            }
        }
    });
    tried.unwrap();
}

/// More requests than may wait while the program runs: Ctrl-C is heard all the same, and so is the end of the connection.
#[test]
fn a_flood_of_requests_does_not_make_it_deaf() {
    for acknowledges in [true, false] {
        for interrupts in [true, false] {
            let mut gdb = Gdb::new();
            if !acknowledges {
                assert_eq!(gdb.ask(b"QStartNoAckMode"), "OK");
            }
            gdb.send(&framed(b"c"));
            for _ in 0..200 {
                // Whoever is taken for gone cannot send on.
                let _ = gdb.stream.write_all(&framed(b"qC"));
                std::thread::sleep(Duration::from_micros(500));
            }
            if interrupts && acknowledges {
                gdb.send(b"\x03");
                assert_eq!(gdb.reply().unwrap(), "T02thread:1;");
                assert_eq!(gdb.ask(b"qC"), "QC1");
            }
            drop(gdb.stream);
            assert_eq!(gdb.server.join().unwrap(), None);
        }
    }
}

/// A range that does not lie in memory as a whole is refused before any of it is changed.
#[test]
fn flash_is_erased_and_written_as_a_whole_or_not_at_all() {
    let mut gdb = Gdb::new();
    let before = gdb.ask(b"m80ffff0,10");
    gdb.ask(b"vFlashWrite:80ffff0:abcdefghijklmnop");
    let written = gdb.ask(b"m80ffff0,10");
    assert_ne!(before, written);
    for beyond in [
        "vFlashErase:80ffc00,800",
        "vFlashErase:80ffff0,20",
        "vFlashWrite:80ffffc:ABCDEFGH",
    ] {
        assert_eq!(gdb.ask(beyond.as_bytes()), "E0e", "{beyond}");
        assert_eq!(gdb.ask(b"m80ffff0,10"), written, "{beyond}");
    }
    assert_eq!(gdb.ask(b"vFlashErase:80ffff0,10"), "OK");
    assert_eq!(gdb.ask(b"m80ffff0,10"), "f".repeat(32));
}

/// What the core locks up on, or has fetched, is written anew: it goes on with that, and there is no way back to before.
#[test]
fn flash_that_was_written_is_executed() {
    for steps in [
        "E c W c",
        "E c W s",
        "E s S s W bs",
        "c E c W C",
        "E s s W S C",
        "s W s bs C",
    ] {
        let mut gdb = Gdb::new();
        let code = gdb.ask(b"m8000000,100");
        let bytes = (0..code.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&code[at..at + 2], 16).unwrap());
        let bytes: Vec<u8> = bytes.collect();
        let reset = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) & !1;
        for step in steps.split(' ') {
            match step {
                "E" => assert_eq!(gdb.ask(b"vFlashErase:8000000,20000"), "OK"),
                "W" => assert_eq!(
                    gdb.ask(&[b"vFlashWrite:8000000:".as_slice(), &escaped(&bytes)].concat()),
                    "OK"
                ),
                _ => {
                    let resume = match step {
                        "C" => format!("c{reset:x}"),
                        "S" => format!("s{reset:x}"),
                        other => other.to_owned(),
                    };
                    gdb.send(&framed(resume.as_bytes()));
                    if step.eq_ignore_ascii_case("c") {
                        std::thread::sleep(Duration::from_millis(20));
                        gdb.send(b"\x03");
                    }
                    let reply = gdb
                        .reply()
                        .unwrap_or_else(|| panic!("{steps}: it ended at {step}"));
                    assert!(reply.starts_with("T0"), "{steps}: {reply}");
                }
            }
        }
        // A Ctrl-C that came when it had stopped.
        assert_eq!(gdb.ask(b"qC"), "QC1");
        drop(gdb.stream);
        assert_eq!(gdb.server.join().unwrap(), None, "{steps}");
    }
}

/// Bytes as a packet has them.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let byte = |&byte: &u8| match byte {
        b'#' | b'$' | b'}' | b'*' => vec![b'}', byte ^ 0x20],
        _ => vec![byte],
    };
    bytes.iter().flat_map(byte).collect()
}
