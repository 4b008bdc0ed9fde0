//! The pool against a reference: a list of which bytes are whose. And its classes.

#![allow(unsafe_code)] // The lists' functions are `unsafe`, because no type says who owns a block.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use mainspring_core::pool::{
    Class, GRANULE, Links, NONE, Shape, Table, Taken, WhenDry, Word, cut, natural, push, take, used,
};
use proptest::prelude::*;

/// A word that one context uses.
struct Alone<'c>(&'c Cell<u32>);

impl Word for Alone<'_> {
    fn load_linked(&self) -> u32 {
        self.0.get()
    }

    fn store_conditional(&self, value: u32) -> bool {
        self.0.set(value);
        true
    }
}

/// A pool whose blocks are numbered by their place in granules, and one more.
struct Pool<'t> {
    table: &'t [Class],
    dry: WhenDry,
    base: u32,
    fresh: Cell<u32>,
    heads: Vec<Cell<u32>>,
    memory: RefCell<Vec<u32>>,
}

impl Links for Pool<'_> {
    unsafe fn next(&self, block: u32) -> u32 {
        self.memory.borrow()[block as usize - 1]
    }

    unsafe fn set_next(&self, block: u32, next: u32) {
        self.memory.borrow_mut()[block as usize - 1] = next;
    }
}

impl<'t> Pool<'t> {
    fn new(table: &'t [Class], dry: WhenDry, granules: u32, base: u32) -> Self {
        Pool {
            table,
            dry,
            base,
            fresh: Cell::new(0),
            heads: table.iter().map(|_| Cell::new(NONE)).collect(),
            memory: RefCell::new(vec![0; granules as usize]),
        }
    }

    fn granules(&self) -> u32 {
        self.memory.borrow().len() as u32
    }

    fn take(&self, class: usize) -> Option<u32> {
        let shape = Shape {
            classes: self.table,
            when_dry: self.dry,
            granules: self.granules(),
            base: self.base,
        };
        let head = |class: usize| Alone(&self.heads[class]);
        // SAFETY: the pool's own words and blocks.
        let taken = unsafe { take(&shape, class, &head(class), || Alone(&self.fresh), head, self) };
        taken.map(|taken| match taken {
            Taken::Again(block) => block,
            Taken::First(granules) => granules + 1,
        })
    }

    fn give(&self, class: usize, block: u32) {
        // SAFETY: the test owns what it took.
        unsafe { push(&Alone(&self.heads[class]), self, block) };
    }
}

/// Which granules are whose.
#[derive(Default)]
struct Reference {
    live: BTreeMap<u32, u32>,
}

impl Reference {
    fn add(&mut self, start: u32, granules: u32, total: u32) -> Result<(), TestCaseError> {
        prop_assert!(start + granules <= total, "outside of the memory");
        let before = self.live.range(..=start).next_back();
        prop_assert!(
            before.is_none_or(|(other, length)| other + length <= start),
            "overlaps the one before"
        );
        let after = self.live.range(start..).next();
        prop_assert!(
            after.is_none_or(|(other, _)| start + granules <= *other),
            "overlaps the one behind"
        );
        self.live.insert(start, granules);
        Ok(())
    }
}

/// Tables as people write them: some sizes, some of them aligned to more.
fn tables() -> impl Strategy<Value = Vec<Class>> {
    let class = (1_usize..24, 0_u32..4).prop_map(|(size, align)| {
        let align = if align == 3 { 32 } else { 0 };
        (size * 4, align)
    });
    prop::collection::btree_map(1_usize..24, class, 1..6).prop_map(|classes| {
        let mut sizes = BTreeMap::new();
        for (_, (size, align)) in classes {
            let size = if align == 0 {
                size
            } else {
                size.next_multiple_of(align)
            };
            sizes.insert(size, if align == 0 { natural(size) } else { align });
        }
        sizes
            .into_iter()
            .map(|(size, align)| Class { size, align })
            .collect()
    })
}

