// The names of memory for the process of `fuzz.rs`, under page tables.

/// Pages, mostly one.
fn named(place: usize, random: usize) -> [usize; 2] {
    let more = if random & 3 == 0 { random >> 2 & 7 } else { 0 };
    let beyond = if random >> 24 < 160 {
        0
    } else {
        random >> 8 & 0xfff
    };
    [place & !0xfff | more | beyond, random]
}
