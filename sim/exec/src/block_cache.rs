//! Blocks, and how one leads to the next.

use std::hash::Hash;
use std::ops::{Index, IndexMut};

use rustc_hash::FxHashMap;

/// Blocks by number, each found by its key: all that decides how it is executed and what it costs, which is its address, the mode of the
/// core and the state of the pipeline.
#[derive(Clone, Debug)]
pub struct BlockCache<K, B> {
    blocks: Vec<B>,
    numbers: FxHashMap<K, u32>,
}

impl<K, B> Default for BlockCache<K, B> {
    fn default() -> Self {
        BlockCache {
            blocks: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }
}

impl<K: Eq + Hash, B> BlockCache<K, B> {
    /// The number of the block with this key, if there is one.
    #[inline]
    pub fn find(&self, key: &K) -> Option<u32> {
        self.numbers.get(key).copied()
    }

    /// Adds a block, whose key has none yet. Gives its number, which it keeps until all blocks are forgotten.
    pub fn add(&mut self, key: K, block: B) -> u32 {
        let number = self.blocks.len() as u32;
        self.blocks.push(block);
        self.numbers.insert(key, number);
        number
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.numbers.clear();
    }

    /// Iterates over all blocks.
    pub fn iter(&self) -> impl Iterator<Item = &B> {
        self.blocks.iter()
    }

    /// Iterates mutably over all blocks.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut B> {
        self.blocks.iter_mut()
    }
}

impl<K, B> BlockCache<K, B> {
    /// The block with this number, if there is one.
    #[inline(always)]
    pub fn get(&self, number: u32) -> Option<&B> {
        self.blocks.get(number as usize)
    }
}

impl<K, B> Index<u32> for BlockCache<K, B> {
    type Output = B;

    #[inline(always)]
    fn index(&self, number: u32) -> &B {
        &self.blocks[number as usize]
    }
}

impl<K, B> IndexMut<u32> for BlockCache<K, B> {
    #[inline(always)]
    fn index_mut(&mut self, number: u32) -> &mut B {
        &mut self.blocks[number as usize]
    }
}
