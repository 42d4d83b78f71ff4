//! The numbered Active Message families of GASNet-EX, and their forms without a number, which count the arguments.

use crate::Output;
use crate::arity::{MAX_ARGS, WARNING, name_of};
use std::fmt::Write;

struct Family {
    /// After `gex_AM_`, before the number.
    name: &'static str,
    /// After the number.
    suffix: &'static str,
    doc: &'static str,
    params: &'static [&'static str],
    /// The fixed-arity function's argument for flags, where the family has none.
    no_flags: bool,
}

const MEDIUM: &[&str] = &["const void *source_addr", "size_t nbytes", "gex_Event_t *lc_opt", "gex_Flags_t flags"];
const LONG: &[&str] =
    &["const void *source_addr", "size_t nbytes", "void *dest_addr", "gex_Event_t *lc_opt", "gex_Flags_t flags"];

macro_rules! family {
    ($name:literal $suffix:literal $doc:literal [$($param:expr),*] $no_flags:literal) => {
        Family { name: $name, suffix: $suffix, doc: $doc, params: &[$($param),*], no_flags: $no_flags }
    };
}

const FAMILIES: [Family; 14] = [
    family!("RequestShort" "" "Runs `handler` at `rank` of `tm` with up to 16 arguments.\n   Returns 0; nonzero only with GEX_FLAG_IMMEDIATE: nothing was sent."
        ["gex_TM_t tm", "gex_Rank_t rank", "gex_AM_Index_t handler", "gex_Flags_t flags"] false),
    family!("RequestMedium" "" "The same with a copy of `nbytes` bytes from `source_addr`; `lc_opt` says when they may change."
        ["gex_TM_t tm", "gex_Rank_t rank", "gex_AM_Index_t handler", MEDIUM[0], MEDIUM[1], MEDIUM[2], MEDIUM[3]] false),
    family!("RequestLong" "" "The same with `nbytes` bytes put at `dest_addr` before the handler runs."
        ["gex_TM_t tm", "gex_Rank_t rank", "gex_AM_Index_t handler", LONG[0], LONG[1], LONG[2], LONG[3], LONG[4]] false),
    family!("ReplyShort" "" "Answers the request of `token`: at most one reply, from its handler only."
        ["gex_Token_t token", "gex_AM_Index_t handler", "gex_Flags_t flags"] false),
    family!("ReplyMedium" "" "A reply with a copied payload."
        ["gex_Token_t token", "gex_AM_Index_t handler", MEDIUM[0], MEDIUM[1], MEDIUM[2], MEDIUM[3]] false),
    family!("ReplyLong" "" "A reply with a payload put at `dest_addr` in the requester's segment."
        ["gex_Token_t token", "gex_AM_Index_t handler", LONG[0], LONG[1], LONG[2], LONG[3], LONG[4]] false),
    family!("CommitRequestMedium" "" "Sends the first `nbytes` bytes of the message that gex_AM_PrepareRequestMedium prepared. Blocks until resources are available."
        ["gex_AM_SrcDesc_t sd", "gex_AM_Index_t handler", "size_t nbytes"] true),
    family!("CommitRequestMedium" "_v2" "The same; with GEX_FLAG_IMMEDIATE nonzero if it would have to wait: `sd` stays as it is."
        ["gex_AM_SrcDesc_t sd", "gex_AM_Index_t handler", "size_t nbytes", "gex_Flags_t commit_flags"] false),
    family!("CommitReplyMedium" "" "Sends the first `nbytes` bytes of the message that gex_AM_PrepareReplyMedium prepared. Blocks until resources are available."
        ["gex_AM_SrcDesc_t sd", "gex_AM_Index_t handler", "size_t nbytes"] true),
    family!("CommitReplyMedium" "_v2" "The same; with GEX_FLAG_IMMEDIATE nonzero if it would have to wait: `sd` stays as it is."
        ["gex_AM_SrcDesc_t sd", "gex_AM_Index_t handler", "size_t nbytes", "gex_Flags_t commit_flags"] false),
    family!("CommitRequestLong" "" "Sends the first `nbytes` bytes of the message that gex_AM_PrepareRequestLong prepared to `dest_addr`. Blocks until resources are available."
        ["gex_AM_SrcDesc_t sd", "gex_AM_Index_t handler", "size_t nbytes", "void *dest_addr"] true),
    family!("CommitRequestLong" "_v2" "The same; with GEX_FLAG_IMMEDIATE nonzero if it would have to wait: `sd` stays as it is."
        ["gex_AM_SrcDesc_t sd", "gex_AM_Index_t handler", "size_t nbytes", "void *dest_addr", "gex_Flags_t commit_flags"] false),
    family!("CommitReplyLong" "" "Sends the first `nbytes` bytes of the message that gex_AM_PrepareReplyLong prepared to `dest_addr`. Blocks until resources are available."
        ["gex_AM_SrcDesc_t sd", "gex_AM_Index_t handler", "size_t nbytes", "void *dest_addr"] true),
    family!("CommitReplyLong" "_v2" "The same; with GEX_FLAG_IMMEDIATE nonzero if it would have to wait: `sd` stays as it is."
        ["gex_AM_SrcDesc_t sd", "gex_AM_Index_t handler", "size_t nbytes", "void *dest_addr", "gex_Flags_t commit_flags"] false),
];

