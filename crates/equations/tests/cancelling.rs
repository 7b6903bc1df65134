//! Random linear systems in random order, with terms that cancel, against a dense solution.
//!
//!   A (x', u) = B x + c + d t                                                                            (1)
//!
//! x are states, u the other unknowns. Into either side of every equation go terms that are zero whatever their unknowns are. They
//! must change nothing: not what is solved, and not in which order.

mod build;

use build::{Model, residual, value};
use trunnion_equations::{Ex, Expr, Symbol, Unary};
use trunnion_num::{Lu, Matrix, Pattern};

/// xorshift64* [Vigna2016]
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// (1) with numbers.
struct Linear {
    states: usize,
    a: Vec<Vec<f64>>,
    b: Vec<Vec<f64>>,
    c: Vec<f64>,
    d: Vec<f64>,
}

impl Linear {
    fn new(dice: &mut Dice, states: usize, others: usize) -> Self {
        let n = states + others;
        let mut number = |zeros: usize| match dice.below(zeros + 3) {
            0 => 1.0,
            1 => -2.0,
            2 => 3.0,
            _ => 0.0,
        };
        Linear {
            states,
            a: (0..n).map(|_| (0..n).map(|_| number(2)).collect()).collect(),
            b: (0..n).map(|_| (0..states).map(|_| number(3)).collect()).collect(),
            c: (0..n).map(|_| number(1)).collect(),
            d: (0..n).map(|_| number(4)).collect(),
        }
    }

    fn n(&self) -> usize {
        self.a.len()
    }

    /// (x', u) at (t, x); None if A is singular.
    fn solution(&self, t: f64, x: &[f64]) -> Option<Vec<f64>> {
        let right = |i: usize| {
            let sum: f64 = self.b[i].iter().zip(x).map(|(b, x)| b * x).sum();
            sum + self.c[i] + self.d[i] * t
        };
        let b = Matrix::from_fn(self.n(), 1, |i, _| right(i));
        let solved = Matrix::from_fn(self.n(), self.n(), |i, j| self.a[i][j]).solve(&b).ok()?;
        let list: Vec<f64> = (0..self.n()).map(|i| solved[(i, 0)]).collect();
        list.iter().all(|v| v.is_finite() && v.abs() < 1e6).then_some(list)
    }

    /// The model, its equations and quantities shuffled.
    fn model(&self, dice: &mut Dice) -> Model {
        let mut m = Model::new();
        let mut order: Vec<usize> = (0..self.n()).collect();
        dice.shuffle(&mut order);
        let mut symbols = vec![Symbol(0); self.n()];
        for &k in &order {
            let name = if k < self.states { format!("x{k}") } else { format!("u{k}") };
            symbols[k] = m.unknown(&name, 0.5 + k as f64);
        }
        let (p, q) = (m.parameter("p", 1.5), m.parameter("q", 0.25));
        let g = &m.flat.graph;
        let leaf = |k: usize| if k < self.states { g.derivative(symbols[k]) } else { g.symbol(symbols[k]) };
        let given = [g.symbol(p), g.symbol(q)];
        let mut equations: Vec<(Expr, Expr)> = vec![];
        for i in 0..self.n() {
            let mut left: Vec<Ex<'_>> = vec![];
            for (k, &a) in self.a[i].iter().enumerate().filter(|(_, a)| **a != 0.0) {
                // Some by a parameter, p = 1.5.
                left.push(if dice.below(6) == 0 { (a / 1.5) * given[0] * leaf(k) } else { a * leaf(k) });
            }
            let mut right = vec![g.constant(self.c[i]) + self.d[i] * g.time()];
            right.extend((0..self.states).map(|k| self.b[i][k] * g.symbol(symbols[k])));
            for _ in 0..dice.below(3) {
                let (one, other) = (leaf(dice.below(self.n())), leaf(dice.below(self.n())));
                let (plus, minus) = nothing(dice.below(6), one, other, given);
                // Both on one side, or one on each.
                match dice.below(3) {
                    0 => left.extend([plus, -minus]),
                    1 => right.extend([plus, -minus]),
                    _ => {
                        left.push(plus);
                        right.push(minus);
                    }
                }
            }
            dice.shuffle(&mut left);
            dice.shuffle(&mut right);
            let sum = |list: Vec<Ex<'_>>| list.into_iter().fold(g.constant(0.0), |s, x| s + x).id;
            equations.push((sum(left), sum(right)));
        }
        dice.shuffle(&mut equations);
        for (k, (l, r)) in equations.into_iter().enumerate() {
            m.equation(&format!("e{k}"), l, r);
        }
        m
    }
}

/// Two expressions that are equal whatever x and y are.
fn nothing<'g>(kind: usize, x: Ex<'g>, y: Ex<'g>, [p, q]: [Ex<'g>; 2]) -> (Ex<'g>, Ex<'g>) {
    match kind {
        0 => (3.0 * x, 3.0 * x),
        1 => ((x + 1.0) * (x - 1.0), x * x - 1.0),
        2 => (p * (x + q), p * x + p * q),
        3 => (p * (x / p), x),
        4 => (x.sin() * x.sin() + x.cos() * x.cos(), x.graph().constant(1.0)),
        _ => ((x + y) * (x - y), x * x - y * y),
    }
}

