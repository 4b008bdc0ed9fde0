//! What {{project-name}} does, apart from the chip.

#![no_std]

/// The average of the last samples.
pub struct Average<const N: usize> {
    samples: [i32; N],
    next: usize,
}

impl<const N: usize> Default for Average<N> {
    fn default() -> Self {
        Average { samples: [0; N], next: 0 }
    }
}

impl<const N: usize> Average<N> {
    /// Takes a sample; the average with it.
    pub fn step(&mut self, sample: i32) -> i32 {
        self.samples[self.next] = sample;
        self.next = (self.next + 1) % N;
        self.samples.iter().sum::<i32>() / N as i32
    }
}
