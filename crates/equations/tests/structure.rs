//! Sorting and solving: what is solved in symbols, what is left, and what is reported.

mod build;

use build::{Model, residual};

#[test]
fn a_mass_on_a_spring_becomes_two_states() {
    let mut m = Model::new();
    let (x, v, f) = (m.unknown("x", 0.1), m.unknown("v", 0.0), m.unknown("f", 0.0));
    let (mass, k) = (m.parameter("m", 2.0), m.parameter("k", 8.0));
    let g = &m.flat.graph;
    let (der_x, der_v) = (g.derivative(x).id, g.derivative(v));
    let newton = (g.symbol(mass) * der_v).id;
    let (force, hooke) = (g.symbol(f).id, (-g.symbol(k) * g.symbol(x)).id);
    let velocity = g.symbol(v).id;
    m.equation("newton", newton, force);
    m.equation("hooke", force, hooke);
    m.equation("kinematics", der_x, velocity);
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), system.n_states), (2, 2));
    assert_eq!(system.second_order, [(0, 1)]);
    assert_eq!(residual(&system, 0.0, &[0.1, 0.5]), [0.5, -0.4]);
    assert_eq!(system.outputs[0].name, "f");
}

#[test]
fn a_linear_loop_is_solved_in_symbols() {
    // Voltage divider written in the worst order: u1 = R1 i, u2 = R2 i, u1 + u2 = 10; der(q) = i.
    let mut m = Model::new();
    let names = ["u1", "u2", "i"].map(|n| m.unknown(n, 0.0));
    let q = m.unknown("q", 0.0);
    let (r1, r2) = (m.parameter("R1", 3.0), m.parameter("R2", 2.0));
    let g = &m.flat.graph;
    let [u1, u2, i] = names.map(|s| g.symbol(s));
    let (a, b) = ((g.symbol(r1) * i).id, (g.symbol(r2) * i).id);
    let (sum, ten, dq) = ((u1 + u2).id, g.constant(10.0).id, g.derivative(q).id);
    let (u1, u2, i) = (u1.id, u2.id, i.id);
    m.equation("one", u1, a);
    m.equation("two", u2, b);
    m.equation("loop", sum, ten);
    m.equation("charge", dq, i);
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), system.n_states), (1, 1));
    assert_eq!(residual(&system, 0.0, &[0.0]), [2.0]);
}

#[test]
fn a_nonlinear_loop_is_torn_to_one_unknown() {
    // x + y = 3, x y³ = 2 z, z = y: one unknown is enough.
    let mut m = Model::new();
    let names = ["x", "y", "z"].map(|n| m.unknown(n, 1.0));
    let g = &m.flat.graph;
    let [x, y, z] = names.map(|s| g.symbol(s));
    let sides = [((x + y).id, g.constant(3.0).id), ((x * y * y * y).id, (2.0 * z).id), (z.id, y.id)];
    for (k, (l, r)) in sides.into_iter().enumerate() {
        m.equation(&format!("e{k}"), l, r);
    }
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), system.n_states), (1, 0));
    // Whatever was chosen, the residual vanishes at a solution: y = 1, x = 2.
    let name = &system.quantity(system.unknowns[0]).name;
    let at = if name == "x" { 2.0 } else { 1.0 };
    assert!(residual(&system, 0.0, &[at])[0].abs() < 1e-14, "{name}");
}

#[test]
fn an_implicit_derivative_is_left_to_the_solver() {
    // der(x)³ + der(x) = 2 → der(x) = 1.
    let mut m = Model::new();
    let x = m.unknown("x", 0.0);
    let g = &m.flat.graph;
    let d = g.derivative(x);
    let (l, r) = ((d * d * d + d).id, g.constant(2.0).id);
    m.equation("law", l, r);
    let system = m.analyse().unwrap();
    assert_eq!((system.n(), system.n_states), (2, 1));
    assert_eq!(system.quantity(system.unknowns[1]).name, "der(x)");
    assert_eq!(residual(&system, 0.0, &[5.0, 1.0]), [1.0, 0.0]);
}

#[test]
fn relations_become_modes_with_guards() {
    let mut m = Model::new();
    let x = m.unknown("x", 0.0);
    let g = &m.flat.graph;
    let ex = g.symbol(x);
    let law = g.select(ex.lt(g.constant(1.0)), g.constant(2.0), g.constant(-1.0)) + g.time().sign();
    let (l, r) = (g.derivative(x).id, law.id);
    m.equation("law", l, r);
    let system = m.analyse().unwrap();
    let names: Vec<String> = system.guards.iter().map(|g| g.0.clone()).collect();
    assert_eq!(names, ["x < 1", "0 < time", "time < 0"]);
    // All modes are 0 until the run loop settles them.
    assert_eq!(residual(&system, 0.0, &[0.0]), [-1.0]);
}

fn messages(m: Model) -> Vec<String> {
    m.analyse().unwrap_err().iter().map(|e| e.message()).collect()
}

#[test]
fn an_unknown_without_equation_is_named() {
    let mut m = Model::new();
    let x = m.unknown("x", 0.0);
    m.unknown("pump.q", 0.0);
    let g = &m.flat.graph;
    let (l, r) = (g.symbol(x).id, g.time().id);
    m.equation("e", l, r);
    assert_eq!(messages(m), ["`pump.q` appears in no equation"]);
}

#[test]
fn surplus_equations_are_named() {
    let mut m = Model::new();
    let (x, y) = (m.unknown("x", 0.0), m.unknown("y", 0.0));
    let g = &m.flat.graph;
    let (x, y, one) = (g.symbol(x).id, g.symbol(y).id, g.constant(1.0).id);
    m.equation("a", x, one);
    m.equation("b", y, x);
    m.equation("c", y, one);
    assert_eq!(messages(m), ["equations (a), (b) and (c) determine only two unknowns"]);
}

#[test]
fn a_constraint_on_states_is_explained() {
    let mut m = Model::new();
    let (x, y) = (m.unknown("x", 0.0), m.unknown("y", 0.0));
    let g = &m.flat.graph;
    let (dx, dy, x, y, t) =
        (g.derivative(x).id, g.derivative(y).id, g.symbol(x).id, g.symbol(y).id, g.time().id);
    m.equation("p", dx, t);
    m.equation("q", dy, t);
    m.equation("tie", x, y);
    assert_eq!(messages(m), ["equation (tie) ties `x` and `y` together, which are already integrated"]);
}

#[test]
fn equations_that_fix_only_a_combination_are_explained() {
    let mut m = Model::new();
    let (a, b) = (m.unknown("a", 0.0), m.unknown("b", 0.0));
    let g = &m.flat.graph;
    let (da, db, t) = (g.derivative(a), g.derivative(b), g.time().id);
    let (up, down) = ((da - db).id, (db - da).id);
    m.equation("p", up, t);
    m.equation("q", down, t);
    assert_eq!(
        messages(m),
        ["equations (p) and (q) determine only combinations of `der(a)` and `der(b)`, not each of them"]
    );
}
