//! A client of GDB's remote protocol with the subset that a measurement needs (GDB manual, appendix E).

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::link::{Link, Point, Stop};

/// Time limit of an answer.
const ANSWER: Duration = Duration::from_secs(10);
/// Longest accepted packet, in bytes.
const LONGEST: usize = 1 << 16;

/// A connection to a server.
pub(super) struct Remote {
    stream: TcpStream,
    address: String,
    /// Stop packets that arrived while waiting for another answer.
    held: Vec<u8>,
}

impl Remote {
    pub(super) fn connect(address: &str) -> io::Result<Remote> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER))?;
        let mut remote = Remote {
            stream,
            address: address.to_owned(),
            held: Vec::new(),
        };
        // The answer is not needed, but some servers wait for the question.
        let can = remote.ask("qSupported:swbreak+;hwbreak+")?;
        if can.contains("qXfer:features:read+") {
            // QEMU serves single registers only after a request for their description.
            remote.ask("qXfer:features:read:target.xml:0,100")?;
        }
        remote.ask("?")?;
        Ok(remote)
    }

    fn byte(&mut self) -> io::Result<u8> {
        if self.held.is_empty() {
            let mut buffer = [0; 1024];
            let length = self.stream.read(&mut buffer)?;
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.held = buffer[..length].iter().rev().copied().collect();
        }
        Ok(self.held.pop().unwrap_or_default())
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        let sum = text.bytes().fold(0u8, u8::wrapping_add);
        self.stream.write_all(format!("${text}#{sum:02x}").as_bytes())
    }

    /// Receives the next packet, skipping acknowledgements.
    fn packet(&mut self) -> io::Result<String> {
        while self.byte()? != b'$' {}
        let mut text = Vec::new();
        loop {
            match self.byte()? {
                b'#' => break,
                // Escape: the next byte is data.
                b'}' => text.push(self.byte()? ^ 0x20),
                // Run-length encoding: repeats the last byte.
                b'*' => {
                    let times = usize::from(self.byte()?.saturating_sub(29));
                    let last = text.last().copied().unwrap_or(b'0');
                    text.extend(std::iter::repeat_n(last, times));
                }
                byte => text.push(byte),
            }
            if text.len() > LONGEST {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a packet without an end",
                ));
            }
        }
        // The checksum is not verified: a stream that loses bytes fails anyway.
        self.byte()?;
        self.byte()?;
        self.stream.write_all(b"+")?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Sends a request and returns the answer.
    pub(super) fn ask(&mut self, request: &str) -> io::Result<String> {
        self.send(request)?;
        self.packet()
    }

    /// Sends a request that must be answered with OK.
    pub(super) fn command(&mut self, request: &str) -> io::Result<()> {
        match &*self.ask(request)? {
            "OK" => Ok(()),
            "" => Err(io::Error::other(format!("the server does not know `{request}`"))),
            other => Err(io::Error::other(format!(
                "the server refused `{request}`: {other}"
            ))),
        }
    }

    /// Sends a `monitor` command. Servers may reject unknown ones, which is ignored.
    pub(super) fn monitor(&mut self, text: &str) -> io::Result<()> {
        let mut request = String::from("qRcmd,");
        for byte in text.bytes() {
            // Writing to a string cannot fail.
            let _ = write!(request, "{byte:02x}");
        }
        let mut answer = self.ask(&request)?;
        // Console output arrives in packets of its own before the end.
        while answer.starts_with('O') && answer != "OK" {
            answer = self.packet()?;
        }
        Ok(())
    }

    /// Continues (`c`) or steps (`s`) the program and waits for its stop.
    fn resume(&mut self, how: &str) -> io::Result<Stop> {
        self.send(how)?;
        loop {
            let packet = match self.packet() {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    self.stream.write_all(&[3])?;
                    self.packet()?;
                    return Ok(Stop::TimedOut);
                }
                packet => packet?,
            };
            return Ok(match packet.as_bytes().first() {
                Some(b'O') => continue,
                Some(b'W') => Stop::Exited(
                    u32::from_str_radix(packet[1..].split(';').next().unwrap_or(""), 16).unwrap_or(0),
                ),
                Some(b'X') => Stop::Exited(1),
                _ => Stop::Stopped,
            });
        }
    }
}