#[test]
fn terms_that_cancel_change_nothing() {
    let mut dice = Dice(11);
    let mut tried = 0;
    while tried < 400 {
        let states = dice.below(3);
        let others = 1 + dice.below(5);
        let linear = Linear::new(&mut dice, states, others);
        let x: Vec<f64> = (0..states).map(|k| 0.5 + k as f64).collect();
        let Some(expected) = linear.solution(0.7, &x) else { continue };
        tried += 1;
        let system = linear.model(&mut dice).analyse();
        let system = system.unwrap_or_else(|e| panic!("{tried}: {}", e[0].message()));
        // Unknowns left to the numeric solver at their solution.
        let y: Vec<f64> = system
            .unknowns
            .iter()
            .map(|&s| {
                let name = system.quantity(s).name.as_str();
                let of = |name: &str| name[1..].parse::<usize>().unwrap();
                match name.strip_prefix("der(").and_then(|n| n.strip_suffix(')')) {
                    Some(state) => expected[of(state)],
                    None if name.starts_with('x') => x[of(name)],
                    None => expected[of(name)],
                }
            })
            .collect();
        let near = |found: f64, wanted: f64| (found - wanted).abs() <= 1e-9 * (1.0 + wanted.abs());
        let f = residual(&system, 0.7, &y);
        for (i, &s) in system.unknowns.iter().enumerate() {
            let wanted = match i < system.n_states {
                true => expected[system.quantity(s).name[1..].parse::<usize>().unwrap()],
                false => 0.0,
            };
            assert!(near(f[i], wanted), "{tried}: row {i} is {}, not {wanted}", f[i]);
        }
        for (k, &wanted) in expected.iter().enumerate().skip(states) {
            let found = value(&system, &format!("u{k}"), 0.7, &y);
            assert!(near(found, wanted), "{tried}: u{k} is {found}, not {wanted}");
        }
        // What is left to the solver is determined by it.
        let n = system.n() - system.n_states;
        let slope = |j: usize| {
            let mut moved = y.clone();
            moved[system.n_states + j] += 1.0;
            residual(&system, 0.7, &moved)
        };
        let columns: Vec<Vec<f64>> = (0..n).map(slope).collect();
        let entries: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).collect();
        let pattern = Pattern::from_entries(n, entries.iter().copied());
        let values: Vec<f64> = pattern
            .entries()
            .map(|(i, j, _)| columns[j][system.n_states + i] - f[system.n_states + i])
            .collect();
        assert!(Lu::new(&pattern).refactor(&values).is_ok(), "{tried}: singular");
    }
}

#[test]
fn equations_that_depend_on_each_other_are_refused() {
    let mut dice = Dice(12);
    for tried in 0..200 {
        let n = 2 + dice.below(4);
        let mut linear = Linear::new(&mut dice, 0, n);
        // The last row is a combination of the others; what it says may or may not fit.
        let last = n - 1;
        linear.a[last] = (0..n).map(|j| (0..last).map(|i| (i as f64 + 1.0) * linear.a[i][j]).sum()).collect();
        assert!(linear.model(&mut dice).analyse().is_err(), "{tried}");
    }
}

#[test]
fn a_step_of_an_unknown_comes_after_it() {
    // y = floor(z), z = 2 x, written in either order; w + floor(w) is no linear equation for w.
    for turned in [false, true] {
        let mut m = Model::new();
        let [x, y, z, w] = ["x", "y", "z", "w"].map(|n| m.unknown(n, 1.3));
        let g = &m.flat.graph;
        let floor = |e: Ex<'_>| g.unary(Unary::Floor, e).id;
        let [xe, ye, ze, we] = [x, y, z, w].map(|s| g.symbol(s));
        let sides = [
            (g.derivative(x).id, (-xe).id),
            (ye.id, floor(ze)),
            (ze.id, (2.0 * xe).id),
            ((we + g.at(floor(we))).id, xe.id),
        ];
        for (k, &(l, r)) in sides.iter().enumerate() {
            let (l, r) = if turned { (r, l) } else { (l, r) };
            m.equation(&format!("e{k}"), l, r);
        }
        let system = m.analyse().unwrap();
        assert_eq!((system.n_states, system.n()), (1, 2));
        assert_eq!(value(&system, "y", 0.0, &[1.3, 0.3]), 2.0);
        assert_eq!(residual(&system, 0.0, &[1.3, 0.5])[1].abs(), 0.8);
    }
}

#[test]
fn a_coefficient_that_is_zero_is_refused() {
    let with = |a: f64, b: f64| {
        let mut m = Model::new();
        let (z, p, q) = (m.unknown("z", 0.0), m.parameter("a", a), m.parameter("b", b));
        m.say("e", |f| ((f.ex(p) - f.ex(q)) * f.ex(z), f.graph.constant(3.0)));
        m
    };
    assert!(with(1.0, 2.0).analyse().is_ok());
    assert_eq!(
        with(2.0, 2.0).messages(),
        ["equation (e) does not determine `z`: its coefficient a - b is zero with these parameters"]
    );
}
