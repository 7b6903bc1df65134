//! Names for the same thing: joined, but still to be seen, and never at the price of a wrong result.

mod build;

use build::{Model, residual, value};
use proptest::prelude::*;
use trunnion_equations::flat::QuantityRole;
use trunnion_equations::{Ex, Symbol};

/// One of the ways to say a = ± b.
fn tie(m: &mut Model, form: u8, a: Symbol, b: Symbol) -> f64 {
    let zero = |f: &trunnion_equations::Flat| f.graph.constant(0.0).id;
    let name = format!("tie {} {}", a.0, b.0);
    m.say(&name, |f| {
        let zero: Ex<'_> = f.graph.at(zero(f));
        match form {
            0 => (f.ex(a), f.ex(b)),
            1 => (f.ex(b), f.ex(a)),
            2 => (f.ex(a), -f.ex(b)),
            3 => (-f.ex(a), f.ex(b)),
            4 => (f.ex(a) + f.ex(b), zero),
            5 => (zero, f.ex(a) - f.ex(b)),
            _ => (-f.ex(a) - f.ex(b), zero),
        }
    });
    if [0, 1, 5].contains(&form) { 1.0 } else { -1.0 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// der(x) = v and der(v) = −4 x, seen through a tree of aliases on each of x, v and the force.
    #[test]
    fn chains_of_aliases_change_nothing(
        links in proptest::collection::vec((0u8..7, any::<prop::sample::Index>()), 1..40),
        shuffle in any::<u64>(),
    ) {
        let mut m = Model::new();
        let names = ["x", "v", "force"].map(|n| m.unknown(n, 0.0));
        // (symbol, root, sign)
        let mut all: Vec<(Symbol, usize, f64)> = names.iter().enumerate().map(|(k, &s)| (s, k, 1.0)).collect();
        for (k, (form, at)) in links.iter().enumerate() {
            let (to, root, sign) = all[at.index(all.len())];
            let own = m.unknown(&format!("part.n{k}"), 0.0);
            let turned = tie(&mut m, *form, own, to);
            all.push((own, root, sign * turned));
        }
        // The law uses the last name of each group.
        let last = |root: usize| all.iter().rev().find(|a| a.1 == root).copied().unwrap();
        let ((x, _, sx), (v, _, sv), (force, _, sf)) = (last(0), last(1), last(2));
        m.say("position", |f| (f.graph.derivative(names[0]), sv * f.ex(v)));
        m.say("newton", |f| (f.graph.derivative(names[1]), sf * f.ex(force)));
        m.say("spring", |f| (sf * f.ex(force), -4.0 * sx * f.ex(x)));
        let n = m.flat.equations.len();
        for k in 0..n {
            m.flat.equations.swap(k, (shuffle.wrapping_mul(k as u64 * 2 + 1) >> 7) as usize % n);
        }
        let system = m.analyse().unwrap();
        prop_assert_eq!((system.n(), system.n_states, system.aliases.len()), (2, 2, links.len()));
        let y = [0.25, -1.5];
        prop_assert_eq!(residual(&system, 0.0, &y), vec![-1.5, -1.0]);
        for (symbol, root, sign) in all {
            let name = system.quantity(symbol).name.clone();
            prop_assert_eq!(value(&system, &name, 0.0, &y), sign * [y[0], y[1], -1.0][root], "{}", name);
        }
    }
}

#[test]
fn zeros_spread_through_sums() {
    // A dead end carries no flow: c = 0, b = c + 0, a = b − x + x.
    let mut m = Model::new();
    let [a, b, c] = ["a", "b", "c"].map(|n| m.unknown(n, 0.0));
    let p = m.parameter("p", 3.0);
    m.say("b", |f| (f.ex(b), f.ex(c) + f.ex(p)));
    m.say("a", |f| (f.ex(a), f.ex(b) - f.ex(c)));
    m.say("c", |f| (f.ex(c), f.graph.constant(0.0)));
    let system = m.analyse().unwrap();
    assert_eq!((system.aliases.len(), system.definitions.len()), (3, 0));
    assert_eq!(value(&system, "a", 0.0, &[]), 3.0);
}

#[test]
fn equal_to_its_own_negative_is_zero() {
    let mut m = Model::new();
    let (a, b) = (m.unknown("a", 0.0), m.unknown("b", 0.0));
    m.say("one", |f| (f.ex(a), f.ex(b)));
    m.say("two", |f| (f.ex(a), -f.ex(b)));
    let system = m.analyse().unwrap();
    assert_eq!(value(&system, "a", 0.0, &[]), 0.0);
    assert_eq!(value(&system, "b", 0.0, &[]), 0.0);
}

#[test]
fn what_is_said_twice_is_reported_in_full() {
    let mut m = Model::new();
    let [a, b, c] = ["a", "b", "c"].map(|n| m.unknown(n, 0.0));
    m.say("one", |f| (f.ex(a), f.ex(b)));
    m.say("two", |f| (f.ex(b), f.ex(a)));
    m.say("three", |f| (f.ex(c), f.graph.time()));
    assert_eq!(
        m.messages(),
        ["equations (one) and (two) determine only combinations of `a` and `b`, not each of them"]
    );
    let mut m = Model::new();
    let (a, b) = (m.unknown("a", 0.0), m.unknown("b", 0.0));
    m.say("one", |f| (f.ex(a), f.ex(b)));
    m.say("a", |f| (f.ex(a), f.graph.constant(1.0)));
    m.say("b", |f| (f.ex(b), f.graph.constant(2.0)));
    assert_eq!(m.messages(), ["equations (one), (a) and (b) determine only two unknowns"]);
}

#[test]
fn the_state_speaks_for_its_group_and_a_guess_is_kept() {
    let mut m = Model::new();
    let [s, long] = ["s", "part.of.state"].map(|n| m.unknown(n, 0.0));
    let guess = m.flat.graph.constant(2.0).id;
    let (z, other) = (m.unknown("z", 0.0), m.quantity("part.z", QuantityRole::Unknown { start: guess }));
    m.say("same", |f| (f.ex(s), f.ex(long)));
    m.say("rate", |f| (f.graph.derivative(long), f.ex(z)));
    m.say("turned", |f| (f.ex(other), -f.ex(z)));
    m.say("cubic", |f| (f.ex(z) * f.ex(z) * f.ex(z) + f.ex(z), -10.0 * f.ex(s) - 10.0));
    let system = m.analyse().unwrap();
    let names: Vec<&str> = system.unknowns.iter().map(|&s| system.quantity(s).name.as_str()).collect();
    assert_eq!(names, ["part.of.state", "z"]);
    assert_eq!(system.start(&Default::default()).y(), [0.0, -2.0]);
    assert_eq!(system.start(&[(other, 5.0)].into()).y(), [0.0, -5.0]);
    assert_eq!(value(&system, "s", 0.0, &[7.0, 1.0]), 7.0);
}