proptest! {
    #[test]
    fn blocks_are_aligned_and_never_overlap(
        table in tables(),
        larger in any::<bool>(),
        base in (0_u32..8).prop_map(|n| 0x2000_0000 + 8 * n),
        operations in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..300),
    ) {
        let dry = if larger { WhenDry::TakeLarger } else { WhenDry::Fail };
        let pool = Pool::new(&table, dry, 128, base);
        let mut reference = Reference::default();
        let mut owned = Vec::new();
        // Blocks that were given back, by class: the reference's free lists.
        let mut free: Vec<Vec<u32>> = table.iter().map(|_| Vec::new()).collect();
        for (index, is_take) in operations {
            if is_take {
                let class = index.index(table.len());
                let Class { size, align } = table[class];
                let before = used(pool.fresh.get());
                let Some(block) = pool.take(class) else {
                    prop_assert!(free[class].is_empty(), "refused, with a free block of the class");
                    let room = 128 - before;
                    prop_assert!(room < ((size + align - 4) / GRANULE) as u32, "refused, with room");
                    if larger {
                        let other = (class + 1..table.len()).find(|&other| table[other].align >= align && !free[other].is_empty());
                        prop_assert_eq!(other, None, "refused, with a larger block free");
                    }
                    continue;
                };
                prop_assert_eq!((base + 4 * (block - 1)) as usize % align, 0);
                // From which list it came, if it came from one: from the class's own if that has any.
                let from = free.iter().position(|list| list.last() == Some(&block));
                if let Some(from) = from {
                    free[from].pop();
                    prop_assert!(from == class || (larger && free[class].is_empty() && from > class));
                } else {
                    prop_assert!(free[class].is_empty(), "cut new memory, with a block of the class free");
                }
                reference.add(block - 1, (size / GRANULE) as u32, 128)?;
                for granule in block - 1..block - 1 + (size / GRANULE) as u32 {
                    pool.memory.borrow_mut()[granule as usize] = 0xdead_beef;
                }
                owned.push((class, block));
            } else if !owned.is_empty() {
                let (class, block) = owned.swap_remove(index.index(owned.len()));
                reference.live.remove(&(block - 1));
                free[class].push(block);
                pool.give(class, block);
            }
        }
    }

    #[test]
    fn both_ends_meet_and_do_not_pass(sizes in prop::collection::vec((1_usize..9, any::<bool>()), 0..80)) {
        let fresh = Cell::new(0);
        let mut reference = Reference::default();
        for (words, wide) in sizes {
            let class = if wide { Class::of(8 * words) } else { Class { size: 4 * words, align: 4 } };
            if let Some(place) = cut(&Alone(&fresh), class, 64, 0x2000_0000) {
                reference.add(place, (class.size / GRANULE) as u32, 64)?;
                prop_assert_eq!(4 * place as usize % class.align, 0);
            }
            prop_assert_eq!(used(fresh.get()), reference.live.values().sum::<u32>(), "nothing is left out");
        }
    }

    #[test]
    fn a_class_is_the_smallest_that_fits(table in tables(), size in 0_usize..200, shift in 0_u32..7) {
        let align = 1 << shift;
        let fits = |class: &Class| class.size >= size && class.align >= align;
        prop_assert_eq!(Table(&table).class(size, align), table.iter().position(fits));
    }
}

const PLAIN: Table<'_> = Table(&[
    Class::of(4),
    Class::of(8),
    Class::of(12),
    Class::of(16),
    Class::aligned(32, 32),
]);

#[test]
fn alignment_counts_as_much_as_size() {
    assert_eq!(PLAIN.class(1, 1), Some(0));
    assert_eq!(PLAIN.class(8, 8), Some(1));
    assert_eq!(PLAIN.class(12, 4), Some(2));
    // 12 is no multiple of 8.
    assert_eq!(PLAIN.class(9, 8), Some(3));
    assert_eq!(PLAIN.class(4, 32), Some(4));
    assert_eq!(PLAIN.class(33, 1), None);
    assert_eq!(PLAIN.class(4, 64), None);
}

#[test]
fn waste_is_what_a_value_leaves() {
    assert_eq!(PLAIN.waste(9, 4), Some(3));
    assert_eq!(PLAIN.waste(33, 4), None);
    assert_eq!([0, 1, 4].map(|class| PLAIN.worst_waste(class)), [3, 3, 15]);
}

#[test]
fn tables_that_make_no_sense_are_refused_in_words() {
    let problem = |classes: &[Class], bytes| {
        let text = Table(classes).problem("Heap", bytes);
        text.map(|text| text.as_str().to_owned()).unwrap_or_default()
    };
    let texts = [
        problem(&[], 64),
        problem(&[Class::of(8)], 60),
        problem(&[Class::of(8)], 300_000),
        problem(&[Class::of(8), Class::of(8)], 64),
        problem(&[Class::of(16), Class::of(8)], 64),
        problem(&[Class::of(6)], 64),
        problem(&[Class::of(0)], 64),
        problem(&[Class::aligned(8, 2)], 64),
        problem(&[Class::aligned(24, 12)], 64),
        problem(&[Class::of(72)], 64),
    ];
    for text in &texts {
        assert!(text.starts_with("pool `Heap`"), "{text:?}");
    }
    let all: std::collections::BTreeSet<_> = texts.iter().collect();
    assert!(all.len() >= 8, "{texts:#?}");
    assert_eq!(problem(PLAIN.0, 64), "");
}
