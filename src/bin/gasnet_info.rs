//! Prints what this build and this machine offer.

fn main() {}
