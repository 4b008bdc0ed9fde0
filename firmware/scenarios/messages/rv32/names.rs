// The names of memory for the process of `fuzz.rs`, under PMP.

/// A piece of memory, mostly by a name that it has.
fn named(place: usize, random: usize) -> [usize; 2] {
    let size = 1 << (random & 15);
    let word = if random >> 24 < 160 {
        place >> 2 | (size - 1)
    } else {
        place >> 2
    };
    [word, random]
}
