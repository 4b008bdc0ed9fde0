//! Compresses the windows of a long sample: loops repeat, so repeated windows become back-references.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// A window as (context, code, cycles, costs): indices, except the cycles.
pub type Window = (u32, u32, u64, u32);

/// Most parts that are kept, about 80 KB.
const MOST_PARTS: usize = 8000;
/// Most windows that are kept; a reader decompresses all of them.
pub const MOST_WINDOWS: usize = 100_000;

/// The windows after those that are kept one by one, compressed.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Rest {
    /// Windows that occurred for the first time.
    pub steps: Vec<Window>,
    /// In order: (0, index of a step), or (distance, length), a back-reference to the windows that far back. A back-reference may overlap
    /// its own output.
    pub parts: Vec<(u32, u32)>,
}

impl Rest {
    /// Whether there are no windows.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Appends its windows to `windows`.
    pub fn unfold(&self, windows: &mut Vec<Window>) {
        for &(back, number) in &self.parts {
            if back == 0 {
                windows.push(self.steps[number as usize]);
                continue;
            }
            for _ in 0..number {
                windows.push(windows[windows.len() - back as usize]);
            }
        }
    }

    /// Validates parts read from a file: each refers to an existing window, after `before` earlier ones, and the total is within the
    /// limit.
    pub fn is_sound(&self, before: usize) -> bool {
        let mut count = before;
        self.parts.iter().all(|&(back, number)| {
            let (back, number) = (back as usize, number as usize);
            let is_there = match back {
                0 => number < self.steps.len(),
                _ => back <= count && number > 0,
            };
            count = count.saturating_add(if back == 0 { 1 } else { number });
            is_there && count <= MOST_WINDOWS
        })
    }
}

/// Compresses windows as they arrive.
#[derive(Debug)]
pub struct Folder {
    rest: Rest,
    /// The number of each distinct window.
    known: HashMap<Window, u32>,
    /// The index of a window in `steps`, by its number.
    steps: HashMap<u32, u32>,
    /// The numbers of all windows so far.
    order: Vec<u32>,
    /// For each pair of consecutive windows, the latest position of the second.
    pairs: HashMap<(u32, u32), usize>,
    full: bool,
}

impl Folder {
    /// A folder whose input follows these windows.
    pub fn behind(windows: &[Window]) -> Folder {
        let mut folder = Folder {
            rest: Rest::default(),
            known: HashMap::new(),
            steps: HashMap::new(),
            order: Vec::new(),
            pairs: HashMap::new(),
            full: false,
        };
        for window in windows {
            let number = folder.number(*window);
            folder.follow(number);
        }
        folder
    }

    /// Adds the next window. Returns `false` once a limit is reached; later windows are rejected too.
    pub fn push(&mut self, window: Window) -> bool {
        self.full = self.full || self.order.len() >= MOST_WINDOWS;
        if self.full {
            return false;
        }
        let number = self.number(window);
        if !self.goes_on(number) {
            if self.rest.parts.len() >= MOST_PARTS {
                self.full = true;
                return false;
            }
            let part = self.begins(number, window);
            self.rest.parts.push(part);
        }
        self.follow(number);
        true
    }

    /// The compressed windows.
    pub fn finish(self) -> Rest {
        self.rest
    }

    /// Extends the last back-reference if it repeats this window too.
    fn goes_on(&mut self, number: u32) -> bool {
        let Some((back, length)) = self.rest.parts.last_mut().filter(|(back, _)| *back > 0) else {
            return false;
        };
        let is_same = self.order[self.order.len() - *back as usize] == number;
        *length += u32::from(is_same);
        is_same
    }

    /// Starts a part with this window: a back-reference to the last occurrence of this pair of windows, or the window itself.
    fn begins(&mut self, number: u32, window: Window) -> (u32, u32) {
        let before = self
            .order
            .last()
            .and_then(|last| self.pairs.get(&(*last, number)));
        if let Some(place) = before {
            return ((self.order.len() - place) as u32, 1);
        }
        let steps = &mut self.rest.steps;
        let step = *self.steps.entry(number).or_insert_with(|| {
            steps.push(window);
            steps.len() as u32 - 1
        });
        (0, step)
    }

    fn number(&mut self, window: Window) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(window).or_insert(next)
    }

    fn follow(&mut self, number: u32) {
        if let Some(&last) = self.order.last() {
            self.pairs.insert((last, number), self.order.len());
        }
        self.order.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(code: u32) -> Window {
        (0, code, 1, 0)
    }

    fn folded(codes: impl Iterator<Item = u32>) -> (Rest, Vec<Window>, usize) {
        let all: Vec<Window> = codes.map(window).collect();
        let (kept, behind) = all.split_at(all.len().min(5));
        let mut folder = Folder::behind(kept);
        let taken = behind.iter().take_while(|window| folder.push(**window)).count();
        let rest = folder.finish();
        assert!(rest.is_sound(kept.len()));
        let mut unfolded = kept.to_vec();
        rest.unfold(&mut unfolded);
        assert_eq!(unfolded, all[..kept.len() + taken]);
        (rest, all, taken)
    }

    #[test]
    fn a_loop_is_one_part() {
        let (rest, all, taken) = folded((0..90_000).map(|index| index % 7));
        assert_eq!(taken, all.len() - 5);
        assert!(rest.parts.len() <= 8, "{:?}", rest.parts);
    }

    #[test]
    fn whatever_came_comes_out_again() {
        // A pseudo-random generator: branches that go one way or the other.
        let mut state = 1_u32;
        let mut chance = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 24
        };
        for range in [2, 3, 40, 256] {
            let codes: Vec<u32> = (0..5000).map(|_| chance() % range).collect();
            folded(codes.into_iter());
        }
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let (rest, _, taken) = folded(0..20_000);
        assert_eq!((rest.parts.len(), taken), (MOST_PARTS, MOST_PARTS));
        let (_, _, taken) = folded(std::iter::repeat_n(3, 2 * MOST_WINDOWS));
        assert_eq!(taken, MOST_WINDOWS - 5);
    }

    #[test]
    fn what_is_not_there_is_not_sound() {
        let rest = |parts: &[(u32, u32)]| Rest {
            steps: vec![window(1)],
            parts: parts.to_vec(),
        };
        assert!(rest(&[(0, 0), (1, 3)]).is_sound(0));
        for parts in [
            &[(0, 1)][..],
            &[(1, 1)],
            &[(0, 0), (1, 0)],
            &[(0, 0), (1, u32::MAX)],
        ] {
            assert!(!rest(parts).is_sound(0), "{parts:?}");
        }
    }
}
