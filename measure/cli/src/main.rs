//! `cyclescope`: what real-time firmware costs.

fn main() {}
