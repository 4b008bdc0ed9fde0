//! Huffman's code: a tree that is built, and text that is coded and decoded bit by bit.

use core::hint::black_box;

/// The result of [`work`].
pub const EXPECTED: u32 = 0x57ce_3fad;
const ROUNDS: u32 = 4;
const SYMBOLS: usize = 32;
const NODES: usize = 2 * SYMBOLS - 1;
const LENGTH: usize = 512;

/// A code: for each node its parent and its children.
struct Tree {
    parent: [u8; NODES],
    children: [[u8; 2]; NODES],
}

/// Codes texts and decodes them.
pub fn work() -> u32 {
    let mut sum = 0;
    for round in 0..black_box(ROUNDS) {
        let mut text = [0; LENGTH];
        crate::fill(&mut text, round + 1);
        for byte in &mut text {
            // Symbols with few ones are more frequent, so that codes differ in length.
            *byte &= (*byte >> 3) | 0x11;
            *byte %= SYMBOLS as u8;
        }
        let tree = Tree::of(&text);
        let mut coded = [0; LENGTH];
        let bits = tree.encode(&text, &mut coded);
        let mut decoded = [0; LENGTH];
        tree.decode(&coded, &mut decoded);
        sum = crate::sum(&coded) ^ (sum << 1) ^ bits as u32 ^ u32::from(decoded != text);
    }
    sum
}

impl Tree {
    #[inline(never)]
    fn of(text: &[u8]) -> Tree {
        let mut weight = [u32::MAX; NODES];
        weight[..SYMBOLS].fill(1);
        for &symbol in text {
            weight[usize::from(symbol)] += 1;
        }
        let mut tree = Tree {
            parent: [0; NODES],
            children: [[0; 2]; NODES],
        };
        let mut free = [false; NODES];
        free[..SYMBOLS].fill(true);
        for node in SYMBOLS..NODES {
            let pair = [(); 2].map(|()| {
                let lightest = (0..node).filter(|&at| free[at]).min_by_key(|&at| weight[at]);
                let lightest = lightest.unwrap_or(0);
                free[lightest] = false;
                tree.parent[lightest] = node as u8;
                lightest as u8
            });
            weight[node] = pair.iter().map(|&child| weight[usize::from(child)]).sum();
            tree.children[node] = pair;
            free[node] = true;
        }
        tree
    }

    /// Writes the codes of all symbols, the bits of each from its leaf to the root turned round; returns how many bits.
    #[inline(never)]
    fn encode(&self, text: &[u8], coded: &mut [u8]) -> usize {
        let mut end = 0;
        for &symbol in text {
            let (mut node, mut code, mut length) = (symbol, 0u32, 0);
            while usize::from(node) != NODES - 1 {
                let parent = self.parent[usize::from(node)];
                let side = self.children[usize::from(parent)][1] == node;
                code = (code << 1) | u32::from(side);
                length += 1;
                node = parent;
            }
            for _ in 0..length {
                if let Some(byte) = coded.get_mut(end / 8) {
                    *byte |= ((code & 1) as u8) << (end % 8);
                }
                code >>= 1;
                end += 1;
            }
        }
        end
    }

    #[inline(never)]
    fn decode(&self, coded: &[u8], text: &mut [u8]) {
        let mut at = 0;
        for symbol in text {
            let mut node = NODES - 1;
            while node >= SYMBOLS {
                let bit = coded.get(at / 8).map_or(0, |byte| (byte >> (at % 8)) & 1);
                node = usize::from(self.children[node][usize::from(bit)]);
                at += 1;
            }
            *symbol = node as u8;
        }
    }
}
