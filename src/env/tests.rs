use super::*;

#[test]
fn the_table_is_sorted_and_every_default_is_a_good_value() {
    assert!(table::VARS.is_sorted_by(|a, b| a.name < b.name));
    for var in table::VARS {
        assert!(var.name.starts_with("GASNET_"), "{}", var.name);
        if let Default::Is(default) = var.default {
            assert_eq!(problem(var, default), None, "{}", var.name);
        }
        assert!(!table::is_without_effect(var.name), "{} has an effect", var.name);
    }
}
