use super::parse::*;
use super::table::{self, Default};
use super::{any_int, any_str, nearest, opt_dbl, problem, raw};
use proptest::prelude::*;

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

#[test]
fn yes_and_no_have_three_spellings_each() {
    for good in ["1", "y", "Y", "yes", "YES", "Yes"] {
        assert_eq!(yes(good), Ok(true), "{good}");
    }
    for good in ["0", "n", "N", "no", "NO", "nO"] {
        assert_eq!(yes(good), Ok(false), "{good}");
    }
    for bad in ["", " ", "2", "true", "on", "yess", "01"] {
        assert!(yes(bad).is_err(), "{bad}");
    }
}

#[test]
fn an_integer_is_decimal_or_hexadecimal() {
    let good = [
        ("0", 0),
        ("+7", 7),
        ("-12", -12),
        (" 42 ", 42),
        ("0x10", 16),
        ("-0XfF", -255),
        ("007", 7),
        ("9223372036854775807", i64::MAX),
        ("-9223372036854775808", i64::MIN),
        ("0x8000000000000000", i64::MIN),
        ("0xffffffffffffffff", -1),
    ];
    for (text, value) in good {
        assert_eq!(int(text), Ok(value), "{text}");
    }
    for bad in ["", "-", "+", "0x", "abc", "1K", "1.5", "--1", "+-1", "0x1g", "9223372036854775808", "1 2", "٣", "0x-1"]
    {
        assert!(int(bad).is_err(), "{bad}");
    }
}

#[test]
fn an_integer_out_of_range_is_told_the_range() {
    assert_eq!(int_within("3", 1, 5), Ok(3));
    assert_eq!(int_within("6", 1, 5).unwrap_err(), "between 1 and 5");
    assert_eq!(int_within("0", 1, i64::MAX).unwrap_err(), "at least 1");
}

#[test]
fn a_size_has_a_binary_unit_or_the_variables_own() {
    let good = [
        ("64", 1, 64),
        ("64", 1024, 65536),
        ("1.5G", 1, 3 << 29),
        ("1.5 GB", 1, 3 << 29),
        ("1KiB", 1, 1024),
        ("1kb", 1 << 20, 1024),
        ("7B", 1 << 20, 7),
        (".5k", 1, 512),
        ("2.", 1024, 2048),
        ("0x10", 1024, 16384),
        ("0x10K", 1, 16384),
        ("-1M", 1, -(1 << 20)),
        ("8388607T", 1, 8388607 << 40),
        ("0.1K", 1, 102),
        ("1P", 1, 1 << 50),
    ];
    for (text, unit, value) in good {
        assert_eq!(size(text, unit), Ok(value), "{text}");
    }
    for bad in [
        "",
        ".",
        "K",
        "-",
        "1X",
        "1KK",
        "1.2.3K",
        "1e3",
        "8388608T",
        "99999999999999999999",
        "1,5G",
        "0x",
        "0x.8",
        "1 K B",
    ] {
        assert!(size(bad, 1).is_err(), "{bad}");
    }
    assert!(size_up("-1", 1).is_err());
}

#[test]
fn a_float_may_be_a_fraction_and_is_finite() {
    for (text, value) in [("1.5", 1.5), ("-1e4", -1e4), ("3/8", 0.375), (" 1 / 4 ", 0.25), ("0", 0.0)] {
        assert_eq!(dbl(text), Ok(value), "{text}");
    }
    for bad in ["", "/", "1/", "/2", "1/0", "0/0", "nan", "inf", "1e999", "1/2/3", "1x"] {
        assert!(dbl(bad).is_err(), "{bad}");
    }
    assert!(dbl_within("1.1", 0.0, 1.0).is_err());
}

