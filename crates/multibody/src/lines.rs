//! Lines between points, and loads from the world.
//!
//!   l = |p|,  l' = p · ṗ / l,  force f p/l on its end, the opposite on its beginning                        (1)

use trunnion_model::mechanism::{Load, Mechanism};

use crate::error::MechanismError;
use crate::node::TreeNodes;
use crate::relative::Relative;
use crate::spatial::{Spatial, Vec3};
use crate::writer::{EquationWriter, at_start};

/// (1) for every line.
pub fn emit<'g>(
    writer: &mut EquationWriter<'_>,
    mechanism: &Mechanism,
    nodes: &TreeNodes<'g>,
    applied: &mut [Spatial<'g>],
) -> Result<(), Vec<MechanismError>> {
    let mut lengths = vec![];
    for line in &mechanism.lines {
        let relative = Relative::new(nodes, &line.from, &line.to);
        let p = relative.point(nodes);
        let length = p.x.dot(p.x).sqrt();
        writer.give(line.length, &line.origin, length);
        writer.give(line.rate, &line.origin, p.x.dot(p.v) / length);
        let per_length = nodes.graph.symbol(line.force) / length;
        relative.apply(nodes, applied, None, p.x * per_length, Vec3::zero(nodes.graph));
        lengths.push(length.id);
    }
    let start = at_start(nodes.graph, &writer.start(nodes.graph), &lengths);
    // Below this the direction is rounding.
    let short = start.iter().enumerate().filter(|(_, l)| **l < 1e-12);
    let errors: Vec<MechanismError> = short.map(|(line, _)| MechanismError::ZeroLength { line }).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

pub fn loads<'g>(mechanism: &Mechanism, nodes: &TreeNodes<'g>, applied: &mut [Spatial<'g>]) {
    for load in &mechanism.loads {
        let (node, w) = wrench(load, nodes);
        applied[node] = applied[node] + w;
    }
}

/// What a load exerts on a node, about its origin in its axes.
pub fn wrench<'g>(load: &Load, nodes: &TreeNodes<'g>) -> (usize, Spatial<'g>) {
    let at = nodes.place(&load.at);
    let [f, n] = [&load.force, &load.torque].map(|v| {
        let v = Vec3::of(nodes.graph, v);
        if load.turns_along { at.r * v } else { nodes.seen_in(at.node, v) }
    });
    (at.node, Spatial { angular: n + at.p.cross(f), linear: f })
}
