//! Starts a GASNet job: installed as `gasnetrun_<conduit>`; argv[0] says which.

fn main() {}
