//! docs/env.md, from the table.

use super::table::{Default, FAMILIES, Group, VARS, ValueType, Var, WITHOUT_EFFECT};
use std::fmt::Write;

/// The allowed values, as shown in the table.
pub fn values(kind: ValueType) -> String {
    match kind {
        ValueType::Text => "text".to_string(),
        ValueType::Yes => "yes/no".to_string(),
        ValueType::Int(low, i64::MAX) => format!("integer from {low}"),
        ValueType::Int(low, high) => format!("integer {low} to {high}"),
        ValueType::Size(1) => "size".to_string(),
        ValueType::Size(unit) => format!("size (unit: {unit} bytes)"),
        ValueType::Float(low, high) => format!("number {low} to {high}"),
        ValueType::SegLimit => "size or fraction".to_string(),
        ValueType::Ranks => "ranks".to_string(),
        ValueType::Fill => "NAN, sNAN, qNAN or integer".to_string(),
        ValueType::Choice(choices) => choices.join(", "),
    }
}

/// The default value, or the description of a computed one.
pub fn default(default: Default) -> &'static str {
    match default {
        Default::Unset => "not set",
        Default::Is(value) => value,
        Default::Computed(how) => how,
    }
}

/// The whole text of docs/env.md.
pub fn markdown() -> String {
    let mut text = String::from(INTRODUCTION);
    for group in Group::ALL {
        let _ =
            write!(text, "\n## {}\n\n| variable | values | default | meaning |\n|---|---|---|---|\n", group.title());
        for var in VARS.iter().chain(FAMILIES).filter(|var| var.group == group) {
            row(&mut text, var);
        }
    }
    text += OTHERS;
    for name in WITHOUT_EFFECT {
        let _ = writeln!(text, "- `{name}{}`", if name.ends_with('_') { "…" } else { "" });
    }
    text
}

fn row(text: &mut String, var: &Var) {
    let more = if var.name.ends_with('_') { "…" } else { "" };
    let (values, default) = (values(var.kind), default(var.default));
    let _ = writeln!(text, "| `{}{more}` | {values} | {default} | {} |", var.name, var.help);
}

const INTRODUCTION: &str = "\
# Environment variables

<!-- Written by `gasnet_info --env-md` from the table in src/env/table.rs. -->

The environment of rank 0 applies to the whole job. `GASNET_VERBOSEENV=1` prints each variable that is looked up, with its
value, to the stderr of rank 0; `gasnet_info` prints all variables.

An invalid value ends the program with a line that names the allowed values. An unknown variable that begins with
`GASNET_` causes a warning that names the nearest known variable, unless `GASNET_QUIET=1`.

| values | format |
|---|---|
| yes/no | `Y`, `YES`, `1`, `N`, `NO`, `0`, in any case |
| integer | decimal, or hexadecimal after `0x`, with an optional sign; 16 hexadecimal digits without a sign are the two's complement of the number (`0xffffffffffffffff` is -1) |
| size | an integer or a decimal fraction, optionally followed by `B`, `KB`, `MB`, `GB`, `TB`, `PB` (or `K`, `KiB` …; in any case; powers of 1024) |
| number | such as `1.5` or `-1e4`, or a fraction such as `3/8` |
| size or fraction | a size, or a fraction of the physical memory such as `0.85` or `1/2`; optionally followed by `/P` (for each process, the default) or `/H` (for all processes of a host together) |
| ranks | `*` or a list such as `0,2,4-7` |
| words | one of the words shown, in any case |

Launchers may escape a byte of a value as `%0` and two hexadecimal digits; escapes are decoded when the value is read, unless
`GASNET_DISABLE_ENVDECODE=1`.
";

const OTHERS: &str = "
## Known, without effect

These variables belong to other networks or launchers, to mechanisms that this version does not have, or to build systems and
test programs. They cause no warning.

";
