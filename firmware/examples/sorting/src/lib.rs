//! Ways to sort.

#![no_std]

/// Puts each item where it belongs among those before it.
pub fn insertion(list: &mut [u32]) {
    for end in 1..list.len() {
        let mut place = end;
        while place > 0 && list[place - 1] > list[place] {
            list.swap(place - 1, place);
            place -= 1;
        }
    }
}

/// The same over gaps that become smaller.
pub fn shell(list: &mut [u32]) {
    let mut gap = list.len() / 2;
    while gap > 0 {
        for end in gap..list.len() {
            let mut place = end;
            while place >= gap && list[place - gap] > list[place] {
                list.swap(place - gap, place);
                place -= gap;
            }
        }
        gap /= 2;
    }
}

/// Whether nothing stands before what is less.
#[must_use]
pub fn is_sorted(list: &[u32]) -> bool {
    list.windows(2).all(|pair| pair[0] <= pair[1])
}
