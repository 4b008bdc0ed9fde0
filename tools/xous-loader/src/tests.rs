use std::sync::Arc;

use super::*;
use machine::{Console, Machine, Options, Outcome};

/// Instructions, by the numbers of their registers.
mod asm {
    pub(super) const ZERO: u32 = 0;
    pub(super) const T0: u32 = 5;
    pub(super) const T1: u32 = 6;
    pub(super) const A0: u32 = 10;
    pub(super) const A1: u32 = 11;
    pub(super) const A2: u32 = 12;
    pub(super) const ECALL: u32 = 0x73;
    pub(super) const SRET: u32 = 0x1020_0073;
    pub(super) const FENCE: u32 = 0x1200_0073;

    pub(super) fn li(to: u32, value: u32) -> [u32; 2] {
        let upper = value.wrapping_add(0x800) & 0xffff_f000;
        let lower = value.wrapping_sub(upper) & 0xfff;
        [upper | to << 7 | 0x37, lower << 20 | to << 15 | to << 7 | 0x13]
    }

    pub(super) fn lw(to: u32, base: u32, offset: u32) -> u32 {
        offset << 20 | base << 15 | 2 << 12 | to << 7 | 0x03
    }

    pub(super) fn sw(from: u32, base: u32, offset: u32) -> u32 {
        (offset >> 5) << 25 | from << 20 | base << 15 | 2 << 12 | (offset & 31) << 7 | 0x23
    }

    pub(super) fn csrw(csr: u32, from: u32) -> u32 {
        csr << 20 | from << 15 | 1 << 12 | 0x73
    }

    pub(super) fn csrc(csr: u32, from: u32) -> u32 {
        csr << 20 | from << 15 | 3 << 12 | 0x73
    }

    /// `to = to == from ? 0 : not 0`
    pub(super) fn differ(to: u32, from: u32) -> u32 {
        from << 20 | to << 15 | 4 << 12 | to << 7 | 0x33
    }

    /// `to |= from`
    pub(super) fn or(to: u32, from: u32) -> u32 {
        from << 20 | to << 15 | 6 << 12 | to << 7 | 0x33
    }

    pub(super) fn mv(to: u32, from: u32) -> u32 {
        from << 15 | to << 7 | 0x13
    }
}

use asm::*;

/// Where the tiny kernel takes its traps, behind its first instruction.
const HANDLER: u32 = 0x100;
const PROGRAM: u32 = 0x1_0000;

/// A part of a file: its address, flags (4 read, 2 write, 1 execute), bytes, and how many there are of it in memory.
type Piece = (u32, u32, Vec<u8>, u32);

fn file(name: &str, machine: u32, entry: u32, pieces: &[Piece]) -> Image {
    let headers = 52 + 32 * pieces.len() as u32;
    let mut bytes = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let word = |bytes: &mut Vec<u8>, words: &[u32]| {
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    };
    word(&mut bytes, &[2 | machine << 16, 1, entry, 52, 0, 0]);
    word(
        &mut bytes,
        &[0x34 | 0x20 << 16, pieces.len() as u32 | 0x28 << 16, 0],
    );
    let mut offset = headers;
    for (at, flags, data, size) in pieces {
        word(
            &mut bytes,
            &[1, offset, *at, *at, data.len() as u32, *size, *flags, 4],
        );
        offset += data.len() as u32;
    }
    for (_, _, data, _) in pieces {
        bytes.extend(data);
    }
    Image::parse(name, &bytes).unwrap()
}

