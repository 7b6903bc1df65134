//! Programs that are none: what is said about them, and that nothing panics.

use proptest::prelude::*;
use trunnion_robot::program::RobotProgram;

use crate::arms;

/// One slip each, but for the last, which has several.
const BAD: [&str; 40] = [
    "move linear pik",
    "point pick = pose(1 m, 0, 0)\nmove linear pik",
    "move lineer here",
    "mvoe joint here",
    "move joint joints(0, 0, 0)",
    "move joint joints(0, 0, 0, 0, 20 mm, 0)",
    "move linear pose(1 m, 0)",
    "move linear pose(1 m, 0, 0, 0, 0, 0)",
    "move linear pose(1, 2, 3)",
    "move linear here shifted (0, 0, 5 deg)",
    "move linear here blend 5 deg",
    "move linear here speed 50 %",
    "move joint here speed 250 mm/s",
    "move linear here blend 5 mm blend 6 mm",
    "move circular via here",
    "wait 5",
    "wait 5 sec",
    "wait until 3 mm",
    "speed 5 kg",
    "speed 20 mm",
    "var x = 20 mm + 3 deg",
    "var x = 1\nvar x = 2",
    "x = 5",
    "input a\na = 5",
    "output a\na = 5",
    "point p = here\np = 5",
    "var p = 5\nmove linear p",
    "var p = 5\np = here",
    "if 1 = 1\nend",
    "if 1\nwait 1 s",
    "end",
    "repeat\nend",
    "repeat 3\nwait 1 s\nend",
    "break",
    "return",
    "procedure p(a)\nwait 1 s\nend\ncall p()",
    "procedure p(point a)\nmove joint a\nend\ncall p(3 mm)",
    "grip(1)",
    "var repeat = 3",
    "# Several at once.\nvar a = 1 +\nmove linear nowhere\nset b = \"on\"\nwhile a < 3\n  output c\n  a = sin(2 mm)\nend\nvar d = sqrt(2 mm) {",
];

#[test]
fn messages_name_the_slip_and_what_to_do() {
    let arm = arms::industrial();
    let mut told = String::new();
    for source in BAD {
        let errors = RobotProgram::compile(source, &arm).expect_err(source);
        told += &errors.iter().map(|e| e.shown("cell.robot", source)).collect::<String>();
        told.push('\n');
    }
    insta::assert_snapshot!(told);
}

#[test]
fn depth_and_length_are_bounded() {
    let arm = arms::industrial();
    let deep_brackets = format!("var x = {}1{}", "(".repeat(5000), ")".repeat(5000));
    let deep_blocks = "if 1\n".repeat(5000) + &"end\n".repeat(5000);
    let long_sum = format!("var x = 1{}", " + 1".repeat(100_000));
    let signs = format!("var x = {}1", "-".repeat(100_000));
    let nots = format!("var x = {}1", "not ".repeat(100_000));
    let open = "if 1\n".repeat(5000);
    let lines_in_a_bracket = format!("var x = ({}", "\n".repeat(500_000));
    let many_slips = "x = \n".repeat(100_000);
    let huge = " ".repeat(2 << 20);
    for (source, code) in [
        (deep_brackets, "R12"),
        (deep_blocks, "R12"),
        (long_sum, "R12"),
        (open, "R03"),
        (huge, "R12"),
        (lines_in_a_bracket, "R02"),
        (many_slips, "R02"),
    ] {
        let errors = RobotProgram::compile(&source, &arm).unwrap_err();
        assert!(errors.iter().any(|e| e.code == code) && errors.len() <= 50, "{:?}", errors.first());
        errors.iter().for_each(|e| assert!(!e.shown("x", &source).is_empty()));
    }
    for source in [signs, nots] {
        assert!(RobotProgram::compile(&source, &arm).is_ok());
    }
}

/// Words of the language in any order.
fn soup() -> impl Strategy<Value = String> {
    let list = "move joint linear circular via to here pose joints ( ) , ; shifted tool work frame use none point var a b = == < + - * / \
                mod 1 20_mm 30_deg 0.5_s 50_% wait until timeout if else end repeat times while break return stop procedure call \
                input output set speed blend time profile scurve | | | # and or not in mm é \" 1e999 1e . °";
    let word = |w: &str| w.replace('_', " ").replace('|', "\n");
    let words = prop::sample::select(list.split_whitespace().map(word).collect::<Vec<_>>());
    prop::collection::vec(words, 0..60).prop_map(|w| w.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        rng_seed: prop::test_runner::RngSeed::Fixed(3),
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn no_text_makes_it_panic(source in prop_oneof![soup(), "\\PC{0,80}"]) {
        if let Err(errors) = RobotProgram::compile(&source, &arms::emats()) {
            for error in errors {
                let shown = error.shown("x", &source);
                prop_assert!(shown.contains(error.code) && shown.contains('^'));
            }
        }
    }
}
