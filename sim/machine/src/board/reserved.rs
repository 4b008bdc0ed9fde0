//! Addresses where a chip has nothing: an access is a bus fault, by a wild pointer of the program.

use bus::Bus;

use super::Board;

/// Ranges in which the board file names everything that the chip has, as first and last address (ARMv7-M ARM B3.1). Left out are:
///
/// - the end of the code region, where chips keep factory constants;
/// - peripherals: a board lacks some, and an access to one must report that it is not modelled;
/// - the core's own registers, and the vendor-specific space after them.
const KNOWN: [(u32, u32); 3] = [
    (0x0000_0000, 0x1fef_ffff),
    (0x2000_0000, 0x3fff_ffff),
    (0x6000_0000, 0xdfff_ffff),
];

/// The parts of these ranges that neither the board, its SVD file nor its bus name, ascending and disjoint.
pub(super) fn ranges(board: &Board, bus: &Bus) -> Vec<(u32, u32)> {
    let on_bus = bus.regions().map(|region| (region.base, region.size));
    let described = board.svd().into_iter().flat_map(crate::svd::Svd::ranges);
    let mut named: Vec<(u32, u32)> = on_bus.chain(board.device_ranges()).chain(described).collect();
    named.retain(|&(_, size)| size > 0);
    named.sort_unstable();
    let mut free = Vec::new();
    for (first, last) in KNOWN {
        let mut from = u64::from(first);
        for &(base, size) in &named {
            let (begin, end) = (u64::from(base), u64::from(base) + u64::from(size));
            if end <= from || begin > u64::from(last) {
                continue;
            }
            if begin > from {
                free.push((from as u32, (begin - 1) as u32));
            }
            from = end;
        }
        if from <= u64::from(last) {
            free.push((from as u32, last));
        }
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_not_reserved() {
        for name in Board::names() {
            let board = Board::find(name).unwrap();
            let bus = board.bus(&[]);
            let ranges = ranges(&board, &bus);
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0), "{name}");
            let named = bus.regions().map(|region| (region.base, region.size));
            for (base, size) in named.chain(board.device_ranges()).filter(|(_, size)| *size > 0) {
                let end = base + (size - 1);
                assert!(
                    ranges.iter().all(|&(first, last)| end < first || last < base),
                    "{name}: {base:#x}"
                );
            }
        }
    }
}
