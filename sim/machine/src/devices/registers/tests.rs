use super::*;

fn register(name: &str, offset: u32, reset: u32, write: u32) -> Register {
    Register {
        name: name.into(),
        offset,
        reset,
        write,
        clear: 0,
        refuse: 0,
    }
}
