//! A state machine that tells what kinds of numbers a text holds.

/// Numbers, good and bad, with a separator after each.
pub(super) const TEXT: &[u8; LENGTH] =
    b"17,-2.25,8e3,0x1F,65535,--1,3.1415926,6.02e23,1e,+,.,-0.0,42,299792458,1.6e-19,.5,7.,12a4,-2\
73.15,+9.81,1.e2,e5,-.e,2.7182818,0b101,1-2,9.1e-31,+.75e+2,8.85e-1x,1013.25,-40,1e+,3.e,";
/// Bytes of the text.
pub(super) const LENGTH: usize = 181;

/// Where the machine is in a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Sign,
    Whole,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    Power,
    Invalid,
}

/// How many numbers ended in each state, and how many steps changed the state.
#[inline(never)]
pub(super) fn count(text: &[u8]) -> [u32; 10] {
    let mut counts = [0; 10];
    let mut state = State::Start;
    for &byte in text {
        if byte == b',' {
            counts[state as usize] += 1;
            state = State::Start;
            continue;
        }
        let next = step(state, byte);
        counts[9] += u32::from(next != state);
        state = next;
    }
    counts
}

fn step(state: State, byte: u8) -> State {
    use State::{Exponent, ExponentSign, Fraction, Invalid, Point, Power, Sign, Start, Whole};
    let digit = byte.is_ascii_digit();
    match (state, byte) {
        (Start, b'+' | b'-') => Sign,
        (Start | Sign | Whole, _) if digit => Whole,
        (Start | Sign, b'.') => Point,
        (Whole, b'.') => Fraction,
        (Point | Fraction, _) if digit => Fraction,
        (Whole | Fraction, b'e' | b'E') => Exponent,
        (Exponent, b'+' | b'-') => ExponentSign,
        (Exponent | ExponentSign | Power, _) if digit => Power,
        _ => Invalid,
    }
}
