//! The server: it tells the time, and a version, in a message or in lent memory; safely, and by hand.

use xous::{MemoryAddress, MemoryFlags};
use xous_api_ticktimer::api::{Opcode, VersionString};
use xous_ipc::Buffer;
use xous_messages::{GET_VERSION_BY_HAND, SERVER, TIMESTAMP, VERSION};

/// The timer of milliseconds: where it is, and the words of its time.
const TICKTIMER: usize = 0xf001_2000;
const TIME1: usize = 1;
const TIME0: usize = 2;

fn main() -> ! {
    let server = xous::create_server_with_address(SERVER).expect("a server");
    let registers = xous::syscall::map_memory(
        MemoryAddress::new(TICKTIMER),
        None,
        4096,
        MemoryFlags::R | MemoryFlags::W,
    );
    let registers = registers.expect("the timer").as_ptr().cast::<u32>();
    // Sound: a register of the page that is mapped above, and that is never unmapped.
    let register = |number| unsafe { registers.add(number).read_volatile() };
    let (mut message, mut returned) = (None, 0);
    loop {
        xous::reply_and_receive_next_legacy(server, &mut message, &mut returned).expect("a message");
        let Some(message) = message.as_mut() else { continue };
        let id = message.body.id();
        match num_traits::FromPrimitive::from_usize(id).unwrap_or(Opcode::InvalidCall) {
            Opcode::ElapsedMs => {
                if let Some(scalar) = message.body.scalar_message_mut() {
                    let time = u64::from(register(TIME0)) | u64::from(register(TIME1)) << 32;
                    (scalar.arg1, scalar.arg2, scalar.id) = (time as usize, (time >> 32) as usize, 0);
                    returned = 2;
                }
            }
            Opcode::GetVersion => {
                let Some(memory) = message.body.memory_message_mut() else {
                    continue;
                };
                // Sound: the client made a buffer of this type and lends it until it is answered.
                let mut buffer = unsafe { Buffer::from_memory_message_mut(memory) };
                buffer.replace(version()).expect("room for the version");
            }
            _ if id == GET_VERSION_BY_HAND => {
                let Some(memory) = message.body.memory_message_mut() else {
                    continue;
                };
                let text = VERSION.as_bytes().iter().chain(b"\n").chain(TIMESTAMP.as_bytes());
                let page = memory.buf.as_slice_mut();
                for (to, from) in page.iter_mut().zip(text) {
                    *to = *from;
                }
                memory.valid = core::num::NonZeroUsize::new(VERSION.len() + 1 + TIMESTAMP.len());
            }
            _ => {}
        }
    }
}

fn version() -> VersionString {
    let mut text = VersionString {
        version: xous_ipc::String::new(),
    };
    text.version.append(VERSION).ok();
    text.version.append("\n").ok();
    text.version.append(TIMESTAMP).ok();
    text
}
