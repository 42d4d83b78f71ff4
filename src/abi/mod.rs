//! The C interface: one file per chapter of the headers; convert, call one function, convert back.

pub mod tools_env;