#[test]
fn a_segment_limit_is_bytes_or_a_fraction_per_process_or_host() {
    use Amount::{Bytes, Fraction};
    use Per::{Host, Process};
    let good = [
        ("64", Bytes(64), Process),
        ("1", Bytes(1), Process),
        ("256MB/P", Bytes(256 << 20), Process),
        ("4GB/H", Bytes(4 << 30), Host),
        ("1.5G", Bytes(3 << 29), Process),
        ("0.85/H", Fraction(0.85), Host),
        ("0.5/p", Fraction(0.5), Process),
        ("1/2", Fraction(0.5), Process),
        ("1/2/h", Fraction(0.5), Host),
        ("1.0", Fraction(1.0), Process),
    ];
    for (text, amount, per) in good {
        assert_eq!(seg_limit(text), Ok(SegLimit { amount, per }), "{text}");
    }
    for bad in
        ["", "/P", "/H", "0", "0/P", "0GB/H", "1.5", "0.0", "2/1", "-1", "-1G", "1/0", "G", "1G/X", "1G/", "0.5G/H/P"]
    {
        assert!(seg_limit(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_host_limit_is_shared_by_its_ranks() {
    let limit = |text: &str, ranks| seg_limit(text).unwrap().bytes_each(8 << 30, ranks);
    assert_eq!(limit("0.5/H", 4), 1 << 30);
    assert_eq!(limit("0.5/P", 4), 4 << 30);
    assert_eq!(limit("4G/H", 2), 2 << 30);
    assert_eq!(limit("4G/H", 0), 4 << 30);
    assert_eq!(limit("1/1", 1), 8 << 30);
}

#[test]
fn a_rank_list_has_ranks_and_ranges() {
    let list = rank_list("0, 2,4-6").unwrap();
    let named: Vec<u32> = (0..10).filter(|&rank| list.has(rank)).collect();
    assert_eq!(named, [0, 2, 4, 5, 6]);
    for all in ["", "*", " * "] {
        assert!(rank_list(all).unwrap().has(u32::MAX), "{all}");
    }
    for bad in ["a", "1,", ",", "3-1", "-1", "1-", "1-2-3", "99999999999", "*,1"] {
        assert!(rank_list(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_choice_is_one_of_its_words_in_any_case() {
    assert_eq!(choice("pshm", &["PSHM", "DISSEM"]), Ok("PSHM"));
    assert_eq!(choice("RING", &["PSHM", "DISSEM"]).unwrap_err(), "one of PSHM, DISSEM");
}

#[test]
fn escapes_are_undone_and_nothing_else_is() {
    let good: [(&[u8], &[u8]); 7] = [
        (b"plain", b"plain"),
        (b"a%020b", b"a b"),
        (b"%041%042", b"AB"),
        (b"%0c3%0A4", "ä".as_bytes()),
        (b"100%", b"100%"),
        (b"%04", b"%04"),
        (b"%0zz%1%000", b"%0zz%1%000"),
    ];
    for (escaped, plain) in good {
        assert_eq!(&*unescaped(escaped), plain);
    }
}

#[test]
fn a_number_is_written_with_the_largest_exact_unit() {
    let good = [
        (0, "0 B"),
        (1, "1 B"),
        (1023, "1023 B"),
        (1024, "1 KB"),
        (3 << 29, "1536 MB"),
        (20 << 30, "20 GB"),
        (-4096, "-4 KB"),
    ];
    for (n, text) in good {
        assert_eq!(number(n, true), text);
    }
    assert_eq!(number(4096, false), "4096");
}

#[test]
fn the_beginning_of_a_bad_number_can_be_had() {
    for (text, unit, value) in
        [("1.5K", 0, 1), ("abc", 0, 0), ("12x", 0, 12), ("1Kx", 1, 1024), ("", 1, 0), ("ä", 1, 0)]
    {
        assert_eq!(longest_int(text, unit), value, "{text}");
    }
    let too_many = [
        ("0x1ffffffffffffffff", 0, i64::MAX),
        ("18446744073709551615", 0, i64::MAX),
        ("-9223372036854775809", 1, i64::MIN),
        ("0xffffffffffffffffg", 0, -1),
    ];
    for (text, unit, value) in too_many {
        assert_eq!(longest_int(text, unit), value, "{text}");
    }
}

#[test]
fn a_slip_of_the_finger_finds_the_name() {
    assert_eq!(nearest("GASNET_BARIER"), Some("GASNET_BARRIER"));
    assert_eq!(nearest("GASNET_MAX_SEG_SIZE"), Some("GASNET_MAX_SEGSIZE"));
    assert_eq!(nearest("GASNET_PSHM_NODE"), Some("GASNET_PSHM_NODES"));
    assert_eq!(nearest("GASNET_VERBOSE_ENV"), Some("GASNET_VERBOSEENV"));
    assert_eq!(nearest("GASNET_DUMMY"), None);
    assert_eq!(nearest("GASNET_"), None);
}

#[test]
fn names_of_others_are_known() {
    for name in ["GASNET_OFI_DEVICE_0", "GASNET_COLL_OPT", "GASNET_TEST_POLITE_SYNC", "GASNET_ROOT"] {
        assert!(table::is_without_effect(name), "{name}");
    }
    assert!(!table::is_without_effect("GASNET_OFI_"));
    assert!(table::find("GASNET_MAXIMIZE_RLIMIT_STACK").is_some());
    assert!(table::find("GASNET_MAXIMIZE_RLIMIT_").is_none());
}

#[test]
fn what_is_not_set_is_its_default() {
    // Names that no test run sets.
    assert_eq!(super::int("GASNET_WAIT_SPIN_US"), 1000);
    assert_eq!(super::choice("GASNET_SMP_SPAWNER"), "fork");
    assert_eq!(opt_dbl("GASNET_EXITTIMEOUT"), None);
    assert_eq!(any_int("LIBGASNET_UNIT_TEST_UNSET", -3, 0), -3);
    assert_eq!(any_str("LIBGASNET_UNIT_TEST_UNSET", None), None);
    assert_eq!(raw(""), None);
    assert_eq!(raw("A=B"), None);
}

proptest! {
    #[test]
    fn no_parser_panics(text in "\\PC*", unit in 0u64..) {
        let _ = (yes(&text), int(&text), dbl(&text), seg_limit(&text), rank_list(&text));
        let _ = (size(&text, unit), longest_int(&text, unit), nearest(&text), names(&text).count());
        for var in table::VARS {
            let _ = problem(var, &text);
        }
    }

    #[test]
    fn no_parser_panics_on_what_looks_like_a_number(text in "[-+]?[0-9.xX/eEkKmMgGtTpPbBiIhH ]{0,40}", unit in 0u64..) {
        let _ = (int(&text), dbl(&text), seg_limit(&text), size(&text, unit), longest_int(&text, unit));
        let _ = rank_list(&text);
    }

    #[test]
    fn a_written_number_reads_back(n: i64) {
        prop_assert_eq!(size(&number(n, true), 1), Ok(n));
        prop_assert_eq!(int(&number(n, false)), Ok(n));
    }

    #[test]
    fn unescaped_bytes_never_grow(bytes: Vec<u8>) {
        prop_assert!(unescaped(&bytes).len() <= bytes.len());
    }

    #[test]
    fn distance_is_a_metric(a in "[A-C_]{0,8}", b in "[A-C_]{0,8}", c in "[A-C_]{0,8}") {
        prop_assert_eq!(distance(&a, &b), distance(&b, &a));
        prop_assert_eq!(distance(&a, &b) == 0, a == b);
        prop_assert!(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c));
    }
}
