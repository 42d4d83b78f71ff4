//! `layout.h`: the sizes and offsets that rustc used, asserted in every client's compile.

use crate::Output;
use std::fmt::Write;

pub fn output() -> Output {
    let mut text = String::from(
        "/* Generated from src/abi/layout.rs by `make headers`: what rustc laid out, checked by the C compiler. */\n\
         #ifndef GASNETI_LAYOUT_H\n#define GASNETI_LAYOUT_H\n#include <gasneti/abi.h>\n\
         #if defined(__cplusplus) && __cplusplus < 201103L\n\
         #define GASNETI_STATIC_ASSERT(cond, text) extern char gasneti_asserted[(cond) ? 1 : -1]\n\
         #elif defined(__cplusplus)\n#define GASNETI_STATIC_ASSERT(cond, text) static_assert(cond, text)\n\
         #elif defined(__GNUC__)\n#define GASNETI_STATIC_ASSERT(cond, text) __extension__ _Static_assert(cond, text)\n\
         #else\n#define GASNETI_STATIC_ASSERT(cond, text) _Static_assert(cond, text)\n#endif\n",
    );
    for shared in gasnet::internal::abi::layout::TABLE {
        let name = shared.name;
        let _ = writeln!(text, "GASNETI_STATIC_ASSERT(sizeof({name}) == {}, \"size of {name}\");", shared.size);
        for (field, offset) in shared.fields {
            let _ = writeln!(
                text,
                "GASNETI_STATIC_ASSERT(offsetof({name}, {field}) == {offset}, \"offset of {name}.{field}\");"
            );
        }
    }
    Output { path: "include/gasneti/layout.h", text: text + "#endif\n" }
}