/// A point in packet form: type, address, size.
fn packed(point: Point) -> (u32, u32, u32) {
    match point {
        Point::Code(address) => (1, address, 2),
        Point::Stores(address, size) => (2, address, size),
    }
}

impl Link for Remote {
    fn name(&self) -> String {
        format!("the GDB server at {}", self.address)
    }

    fn reset(&mut self) -> io::Result<()> {
        self.monitor("reset halt")
    }

    fn read(&mut self, address: u32, into: &mut [u8]) -> io::Result<()> {
        let answer = self.ask(&format!("m{address:x},{:x}", into.len()))?;
        let bytes = hex(&answer).filter(|bytes| bytes.len() == into.len());
        let bytes =
            bytes.ok_or_else(|| io::Error::other(format!("no memory at {address:#010x}: {answer}")))?;
        into.copy_from_slice(&bytes);
        Ok(())
    }

    fn write_word(&mut self, address: u32, word: u32) -> io::Result<()> {
        self.command(&format!("M{address:x},4:{:08x}", word.swap_bytes()))
    }

    fn register(&mut self, number: u32) -> io::Result<u32> {
        let answer = self.ask(&format!("p{number:x}"))?;
        let bytes = hex(&answer).and_then(|bytes| bytes.first_chunk().copied());
        let bytes =
            bytes.ok_or_else(|| io::Error::other(format!("register {number} was not reported: {answer}")))?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn set_register(&mut self, number: u32, value: u32) -> io::Result<()> {
        self.command(&format!("P{number:x}={:08x}", value.swap_bytes()))
    }

    fn insert(&mut self, point: Point) -> io::Result<()> {
        let (kind, address, size) = packed(point);
        self.command(&format!("Z{kind},{address:x},{size:x}"))
    }

    fn remove(&mut self, point: Point) -> io::Result<()> {
        let (kind, address, size) = packed(point);
        self.command(&format!("z{kind},{address:x},{size:x}"))
    }

    fn step(&mut self) -> io::Result<Stop> {
        self.resume("s")
    }

    fn go_on(&mut self) -> io::Result<Stop> {
        self.resume("c")
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // The server need not answer a detach.
        let _ = self.send("D");
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    let pairs = (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok());
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_pairs_of_digits() {
        assert_eq!(hex("00ff7a"), Some(vec![0, 255, 122]));
        assert_eq!(hex(""), Some(Vec::new()));
        assert_eq!((hex("E01"), hex("xx"), hex("é")), (None, None, None));
    }

    /// A server like QEMU: it serves single registers only after a request for their description.
    fn serve(stream: TcpStream) -> io::Result<()> {
        let mut server = Remote {
            stream,
            address: String::new(),
            held: Vec::new(),
        };
        let mut described = false;
        loop {
            let answer = match server.packet()? {
                request if request.starts_with("qSupported") => "PacketSize=1000;qXfer:features:read+",
                request if request.starts_with("qXfer") => {
                    described = true;
                    "l<target/>"
                }
                request if request == "pf" && described => "de000000",
                request if request == "?" => "T05thread:01;",
                _ => "",
            };
            server.send(answer)?;
        }
    }

    #[test]
    fn a_server_that_wants_to_be_asked_for_its_description_tells_registers() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = std::thread::spawn(move || serve(listener.accept().unwrap().0));
        let mut remote = Remote::connect(&address).unwrap();
        assert_eq!(remote.register(15).unwrap(), 0xde);
        drop(remote);
        assert!(server.join().unwrap().is_err(), "until nobody asks");
    }
}
