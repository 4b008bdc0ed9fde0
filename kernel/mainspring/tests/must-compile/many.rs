//! Thirty-two tasks and as many resources, all used by one of the tasks and by the idle loop, and each with a value from `init`.

#![allow(unsafe_code)]

use mainspring::{Context, Device, Handles, Init, Initials, Main, Run, Write};

struct Chip;
#[repr(u16)]
enum Interrupt {
    I0 = 0,
    I1 = 1,
    I2 = 2,
    I3 = 3,
    I4 = 4,
    I5 = 5,
    I6 = 6,
    I7 = 7,
    I8 = 8,
    I9 = 9,
    I10 = 10,
    I11 = 11,
    I12 = 12,
    I13 = 13,
    I14 = 14,
    I15 = 15,
    I16 = 16,
    I17 = 17,
    I18 = 18,
    I19 = 19,
    I20 = 20,
    I21 = 21,
    I22 = 22,
    I23 = 23,
    I24 = 24,
    I25 = 25,
    I26 = 26,
    I27 = 27,
    I28 = 28,
    I29 = 29,
    I30 = 30,
    I31 = 31,
}
// SAFETY: this is compiled, and never run.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 5;
    type Interrupt = Interrupt;
}

mainspring::app! {
    struct Many;
    device = Chip;
    resources {
        R0: u32;
        R1: u32;
        R2: u32;
        R3: u32;
        R4: u32;
        R5: u32;
        R6: u32;
        R7: u32;
        R8: u32;
        R9: u32;
        R10: u32;
        R11: u32;
        R12: u32;
        R13: u32;
        R14: u32;
        R15: u32;
        R16: u32;
        R17: u32;
        R18: u32;
        R19: u32;
        R20: u32;
        R21: u32;
        R22: u32;
        R23: u32;
        R24: u32;
        R25: u32;
        R26: u32;
        R27: u32;
        R28: u32;
        R29: u32;
        R30: u32;
        R31: u32;
    }
    tasks {
        T0, on I0, priority 1, uses (Write<R0>, Write<R1>, Write<R2>, Write<R3>, Write<R4>, Write<R5>, Write<R6>, Write<R7>, Write<R8>, Write<R9>, Write<R10>, Write<R11>, Write<R12>, Write<R13>, Write<R14>, Write<R15>, Write<R16>, Write<R17>, Write<R18>, Write<R19>, Write<R20>, Write<R21>, Write<R22>, Write<R23>, Write<R24>, Write<R25>, Write<R26>, Write<R27>, Write<R28>, Write<R29>, Write<R30>, Write<R31>);
        T1, on I1, priority 2;
        T2, on I2, priority 3;
        T3, on I3, priority 4;
        T4, on I4, priority 5;
        T5, on I5, priority 6;
        T6, on I6, priority 7;
        T7, on I7, priority 8;
        T8, on I8, priority 9;
        T9, on I9, priority 10;
        T10, on I10, priority 11;
        T11, on I11, priority 12;
        T12, on I12, priority 13;
        T13, on I13, priority 14;
        T14, on I14, priority 15;
        T15, on I15, priority 16;
        T16, on I16, priority 17;
        T17, on I17, priority 18;
        T18, on I18, priority 19;
        T19, on I19, priority 20;
        T20, on I20, priority 21;
        T21, on I21, priority 22;
        T22, on I22, priority 23;
        T23, on I23, priority 24;
        T24, on I24, priority 25;
        T25, on I25, priority 26;
        T26, on I26, priority 27;
        T27, on I27, priority 28;
        T28, on I28, priority 29;
        T29, on I29, priority 30;
        T30, on I30, priority 31;
        T31, on I31, priority 32;
    }
    idle uses (Write<R0>, Write<R1>, Write<R2>, Write<R3>, Write<R4>, Write<R5>, Write<R6>, Write<R7>, Write<R8>, Write<R9>, Write<R10>, Write<R11>, Write<R12>, Write<R13>, Write<R14>, Write<R15>, Write<R16>, Write<R17>, Write<R18>, Write<R19>, Write<R20>, Write<R21>, Write<R22>, Write<R23>, Write<R24>, Write<R25>, Write<R26>, Write<R27>, Write<R28>, Write<R29>, Write<R30>, Write<R31>);
}

macro_rules! tasks {
    ($($task:ident)*) => {$(
        struct $task(u32);
        impl Run for $task {
            fn run(&mut self, _: Context<Self>, _shared: Handles<Self>) {
                self.0 += 1;
            }
        }
    )*};
}
tasks!(T0 T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12 T13 T14 T15 T16 T17 T18 T19 T20 T21 T22 T23 T24 T25 T26 T27 T28 T29 T30 T31);

impl Main for Many {
    fn init(_: Init<Self>) -> Initials<Self> {
        Initials::<Self> {
            T0: T0(0),
            R0: 0,
            T1: T1(0),
            R1: 1,
            T2: T2(0),
            R2: 2,
            T3: T3(0),
            R3: 3,
            T4: T4(0),
            R4: 4,
            T5: T5(0),
            R5: 5,
            T6: T6(0),
            R6: 6,
            T7: T7(0),
            R7: 7,
            T8: T8(0),
            R8: 8,
            T9: T9(0),
            R9: 9,
            T10: T10(0),
            R10: 10,
            T11: T11(0),
            R11: 11,
            T12: T12(0),
            R12: 12,
            T13: T13(0),
            R13: 13,
            T14: T14(0),
            R14: 14,
            T15: T15(0),
            R15: 15,
            T16: T16(0),
            R16: 16,
            T17: T17(0),
            R17: 17,
            T18: T18(0),
            R18: 18,
            T19: T19(0),
            R19: 19,
            T20: T20(0),
            R20: 20,
            T21: T21(0),
            R21: 21,
            T22: T22(0),
            R22: 22,
            T23: T23(0),
            R23: 23,
            T24: T24(0),
            R24: 24,
            T25: T25(0),
            R25: 25,
            T26: T26(0),
            R26: 26,
            T27: T27(0),
            R27: 27,
            T28: T28(0),
            R28: 28,
            T29: T29(0),
            R29: 29,
            T30: T30(0),
            R30: 30,
            T31: T31(0),
            R31: 31,
        }
    }
}

fn main() {}
