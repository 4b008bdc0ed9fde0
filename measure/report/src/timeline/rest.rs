//! The windows of a long sample, most of which are those of loops: what comes again is kept by where it stood before.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// (context, code, cycles, costs)
pub type Window = (u32, u32, u64, u32);

/// Most parts that are kept: some 80 KB.
const MOST_PARTS: usize = 8000;
/// Most windows that are kept, which are unfolded where they are shown.
pub const MOST_WINDOWS: usize = 100_000;

/// Windows behind those that are kept one by one.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Rest {
    /// Windows that came for the first time.
    pub steps: Vec<Window>,
    /// One after the other: (0, the number of a step), or (back, how many windows that are as those so far back). What is repeated may
    /// reach into the repetition.
    pub parts: Vec<(u32, u32)>,
}

impl Rest {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Puts its windows behind those that are there.
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

    /// Whether each part is of something that is there, behind so many windows, and they are not too many.
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

/// Folds windows as they come.
#[derive(Debug)]
pub struct Folder {
    rest: Rest,
    /// Each window that came, by a number.
    known: HashMap<Window, u32>,
    /// Where a window stands among the steps, if it does.
    steps: HashMap<u32, u32>,
    /// All windows, by their numbers.
    order: Vec<u32>,
    /// Where two windows followed each other last: the place of the second.
    pairs: HashMap<(u32, u32), usize>,
    full: bool,
}

impl Folder {
    /// For what comes behind these.
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

    /// The next window. `false` if there is no room for it, nor for any behind it.
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

    /// What was folded.
    pub fn finish(self) -> Rest {
        self.rest
    }

    /// Whether the last part repeats this one too.
    fn goes_on(&mut self, number: u32) -> bool {
        let Some((back, length)) = self.rest.parts.last_mut().filter(|(back, _)| *back > 0) else {
            return false;
        };
        let is_same = self.order[self.order.len() - *back as usize] == number;
        *length += u32::from(is_same);
        is_same
    }

    /// A part that begins with this window: as it stood behind the same one before, or by itself.
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
        // A generator of numbers that seem to be by chance: branches that go the one way or the other.
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
