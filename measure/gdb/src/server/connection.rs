//! A connection to GDB: incoming requests, outgoing replies and their acknowledgements.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use super::packet::{Decoder, Received, framed};

/// Requests queued while the program runs. Beyond that the server asks for retransmission; a client without it is taken for gone.
const MOST_WAITING: usize = 64;
/// How long the client may take to read the last reply before the connection closes.
const FAREWELL: Duration = Duration::from_millis(500);

/// A request to the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Request {
    /// The data of a packet.
    Packet(Vec<u8>),
    /// A request that can only be refused.
    Unreadable,
    /// Ctrl-C.
    Interrupt,
}

/// A connection to one GDB.
pub(super) struct Connection {
    stream: TcpStream,
    decoder: Decoder,
    waiting: VecDeque<Request>,
    /// Whether packets are acknowledged; GDB may turn that off.
    acknowledges: bool,
    /// The last reply, for retransmission.
    last: Vec<u8>,
    is_closed: bool,
    /// Whether the program runs; requests wait meanwhile.
    is_running: bool,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> io::Result<Connection> {
        stream.set_nodelay(true)?;
        Ok(Connection {
            stream,
            decoder: Decoder::default(),
            waiting: VecDeque::new(),
            acknowledges: true,
            last: Vec::new(),
            is_closed: false,
            is_running: false,
        })
    }

    /// Waits for the next request; `None` if the client is gone.
    pub(super) fn request(&mut self) -> io::Result<Option<Request>> {
        while self.waiting.is_empty() && !self.is_closed {
            self.read()?;
        }
        Ok(self.waiting.pop_front())
    }

    /// Whether a running program should stop: after Ctrl-C, which is answered later, or if the client is gone. Does not wait.
    pub(super) fn asks_to_stop(&mut self) -> bool {
        self.is_running = true;
        self.is_closed |= self.read_now().is_err();
        self.is_running = false;
        let asked = self
            .waiting
            .iter()
            .position(|request| *request == Request::Interrupt);
        asked.map(|at| self.waiting.remove(at)).is_some() || self.is_closed
    }

    /// Whether the client is gone.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Stops acknowledging packets.
    pub(super) fn stop_acknowledging(&mut self) {
        self.acknowledges = false;
    }

    /// Sends a packet.
    pub(super) fn reply(&mut self, data: &[u8]) -> io::Result<()> {
        self.last = framed(data);
        self.stream.write_all(&self.last)
    }

    /// Closes the connection once the client has read the last reply; closing earlier could lose it.
    pub(super) fn close(mut self) {
        let closed = self.stream.shutdown(Shutdown::Write);
        let patient = self.stream.set_read_timeout(Some(FAREWELL));
        if closed.and(patient).is_ok() {
            while self.stream.read(&mut [0; 64]).is_ok_and(|length| length > 0) {}
        }
    }

    fn read_now(&mut self) -> io::Result<()> {
        self.stream.set_nonblocking(true)?;
        let read = self.read();
        self.stream.set_nonblocking(false)?;
        match read {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            read => read,
        }
    }

    fn read(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        let length = match self.stream.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            read => read?,
        };
        self.is_closed |= length == 0;
        for &byte in &buffer[..length] {
            if let Some(received) = self.decoder.push(byte) {
                self.take(received)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, received: Received) -> io::Result<()> {
        let (sign, request) = match received {
            Received::Packet(data) => (b'+', Request::Packet(data)),
            Received::TooLong => (b'+', Request::Unreadable),
            Received::Interrupt => {
                self.waiting.push_back(Request::Interrupt);
                return Ok(());
            }
            // It will be sent again.
            Received::Damaged if self.acknowledges => return self.stream.write_all(b"-"),
            Received::Damaged => (b'-', Request::Unreadable),
            Received::Nack if self.acknowledges => return self.stream.write_all(&self.last),
            Received::Nack => return Ok(()),
        };
        if self.is_running && self.waiting.len() >= MOST_WAITING {
            self.is_closed |= !self.acknowledges;
            return self.stream.write_all(b"-");
        }
        self.waiting.push_back(request);
        if self.acknowledges {
            self.stream.write_all(&[sign])?;
        }
        Ok(())
    }
}
