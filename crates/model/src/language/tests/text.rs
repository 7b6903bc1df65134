//! Any text is read or refused, quickly; what is read prints back.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::Fixture;
use crate::language::{
    Ast, AstKind, ChainOperator, condition, lower, lower_equation, parse_equation, parse_expression,
};
use crate::units::{is_unit_name, parse_unit};

/// The same tree without spans.
fn bare(ast: &Ast) -> Ast {
    let boxed = |a: &Ast| Box::new(bare(a));
    let kind = match &ast.kind {
        AstKind::Number(..) | AstKind::Name(_) => ast.kind.clone(),
        AstKind::Negate(a) => AstKind::Negate(boxed(a)),
        AstKind::Not(a) => AstKind::Not(boxed(a)),
        AstKind::Power(a, b) => AstKind::Power(boxed(a), boxed(b)),
        AstKind::If(a, b, c) => AstKind::If(boxed(a), boxed(b), boxed(c)),
        AstKind::Chain(a, rest) => {
            AstKind::Chain(boxed(a), rest.iter().map(|(o, b)| (*o, bare(b))).collect())
        }
        AstKind::Call(f, _, arguments) => {
            AstKind::Call(f.clone(), 0..0, arguments.iter().map(bare).collect())
        }
    };
    node(kind)
}

fn node(kind: AstKind) -> Ast {
    Ast { kind, span: 0..0 }
}

fn trees() -> impl Strategy<Value = Ast> {
    let names = prop::sample::select(vec!["x", "pump.q", "time", "m", "φ", "a_1"]);
    let units =
        prop::sample::select(vec!["bar", "l/min", "N m", "m^2", "(m^7/kg)^0.5", "°C", "%", "J/(kg K)"]);
    let number = prop_oneof![0.0..1e3, 0.0..1e-300, Just(0.0), (0u32..9).prop_map(f64::from), Just(1e300)];
    let leaf = prop_oneof![
        number.clone().prop_map(|n| AstKind::Number(n, None)),
        (number, units)
            .prop_filter("a literal starts with a name", |(_, unit)| !unit.starts_with('('))
            .prop_map(|(n, unit)| AstKind::Number(n, parse_unit(unit).ok())),
        names.prop_map(|name| AstKind::Name(name.into())),
    ];
    leaf.prop_map(node).prop_recursive(6, 60, 4, |inner| {
        use ChainOperator::*;
        let chain = |operators: Vec<ChainOperator>, most: usize| {
            let link = (prop::sample::select(operators), inner.clone());
            (inner.clone(), prop::collection::vec(link, 1..=most))
                .prop_map(|(first, rest)| AstKind::Chain(Box::new(first), rest))
        };
        let one = || inner.clone().prop_map(Box::new);
        prop_oneof![
            chain(vec![Or], 3),
            chain(vec![And], 3),
            chain(vec![Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual], 1),
            chain(vec![Add, Subtract], 4),
            chain(vec![Multiply, Divide], 4),
            one().prop_map(AstKind::Negate),
            one().prop_map(AstKind::Not),
            (one(), one()).prop_map(|(a, b)| AstKind::Power(a, b)),
            (one(), one(), one()).prop_map(|(a, b, c)| AstKind::If(a, b, c)),
            ("[a-z]{2,5}", prop::collection::vec(inner.clone(), 0..3))
                .prop_filter("a function is no keyword", |(f, _)| !crate::language::is_reserved(f))
                .prop_map(|(f, arguments)| AstKind::Call(f, 0..0, arguments)),
        ]
        .prop_map(node)
    })
}

/// Everything one can do with a text; spans must lie in it.
fn exercise(text: &str) {
    let fixture = Fixture::new();
    let graph = &fixture.graph;
    let expression = parse_expression(text);
    let results = [
        expression.as_ref().err().cloned(),
        expression.as_ref().ok().and_then(|ast| lower(graph, ast, &fixture).err()),
        expression.as_ref().ok().and_then(|ast| condition(graph, ast, &fixture).err()),
        parse_equation(text).and_then(|sides| lower_equation(graph, &sides, &fixture)).err(),
    ];
    for error in results.into_iter().flatten().flatten() {
        assert!(text.get(error.span.clone()).is_some(), "{text:?}: {error:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn printing_reads_back(tree in trees()) {
        let text = tree.to_string();
        let read = parse_expression(&text).map_err(|e| TestCaseError::fail(format!("{text}: {e:?}")))?;
        prop_assert_eq!(format!("{:?}", bare(&read)), format!("{:?}", bare(&tree)), "{}", text);
        prop_assert_eq!(read.span, 0..text.len());
        exercise(&text);
    }

    #[test]
    fn random_text_never_panics(text in "\\PC*") {
        exercise(&text);
    }

    #[test]
    fn random_words_never_panic(words in prop::collection::vec(prop::sample::select(vec![
        "x", "v", "pump.q", "k", "n", "sin", "der", "min", "area", "crosses", "if", "then", "else", "and", "or",
        "not", "time", "(", ")", "(", ")", ",", "+", "-", "*", "/", "^", "<", ">", "==", "=", "0", "1", "2.5e3", "bar",
        "m", "/s", "^2", " ", " ", ".", "·", "²", "°", "%", "−", "e", "φ", "\n", "1e999", "\"",
    ]), 0..40)) {
        exercise(&words.concat());
    }
}

#[test]
fn deep_nesting_is_refused() {
    let check = |text: String| {
        let error = &parse_expression(&text).unwrap_err()[0];
        assert_eq!((error.code, error.message.as_str()), ("L06", "nested more than 200 levels deep"));
    };
    check("(".repeat(100_000));
    check("(".repeat(100_000) + "x" + &")".repeat(100_000));
    check("-".repeat(100_000) + "x");
    check("not ".repeat(100_000) + "x");
    check("x^".repeat(100_000) + "x");
    check("sin(".repeat(100_000));
    check("if(".repeat(100_000));
    check("if x then ".repeat(100_000));
    check("if x then x else ".repeat(100_000));
    check("1 m/(".repeat(100_000));
    let fits = "(-".repeat(90) + "x" + &")".repeat(90);
    assert!(Fixture::new().lower(&fits).is_ok());
}

/// An effort that grew with the square of the length would take minutes.
#[test]
fn long_texts_are_read_in_linear_time() {
    let fixture = Fixture::new();
    let sum = "x + ".repeat(100_000) + "x";
    assert!(fixture.lower(&sum).is_ok());
    assert!(fixture.lower(&format!("max({}x)", "x, ".repeat(100_000))).is_ok());
    assert!(fixture.lower(&("n".to_string() + &"*n/2".repeat(100_000))).is_ok());
    assert!(fixture.lower(&("x > 0 and ".repeat(100_000) + "v > 0")).is_ok());
    assert_eq!(fixture.lower(&("x + p + ".repeat(100_000) + "x")).unwrap_err().len(), 50);
    for text in ["§", "1 m/(s s ", "1e", "((((", "2 x ", "1 m/x+", "a.", "1_", "\"", "bar ", "3 bar", "1 m^"]
    {
        exercise(&text.repeat(300_000 / text.len()));
    }
}

#[test]
fn keywords_are_no_units() {
    for word in ["if", "then", "else", "and", "or", "not"] {
        assert!(!is_unit_name(word), "{word}");
    }
}
