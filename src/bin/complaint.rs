//! Error messages of the installed programs about their command lines.

use getopts::Fail;

/// One line; options have one dash, as the help shows them.
pub fn complaint(why: &Fail) -> String {
    match why {
        Fail::ArgumentMissing(option) => format!("-{option} needs a value after it"),
        Fail::UnrecognizedOption(option) => format!("-{option}: no such option (-h for help)"),
        Fail::UnexpectedArgument(option) => format!("-{option} takes no value"),
        Fail::OptionMissing(option) => format!("-{option} is missing"),
        Fail::OptionDuplicated(option) => format!("-{option} is given twice"),
    }
}