/// Parameters of the family that has most, before the arguments.
const MOST_FIXED: usize = 8;

impl Family {
    fn result(&self) -> &'static str {
        if self.no_flags { "void" } else { "int" }
    }

    /// `gex_AM_RequestShort3`.
    fn named(&self, prefix: &str, m: impl std::fmt::Display) -> String {
        format!("{prefix}{}{m}{}", self.name, self.suffix)
    }

    fn params(&self, m: usize) -> String {
        let args: String = (0..m).map(|i| format!(", gex_AM_Arg_t arg{i}")).collect();
        self.params.join(", ") + &args
    }

    /// The body that packs `m` arguments and calls down.
    fn body(&self, m: usize) -> String {
        let mut words = self.params.iter().map(|param| name_of(param)).collect::<Vec<_>>().join(", ");
        if self.no_flags {
            words += ", 0";
        }
        let give = if self.no_flags { "" } else { "return " };
        if m == 0 {
            return format!("  {give}gasneti_ex_{}({words}, 0, 0);\n", self.name);
        }
        let pack: String = (0..m).map(|i| format!("  args[{i}] = arg{i};\n")).collect();
        format!("  gex_AM_Arg_t args[{m}];\n{pack}  {give}gasneti_ex_{}({words}, args, {m});\n", self.name)
    }

    /// `f(...)` as the numbered function for as many arguments as there are.
    fn counting(&self) -> String {
        let mut names: Vec<String> = vec!["gasneti_too_many_arguments".into(); MOST_FIXED - self.params.len()];
        names.extend((0..=MAX_ARGS).rev().map(|m| self.named("gex_AM_", m)));
        let public = self.named("gex_AM_", "");
        format!(
            "#define {public}(...) \\\n  GASNETI_AM_NTH(__VA_ARGS__, {}, gasneti_too_few_arguments, 0)(__VA_ARGS__)\n",
            names.join(", ")
        )
    }
}

pub fn outputs() -> Vec<Output> {
    vec![
        Output { path: "include/gasneti/am_arity_ex.h", text: header() },
        Output { path: "src/abi/c/am_arity_ex.c", text: definitions() },
    ]
}

fn header() -> String {
    let mut text = format!(
        "{WARNING}#ifndef GASNETI_AM_ARITY_EX_H\n#define GASNETI_AM_ARITY_EX_H\n\
         #include <gasneti/abi.h>\n#ifdef GASNETI_SRCLINES\n#include <gasneti/abi_tools.h>\n#endif\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
    );
    for f in &FAMILIES {
        let _ = writeln!(text, "\n/* {} */", f.doc.replace('`', "'"));
        for m in 0..=MAX_ARGS {
            let _ = writeln!(text, "{} {}({});", f.result(), f.named("gex_AM_", m), f.params(m));
        }
    }
    text += "\n#if defined(GASNETI_SRCLINES)\n\n/* Each call leaves its place for messages about misuse and for traces. */\n";
    for f in &FAMILIES {
        for m in 0..=MAX_ARGS {
            let call = f.named("gex_AM_", m);
            let _ = writeln!(text, "#define {call}(...) (gasneti_at(__FILE__, __LINE__), {call}(__VA_ARGS__))");
        }
    }
    text += "\n#elif !defined(GASNETI_NO_INLINE)\n\n/* Twins of the symbols above, so that the arguments are packed in place. */\n";
    for f in &FAMILIES {
        for m in 0..=MAX_ARGS {
            let fast = f.named("gasneti_fast_ex_", m);
            let _ = writeln!(text, "GASNETI_INLINE {} {fast}({}) {{\n{}}}", f.result(), f.params(m), f.body(m));
            let _ = writeln!(text, "#define {}(...) {fast}(__VA_ARGS__)", f.named("gex_AM_", m));
        }
    }
    text += "\n#endif\n\n/* The same without a number: it is how many arguments follow. */\n";
    let before: Vec<String> = (0..MOST_FIXED + MAX_ARGS).map(|i| format!("a{i}")).collect();
    let _ = writeln!(text, "#define GASNETI_AM_NTH({}, nth, ...) nth", before.join(", "));
    for f in &FAMILIES {
        text += &f.counting();
    }
    text + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n"
}

fn definitions() -> String {
    let mut text = format!(
        "{WARNING}/* The numbered families as symbols. */\n#define GASNETI_NO_INLINE 1\n#include <gasneti/am_arity_ex.h>\n"
    );
    for f in &FAMILIES {
        for m in 0..=MAX_ARGS {
            let _ = write!(text, "\n{} {}({}) {{\n{}}}\n", f.result(), f.named("gex_AM_", m), f.params(m), f.body(m));
        }
    }
    text
}
