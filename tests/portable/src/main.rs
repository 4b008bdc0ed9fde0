//! Panics unless the results are those of the host, byte for byte.

fn main() {
    let text = portable::text();
    let same = text.lines().zip(portable::EXPECTED.lines());
    for (number, (here, there)) in (1..).zip(same) {
        assert_eq!(here, there, "line {number}");
    }
    assert_eq!(text.len(), portable::EXPECTED.len());
}
