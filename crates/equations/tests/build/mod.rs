//! Models for tests, equation by equation.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::HashMap;

use trunnion_equations::flat::{Equation, Origin, Quantity, QuantityRole};
use trunnion_equations::structure::StructureError;
use trunnion_equations::{
    DisplayUnit, EvaluationEngine, Ex, Expr, Flat, ProgramKind, Symbol, System, analyse,
};

pub struct Model {
    pub flat: Flat,
}

impl Model {
    pub fn new() -> Self {
        Model { flat: Flat::default() }
    }

    pub fn quantity(&mut self, name: &str, kind: QuantityRole) -> Symbol {
        self.flat.add(Quantity {
            name: name.into(),
            unit: DisplayUnit::default(),
            doc: String::new(),
            origin: Origin::default(),
            kind,
            nominal: None,
            range: (f64::NEG_INFINITY, f64::INFINITY),
        })
    }

    pub fn unknown(&mut self, name: &str, start: f64) -> Symbol {
        let start = self.flat.graph.constant(start).id;
        self.quantity(name, QuantityRole::Unknown { start })
    }

    pub fn parameter(&mut self, name: &str, value: f64) -> Symbol {
        let value = self.flat.graph.constant(value).id;
        self.quantity(name, QuantityRole::Parameter { value })
    }

    pub fn equation(&mut self, name: &str, lhs: Expr, rhs: Expr) {
        self.flat.equations.push(Equation { name: name.into(), origin: Origin::default(), lhs, rhs });
    }

    pub fn analyse(self) -> Result<System, Vec<StructureError>> {
        analyse(self.flat)
    }
}

/// f(t, y) of a system at its start values, or at the given ones.
pub fn residual(system: &System, t: f64, y: &[f64]) -> Vec<f64> {
    run(system, ProgramKind::Residual, t, y)
}

fn run(system: &System, part: ProgramKind, t: f64, y: &[f64]) -> Vec<f64> {
    let compiled = system.compile(EvaluationEngine::Interpreter);
    let slow = system.start(&HashMap::new()).slow();
    let (mut scratch, mut k) = (vec![0.0; compiled.scratch()], vec![0.0; compiled.n_slow()]);
    compiled.prepare(&slow, &mut scratch, &mut k);
    let mut out = vec![0.0; compiled.program(part as usize).n_out];
    compiled.run(part as usize, t, y, &k, &mut scratch, &mut out);
    out
}

/// The value of a name at (t, y).
pub fn value(system: &System, name: &str, t: f64, y: &[f64]) -> f64 {
    if let Some(i) = system.unknowns.iter().position(|&s| system.quantity(s).name == name) {
        return y[i];
    }
    let i = system.outputs.iter().position(|o| o.name == name).unwrap_or_else(|| panic!("no `{name}`"));
    run(system, ProgramKind::Outputs, t, y)[i]
}

impl Model {
    /// An equation built from the graph's handles.
    pub fn say(&mut self, name: &str, sides: impl for<'g> Fn(&'g Flat) -> (Ex<'g>, Ex<'g>)) {
        let (lhs, rhs) = sides(&self.flat);
        let (lhs, rhs) = (lhs.id, rhs.id);
        self.equation(name, lhs, rhs);
    }

    pub fn messages(self) -> Vec<String> {
        self.analyse().unwrap_err().iter().map(|e| e.message()).collect()
    }
}
