//! docs/env.md says what the table of variables says.

#[test]
fn the_page_of_variables_is_current() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/env.md")).unwrap_or_default();
    assert!(
        page == gasnet::env::doc::markdown(),
        "docs/env.md is stale: cargo run --bin gasnet_info -- --env-md >docs/env.md"
    );
}
