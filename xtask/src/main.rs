//! Writes the generated files: headers, layout asserts, AM arities, exports.txt, docs/env.md.

fn main() {}
