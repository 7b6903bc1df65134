//! A `Flat` that can be written to while expressions of its graph are at hand.

use std::collections::HashMap;

use trunnion_equations::flat::{Constraint, Equation, Origin, Quantity, QuantityRole};
use trunnion_equations::start::start_values;
use trunnion_equations::{DisplayUnit, Ex, Expr, ExprNode, Flat, Graph, Symbol};

/// A scalar with its first and second derivative.
#[derive(Clone, Copy, Debug)]
pub struct Gap<'g> {
    pub x: Ex<'g>,
    pub v: Ex<'g>,
    pub a: Ex<'g>,
}

pub struct EquationWriter<'f> {
    quantities: &'f mut Vec<Quantity>,
    equations: &'f mut Vec<Equation>,
    constraints: &'f mut Vec<Constraint>,
    pub held: &'f mut Vec<Symbol>,
    pub quaternions: &'f mut Vec<[Symbol; 4]>,
}

impl<'f> EquationWriter<'f> {
    pub fn new(flat: &'f mut Flat) -> (&'f Graph, Self) {
        let Flat { graph, quantities, equations, constraints, held, quaternions, .. } = flat;
        (graph, EquationWriter { quantities, equations, constraints, held, quaternions })
    }

    pub fn quantity(&self, s: Symbol) -> &Quantity {
        &self.quantities[s.index()]
    }

    pub fn equation(&mut self, name: String, origin: &Origin, lhs: Ex<'_>, rhs: Ex<'_>) {
        self.equations.push(Equation { name, origin: origin.clone(), lhs: lhs.id, rhs: rhs.id });
    }

    /// A quantity of the model gets its value.
    pub fn give(&mut self, symbol: Symbol, origin: &Origin, value: Ex<'_>) {
        let name = self.quantity(symbol).name.clone();
        let lhs = value.graph().symbol(symbol);
        self.equation(name, origin, lhs, value);
    }

    pub fn multiplier(&mut self, name: String, unit: &str, origin: &Origin) -> Symbol {
        self.quantities.push(Quantity {
            name,
            unit: DisplayUnit::si(unit),
            doc: "What keeps a loop closed".into(),
            origin: origin.clone(),
            kind: QuantityRole::Multiplier,
            nominal: None,
            range: (f64::NEG_INFINITY, f64::INFINITY),
        });
        Symbol(self.quantities.len() as u32 - 1)
    }

    /// `gap`, with its derivatives, is kept zero by `multiplier`. `facing`: see `Constraint`.
    pub(crate) fn constrain(
        &mut self,
        name: &str,
        origin: &Origin,
        gap: Gap<'_>,
        facing: Option<Ex<'_>>,
        multiplier: Symbol,
    ) {
        self.constraints.push(Constraint {
            name: name.into(),
            origin: origin.clone(),
            position: Some(gap.x.id),
            velocity: gap.v.id,
            acceleration: gap.a.id,
            facing: facing.map(|e| e.id),
            multiplier,
            switched: false,
        });
    }

    /// The start of an unknown.
    pub fn start_of<'g>(&self, graph: &'g Graph, s: Symbol) -> Ex<'g> {
        match self.quantity(s).kind {
            QuantityRole::Unknown { start }
            | QuantityRole::Input { start }
            | QuantityRole::Mode { start } => graph.at(start),
            QuantityRole::Parameter { .. } => graph.symbol(s),
            QuantityRole::Multiplier => graph.constant(0.0),
        }
    }

    /// An expression with time 0 and all unknowns at their start: of parameters only.
    pub(crate) fn with_start<'g>(&self, e: Ex<'g>) -> Ex<'g> {
        let graph: &'g Graph = e.graph();
        let value = |node: ExprNode| match node {
            ExprNode::Symbol(s) => Some(self.start_of(graph, s).id),
            ExprNode::Time => Some(graph.constant(0.0).id),
            _ => None,
        };
        graph.at(graph.rewrite(&[e.id], value)[0])
    }

    /// Values of all quantities at the start.
    pub fn start(&self, graph: &Graph) -> Vec<f64> {
        start_values(graph, self.quantities, &Default::default())
    }
}

/// Expressions at the start, time 0.
pub fn at_start(graph: &Graph, start: &[f64], roots: &[Expr]) -> Vec<f64> {
    let mut values: HashMap<Expr, f64> = HashMap::new();
    for e in graph.reachable(roots.iter().copied()) {
        let value = match graph.node(e) {
            ExprNode::Symbol(s) => start[s.index()],
            ExprNode::Time => 0.0,
            node => graph.evaluate_node(node, |c| values[&c]),
        };
        values.insert(e, value);
    }
    roots.iter().map(|e| values[e]).collect()
}
