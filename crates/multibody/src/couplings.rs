//! Equations between coordinates, kept by multipliers.
//!
//!   linear  g = Σ c_i (q_i − q_i at the start),   λ c_i acts along q_i                                  (1)
//!   rod     g = (|p|² − L²) / 2L,   force λ p/L on its end: λ is the force in the rod, pushing positive   (2)

use std::collections::HashMap;

use trunnion_equations::{Ex, Graph};
use trunnion_model::mechanism::{Coupling, CouplingForm, Frame, Mechanism};

use crate::error::MechanismError;
use crate::loops::Closing;
use crate::node::{TreeNodes, rate};
use crate::relative::Relative;
use crate::spatial::{Spatial, Vec3};
use crate::writer::{EquationWriter, Gap, at_start};

/// What couplings exert along coordinates: (joint, number) → force.
pub type Extra<'g> = HashMap<(usize, usize), Ex<'g>>;

pub fn emit<'g>(
    writer: &mut EquationWriter<'_>,
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    closings: &[Closing<'g>],
    applied: &mut [Spatial<'g>],
) -> Result<Extra<'g>, Vec<MechanismError>> {
    let graph: &'g Graph = nodes.graph;
    let mut extra = Extra::new();
    let mut errors = vec![];
    for (i, coupling) in mechanism.couplings.iter().enumerate() {
        let unit = writer.quantity(coupling.force).unit.text.clone();
        let lambda = writer.multiplier(format!("{}.lambda", coupling.name), &unit, &coupling.origin);
        writer.give(coupling.force, &coupling.origin, graph.symbol(lambda));
        let gap = match &coupling.form {
            CouplingForm::Linear(terms) => {
                for &(joint, freedom, factor) in terms {
                    let force = graph.at(factor) * graph.symbol(lambda);
                    let at = extra.entry((joint, freedom)).or_insert(graph.constant(0.0));
                    *at = *at + force;
                }
                linear(writer, mechanism, graph, closings, terms)
            }
            CouplingForm::Rod { from, to, length } => {
                let length = length.map(|l| graph.at(l));
                let (gap, at_rest) = rod(writer, nodes, applied, from, to, length, graph.symbol(lambda));
                if at_start(graph, &writer.start(graph), &[at_rest.id])[0].abs() < 1e-12 {
                    errors.push(MechanismError::ZeroRod { coupling: i });
                }
                gap
            }
        };
        let Coupling { name, origin, .. } = coupling;
        writer.constrain(name, origin, gap, None, lambda);
    }
    if errors.is_empty() { Ok(extra) } else { Err(errors) }
}

/// (1)
fn linear<'g>(
    writer: &EquationWriter<'_>,
    mechanism: &Mechanism,
    graph: &'g Graph,
    closings: &[Closing<'g>],
    terms: &[(usize, usize, trunnion_equations::Expr)],
) -> Gap<'g> {
    let zero = graph.constant(0.0);
    let mut gap = Gap { x: zero, v: zero, a: zero };
    for &(joint, number, factor) in terms {
        let factor = graph.at(factor);
        let freedom = &mechanism.joints[joint].freedoms[number];
        let (q, v) = (graph.symbol(freedom.position), graph.symbol(freedom.velocity));
        let closing = closings.iter().find(|c| c.joint == joint);
        let at = match (closing, &freedom.motion) {
            (Some(closing), _) => closing.coordinates[number].gap,
            (None, None) => Gap { x: q, v, a: graph.derivative(freedom.velocity) },
            (None, Some(motion)) => Gap { x: q, v, a: rate(rate(graph.at(motion.position))) },
        };
        let start = match &freedom.motion {
            Some(motion) => writer.with_start(graph.at(motion.position)),
            None => writer.start_of(graph, freedom.position),
        };
        gap.x = gap.x + factor * (at.x - start);
        gap.v = gap.v + factor * at.v;
        gap.a = gap.a + factor * at.a;
    }
    gap
}

/// (2), and the length.
fn rod<'g>(
    writer: &EquationWriter<'_>,
    nodes: &TreeNodes<'g>,
    applied: &mut [Spatial<'g>],
    from: &Frame,
    to: &Frame,
    length: Option<Ex<'g>>,
    lambda: Ex<'g>,
) -> (Gap<'g>, Ex<'g>) {
    let relative = Relative::new(nodes, from, to);
    let p = relative.point(nodes);
    let length = length.unwrap_or_else(|| writer.with_start(p.x.dot(p.x)).sqrt());
    let inverse = 1.0 / length;
    relative.apply(nodes, applied, None, p.x * (lambda * inverse), Vec3::zero(nodes.graph));
    let gap = Gap {
        x: 0.5 * inverse * (p.x.dot(p.x) - length * length),
        v: inverse * p.x.dot(p.v),
        a: inverse * (p.v.dot(p.v) + p.x.dot(p.a)),
    };
    (gap, length)
}
