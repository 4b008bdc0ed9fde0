//! Products of small matrices.

/// Rows and columns.
const SIDE: usize = 10;

type Matrix<T> = [[T; SIDE]; SIDE];

/// Two factors and their product.
pub(super) struct Matrices {
    left: Matrix<i16>,
    right: Matrix<i16>,
    product: Matrix<i32>,
}

impl Matrices {
    pub(super) const fn new() -> Self {
        Self {
            left: [[0; SIDE]; SIDE],
            right: [[0; SIDE]; SIDE],
            product: [[0; SIDE]; SIDE],
        }
    }

    /// Fills both factors and forms products; returns what they come to.
    #[inline(never)]
    pub(super) fn work(&mut self, seed: u16) -> u32 {
        fill(&mut self.left, seed);
        fill(&mut self.right, seed ^ 0x5a5a);
        self.scale(seed & 0xf);
        let scaled = clipped_sum(&self.product);
        self.multiply(|term| term);
        let whole = clipped_sum(&self.product);
        // A field of bits out of each term, as fixed-point filters do it.
        self.multiply(|term| ((term >> 2) & 0xf) * ((term >> 5) & 0x7f));
        scaled ^ whole.rotate_left(11) ^ clipped_sum(&self.product).rotate_left(21)
    }

    fn scale(&mut self, factor: u16) {
        let cells = self.left.as_flattened().iter();
        for (cell, product) in cells.zip(self.product.as_flattened_mut()) {
            *product = i32::from(*cell) * i32::from(factor);
        }
    }

    fn multiply(&mut self, shape: impl Fn(i32) -> i32) {
        for (row, line) in self.product.iter_mut().enumerate() {
            for (column, cell) in line.iter_mut().enumerate() {
                let factors = self.left[row]
                    .iter()
                    .zip(self.right.iter().map(|line| line[column]));
                let terms = factors.map(|(left, right)| i32::from(*left) * i32::from(right));
                *cell = terms.map(&shape).fold(0, i32::wrapping_add);
            }
        }
    }
}

fn fill(matrix: &mut Matrix<i16>, seed: u16) {
    let mut state = seed;
    for cell in matrix.as_flattened_mut() {
        state = state.wrapping_mul(25_173).wrapping_add(13_849);
        *cell = state.cast_signed() >> 5;
    }
}

/// Counts upwards while the cells rise, and starts over where the sum has become too great.
fn clipped_sum(matrix: &Matrix<i32>) -> u32 {
    let mut before = 0;
    let (mut sum, mut score) = (0i32, 0u32);
    for &cell in matrix.as_flattened() {
        sum = sum.wrapping_add(cell);
        if sum > 0x4000 {
            score = score.wrapping_add(10);
            sum = 0;
        } else if cell > before {
            score = score.wrapping_add(1);
        }
        before = cell;
    }
    (score << 16) ^ sum.cast_unsigned()
}