fn code(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn piece(at: u32, flags: u32, data: Vec<u8>) -> Piece {
    let size = data.len() as u32;
    (at, flags, data, size)
}

/// A kernel in supervisor mode that enters process 2 by the table that it is given. Its handler ends the run: with 0 if the program
/// asked for it with the word that its own page holds, if the arguments begin as they should, and the owner of the first page of RAM is
/// nobody.
fn kernel() -> Image {
    let mut words = Vec::new();
    words.extend(li(T0, KERNEL + HANDLER));
    words.push(csrw(0x105, T0)); // stvec
    // Shows the ports at 0xffce_0000, through its own view of its last table.
    words.extend(li(T0, 0xff40_0000 + 1023 * PAGE + 0xe0 * 4));
    words.extend(li(T1, 0xfff0_0000 >> 2 | 0xc7));
    words.push(sw(T1, T0, 0));
    // Keeps what it was given, in its data, for the handler.
    words.extend(li(T0, KERNEL + PAGE));
    words.extend([sw(A0, T0, 0), sw(A1, T0, 4), sw(A2, T0, 8)]);
    words.extend([lw(T1, A1, 16), csrw(0x141, T1)]); // sepc: the second entry's
    words.extend([lw(T1, A1, 20), mv(2, T1)]); // sp
    words.extend(li(T1, 1 << 8));
    words.push(csrc(0x100, T1)); // SRET enters user mode.
    words.extend([lw(T1, A1, 12), csrw(0x180, T1), FENCE, SRET]); // satp
    let mut text = code(&words);
    text.resize(HANDLER as usize, 0);
    let mut handler = Vec::new();
    // a0: what the program says. Everything that is not as it should be leaves a bit of it.
    handler.extend(li(T0, 0x600d));
    handler.push(differ(A0, T0));
    handler.extend(li(T0, KERNEL + PAGE));
    handler.extend([lw(T1, T0, 0), lw(T1, T1, 0)]);
    handler.extend(li(A1, u32::from_le_bytes(*b"XArg")));
    handler.extend([differ(T1, A1), or(A0, T1)]);
    handler.extend([lw(T1, T0, 8), lw(T1, T1, 0), or(A0, T1)]);
    handler.extend(li(T0, 0xffce_0000));
    handler.extend([sw(A0, T0, 0), 0x6f]);
    text.extend(code(&handler));
    file(
        "kernel.elf",
        243,
        KERNEL,
        &[piece(KERNEL, 5, text), (KERNEL + PAGE, 6, Vec::new(), 16)],
    )
}

/// A program that puts the word of its data on its stack and asks the kernel with it.
fn program(name: &str, at: u32) -> Image {
    let mut words = Vec::new();
    words.extend(li(T0, at + PAGE + 8));
    words.extend([lw(A0, T0, 0), sw(A0, 2, 0), sw(ZERO, T0, 0), lw(A0, 2, 0), ECALL]);
    let mut data = vec![0; 8];
    data.extend(0x600du32.to_le_bytes());
    file(
        name,
        243,
        at,
        &[piece(at, 5, code(&words)), piece(at + PAGE, 6, data)],
    )
}

fn board() -> Board {
    Board::find("precursor").unwrap()
}

fn ended(image: &[u8]) -> Outcome {
    let image = Arc::new(Image::parse("image.elf", image).unwrap());
    let options = Options {
        console: Console::none(),
        ..Options::default()
    };
    let mut machine = Machine::new(&board(), &image, options).unwrap();
    machine.run(1_000_000, &mut events::Silent)
}

#[test]
fn a_kernel_finds_its_arguments_tables_and_programs() {
    let image = xous(&board(), &kernel(), &[program("a.elf", PROGRAM)], &[]).unwrap();
    assert!(
        matches!(ended(&image.elf), Outcome::Exit { code: 0 }),
        "{:?}",
        ended(&image.elf)
    );
}

#[test]
fn each_page_belongs_to_the_process_that_has_it() {
    let programs = [program("a.elf", PROGRAM), program("b.elf", 2 * PROGRAM)];
    let image = xous(&board(), &kernel(), &programs, &[]).unwrap();
    let image = Image::parse("image.elf", &image.elf).unwrap();
    let word = |at: u32| image.stored_word(at).unwrap();
    // The structures: the page below the one that enters the kernel.
    let top = 0x4100_0000 - PAGE;
    let arguments = (0x4000_0000..top).step_by(PAGE as usize).rev();
    let mut arguments = arguments.filter(|&at| image.stored_word(at) == Some(u32::from_le_bytes(*b"XArg")));
    let at = arguments.next().unwrap();
    let table = at + word(at + 8) * 4;
    let owner = |page: u32| {
        let at = table + 3 * 12 + (page - 0x4000_0000) / PAGE;
        word(at & !3).to_le_bytes()[(at & 3) as usize]
    };
    assert_eq!([owner(top), owner(at), owner(0x4000_0000)], [1, 1, 0]);
    for pid in 1..=3u8 {
        let satp = word(table + u32::from(pid - 1) * 12);
        assert_eq!((satp >> 31, satp >> 22 & 0x1ff), (1, pid.into()));
        assert_eq!(owner(satp << 12), pid);
    }
    for segment in image
        .segments()
        .iter()
        .filter(|segment| segment.address != segment.runs_at)
    {
        let pid = match segment.runs_at / PROGRAM {
            1 => 2,
            2 => 3,
            _ => 1,
        };
        assert_eq!(owner(segment.address), pid, "{:#x}", segment.runs_at);
    }
}

#[test]
fn no_page_is_shown_to_two_processes_but_the_kernels() {
    let programs = [program("a.elf", PROGRAM), program("b.elf", 2 * PROGRAM)];
    let image = xous(&board(), &kernel(), &programs, &[]).unwrap();
    let image = Image::parse("image.elf", &image.elf).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for segment in image.segments() {
        for page in (segment.address..segment.address + segment.bytes.len() as u32).step_by(PAGE as usize) {
            assert!(seen.insert(page / PAGE), "{page:#x}");
        }
    }
}

#[test]
fn programs_of_the_same_addresses_run_and_one_of_them_keeps_its_symbols() {
    let programs = [program("a.elf", PROGRAM), program("dir/b.elf", PROGRAM)];
    let image = xous(&board(), &kernel(), &programs, &[]).unwrap();
    let hidden: Vec<_> = image
        .processes
        .iter()
        .map(|process| process.hidden_by.as_deref())
        .collect();
    assert_eq!(hidden, [None, None, Some("a")]);
    assert_eq!(image.processes[2].name, "b");
    assert!(matches!(ended(&image.elf), Outcome::Exit { code: 0 }));
}

#[test]
fn what_does_not_fit_is_named() {
    let fails = |board: &str, kernel: &Image, programs: &[Image]| {
        let error = xous(&Board::find(board).unwrap(), kernel, programs, &[]).unwrap_err();
        format!("{error}; {}", error.hint().unwrap_or_default())
    };
    let good = [program("a.elf", PROGRAM)];
    let arm = file("arm.elf", 40, 0x1000, &[piece(0x1000, 5, vec![0; 4])]);
    let low = file("low.elf", 243, 0x100, &[piece(0x100, 5, vec![0; 4])]);
    let stack = file(
        "stack.elf",
        243,
        STACK - PAGE,
        &[piece(STACK - PAGE, 5, vec![0; 4])],
    );
    let above = file("above.elf", 243, KERNEL, &[piece(KERNEL, 5, vec![0; 4])]);
    let huge = file("huge.elf", 243, PROGRAM, &[(PROGRAM, 5, vec![0; 4], 32 << 20)]);
    let hugest = file(
        "hugest.elf",
        243,
        PROGRAM,
        &[(PROGRAM, 5, vec![0; 4], 0x7000_0000)],
    );
    let many: Vec<Image> = (0..64).map(|_| program("a.elf", PROGRAM)).collect();
    let said = [
        fails("cortex-m3", &kernel(), &good),
        fails("vexriscv-imac", &kernel(), &good),
        fails("virt", &kernel(), &good),
        fails("precursor", &good[0], &good),
        fails("precursor", &kernel(), &[arm]),
        fails("precursor", &kernel(), &[low]),
        fails("precursor", &kernel(), &[stack]),
        fails("precursor", &kernel(), &[above]),
        fails("precursor", &kernel(), &[huge]),
        fails("precursor", &kernel(), &[hugest]),
        fails("precursor", &kernel(), &many),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

mod random {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever the segments are: every byte is where the tables say that the program has it, and nothing panics.
        #[test]
        fn every_byte_is_where_the_tables_say(
            pieces in prop::collection::vec((0x1000u32..0x20_0000, 0u32..8, prop::collection::vec(any::<u8>(), 1..9000), 0u32..20_000), 1..5),
        ) {
            let mut pieces = pieces;
            pieces.sort_by_key(|piece| piece.0);
            let mut end = 0;
            pieces.retain(|(at, _, data, more)| {
                let fits = *at >= end;
                if fits {
                    end = at + data.len() as u32 + more;
                }
                fits
            });
            let pieces: Vec<Piece> = pieces
                .into_iter()
                .map(|(at, flags, data, more)| {
                    let size = data.len() as u32 + more;
                    (at, flags, data, size)
                })
                .collect();
            let program = file("a.elf", 243, pieces[0].0, &pieces);
            let image = xous(&board(), &kernel(), &[program], &[]).unwrap();
            let image = Arc::new(Image::parse("image.elf", &image.elf).unwrap());
            let machine = Machine::new(&board(), &image, Options::default()).unwrap();
            let root = (0..4000).map(|page| 0x40ff_f000 - page * PAGE).find(|&page| {
                // A root shows itself: the last table but one, its first entry.
                machine.peek_word(page + 1022 * 4).is_some_and(|pointer| {
                    pointer & 1 != 0 && machine.peek_word(pointer >> 10 << 12) == Some(page >> 2 | 0xc7)
                }) && machine.peek_word(page).is_some_and(|pointer| pointer & 1 != 0)
            });
            let root = root.unwrap();
            for (at, flags, data, size) in &pieces {
                for place in (0..*size).step_by(61) {
                    let address = at + place;
                    let pointer = machine.peek_word(root + (address >> 22) * 4).unwrap();
                    let entry = machine.peek_word((pointer >> 10 << 12) + (address >> 12 & 0x3ff) * 4).unwrap();
                    let shown = machine.peek_word((entry >> 10 << 12) + (address & 0xffc)).unwrap();
                    let byte = shown.to_le_bytes()[(address & 3) as usize];
                    prop_assert_eq!(byte, data.get(place as usize).copied().unwrap_or(0));
                    prop_assert_eq!(entry & 0x13, 0x13, "valid, readable, the program's");
                    prop_assert!(flags & 2 == 0 || entry & 4 != 0);
                    prop_assert!(flags & 1 == 0 || entry & 8 != 0);
                }
            }
        }
    }
}
