//! Time of the analysis against size: a chain of masses, springs and dampers with a force on each, 2 states and
//! 26 unknowns a cell, as connected components write it. Growth is t ∝ n^growth between neighbouring sizes. The image is written and read back.

use std::time::Instant;

use trunnion_equations::flat::{Equation, Origin, Quantity, QuantityRole};
use trunnion_equations::{DisplayUnit, Ex, Flat, Image, Symbol, analyse};

#[derive(Default)]
struct Chain {
    flat: Flat,
}

impl Chain {
    fn quantity(&mut self, name: String, kind: QuantityRole) -> Symbol {
        let (unit, doc, origin, range) =
            (DisplayUnit::default(), String::new(), Origin::default(), (-1e300, 1e300));
        self.flat.add(Quantity { name, unit, doc, origin, kind, nominal: None, range })
    }

    fn unknowns<const N: usize>(&mut self, path: &str, names: [&str; N]) -> [Symbol; N] {
        let start = self.flat.graph.constant(0.0).id;
        names.map(|n| self.quantity(format!("{path}.{n}"), QuantityRole::Unknown { start }))
    }

    fn parameter(&mut self, path: &str, name: &str, value: f64) -> Symbol {
        let value = self.flat.graph.constant(value).id;
        self.quantity(format!("{path}.{name}"), QuantityRole::Parameter { value })
    }

    fn say(&mut self, sides: impl for<'g> Fn(&'g Flat) -> (Ex<'g>, Ex<'g>)) {
        let (lhs, rhs) = sides(&self.flat);
        let (lhs, rhs, name) = (lhs.id, rhs.id, format!("e{}", self.flat.equations.len()));
        self.flat.equations.push(Equation { name, origin: Origin::default(), lhs, rhs });
    }

    fn same(&mut self, a: Symbol, b: Symbol) {
        self.say(|f| (f.ex(a), f.ex(b)));
    }

    fn opposite(&mut self, a: Symbol, b: Symbol) {
        self.say(|f| (f.ex(a), -f.ex(b)));
    }

    /// A force that acts on two ends: [a.v, a.f, b.v, b.f], with effort e and flow f of its element.
    fn link(&mut self, path: &str) -> ([Symbol; 4], Symbol, Symbol) {
        let ends = self.unknowns(path, ["a.v", "a.f", "b.v", "b.f"]);
        let [e, f, node] = self.unknowns(path, ["element.e", "element.f", "force.e"]);
        self.say(|x| (x.ex(f), x.ex(ends[0]) - x.ex(ends[2])));
        self.same(node, e);
        self.same(ends[1], node);
        self.opposite(ends[3], node);
        (ends, e, f)
    }

    /// One cell; gives the ends that the next one continues. `before` are those of the cell before.
    fn cell(&mut self, k: usize, before: &[[Symbol; 4]]) -> [[Symbol; 4]; 2] {
        let path = |part: &str| format!("cell{k}.{part}");
        let m = self.parameter(&path("mass"), "m", 1.0 + 0.01 * k as f64);
        let [p, v, f, flange_v, flange_f] =
            self.unknowns(&path("mass"), ["inertia.p", "inertia.f", "inertia.e", "flange.v", "flange.f"]);
        self.say(|x| (x.graph.derivative(p), x.ex(f)));
        self.say(|x| (x.ex(v), x.ex(p) / x.ex(m)));
        self.same(flange_v, v);
        self.same(f, flange_f);
        let stiffness = self.parameter(&path("spring"), "k", 1e3);
        let (spring, e, f) = self.link(&path("spring"));
        let [q] = self.unknowns(&path("spring"), ["element.q"]);
        self.say(|x| (x.graph.derivative(q), x.ex(f)));
        self.say(|x| (x.ex(e), x.ex(stiffness) * x.ex(q)));
        let loss = self.parameter(&path("damper"), "d", 5.0);
        let (damper, e, f) = self.link(&path("damper"));
        self.say(|x| (x.ex(e), x.ex(loss) * x.ex(f)));
        let [push, push_f, push_v] = self.unknowns(&path("push"), ["source.e", "flange.f", "flange.v"]);
        self.say(|x| (x.ex(push), (x.graph.time() * 3.0).sin()));
        self.opposite(push_f, push);
        // The connection: one velocity, no force left over.
        let [node_v, on_mass, from_left] = self.unknowns(&path("node"), ["v", "on_mass.e", "from_left.e"]);
        for end in [flange_v, spring[0], damper[0], push_v] {
            self.same(end, node_v);
        }
        for end in before {
            self.same(end[2], node_v);
        }
        self.same(on_mass, flange_f);
        self.say(|x| {
            let zero = x.graph.constant(0.0);
            (x.ex(from_left), before.iter().fold(zero, |sum, end| sum + x.ex(end[3])))
        });
        self.say(|x| {
            let pulled = x.ex(spring[1]) + x.ex(damper[1]) + x.ex(push_f) + x.ex(from_left);
            (x.ex(on_mass), -pulled)
        });
        [spring, damper]
    }
}

fn chain(cells: usize) -> Flat {
    let mut chain = Chain::default();
    let mut ends = Vec::new();
    for k in 0..cells {
        ends = chain.cell(k, &ends).to_vec();
    }
    for end in ends {
        chain.say(|x| (x.ex(end[2]), x.graph.constant(0.0)));
    }
    chain.flat
}

fn main() {
    println!("{:>7} {:>9} {:>10} {:>8} {:>9}", "states", "unknowns", "analyse ms", "growth", "image ms");
    let mut before: Option<(f64, f64)> = None;
    for states in [32, 320, 3_200] {
        let flat = chain(states / 2);
        let n_unknowns =
            flat.quantities.iter().filter(|q| matches!(q.kind, QuantityRole::Unknown { .. })).count();
        let (mut best, mut image) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..(6_400 / states).clamp(3, 20) {
            let copy = flat.clone();
            let start = Instant::now();
            let system = analyse(copy).expect("the chain is complete");
            best = best.min(start.elapsed().as_secs_f64());
            assert_eq!((system.n(), system.n_states), (states, states));
            let start = Instant::now();
            let bytes = system.image.to_bytes();
            std::hint::black_box(Image::from_bytes(&bytes).expect("just written"));
            image = image.min(start.elapsed().as_secs_f64());
        }
        let growth = before
            .map_or(String::new(), |(n, t)| format!("{:.2}", (best / t).ln() / (states as f64 / n).ln()));
        println!("{states:>7} {n_unknowns:>9} {:>10.2} {growth:>8} {:>9.2}", 1e3 * best, 1e3 * image);
        before = Some((states as f64, best));
    }
}
