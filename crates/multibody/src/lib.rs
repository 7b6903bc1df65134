//! Mechanisms in joint coordinates: a tree, its articulated-body recursion as equations, loops closed by constraints.
//!
//! [`tree`](tree) chooses joints, [`node`](node) makes primitive joints and frames of them, [`articulated`](articulated) finds accelerations;
//! everything between two frames, be it a joint that closes a loop, a line or a sensor, is written along the path between them.

// Frames stand in names: p_PN, R_PN (docs of `node`).
#![allow(non_snake_case)]

mod articulated;
mod couplings;
mod elastic_nodes;
pub mod energy;
mod error;
mod gauges;
mod interface;
mod inverse_dynamics;
mod lines;
mod loops;
mod mass_matrix;
mod modal;
mod modal_rounding;
mod modal_rows;
mod motion;
mod node;
mod outputs;
mod primitive;
mod quaternion;
mod regroup;
mod relative;
mod sensors;
mod spatial;
mod tree;
mod writer;

use trunnion_equations::{Ex, Expr, Flat, Graph, Symbol};
use trunnion_model::mechanism::{Frame, Mechanism};
use trunnion_model::{Diagnostic, Sources};

use articulated::Recursion;
use error::MechanismError;
use loops::Closing;
use node::TreeNodes;
use spatial::{Spatial, Vec3};
use tree::Tree;
use writer::EquationWriter;

/// Write the equations of a mechanism. Errors name the body or joint and say what to do.
pub fn emit(flat: &mut Flat, mechanism: &Mechanism, sources: &Sources) -> Result<(), Vec<Diagnostic>> {
    let Some(gravity) = &mechanism.gravity else { return Ok(()) };
    let report = |errors: Vec<MechanismError>| -> Vec<Diagnostic> {
        errors.iter().map(|e| e.diagnostic(mechanism, sources)).collect()
    };
    write(flat, mechanism, gravity).map_err(report)
}

/// Modal data are of the size of the coordinates, and frames at interfaces that are there.
fn check_sizes(mechanism: &Mechanism) -> Result<(), Vec<MechanismError>> {
    let mut errors = vec![];
    for (body, modal) in
        mechanism.bodies.iter().enumerate().filter_map(|(k, b)| Some((k, b.inertia.modal()?)))
    {
        let n = modal.coordinates.len();
        let rates = (modal.rates.len() != n).then_some("rates");
        let beyond =
            |f: &Frame| f.body == body && f.interface.is_some_and(|i| i >= modal.data.interfaces.len());
        let ends = mechanism.joints.iter().flat_map(|j| [&j.parent, &j.child]);
        let absent = mechanism.frames.iter().chain(ends).any(beyond).then_some("interfaces");
        let field = rates.or_else(|| modal.data.misfit(n)).or(absent);
        errors.extend(field.map(|field| MechanismError::ModalSize { body, field }));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn write(flat: &mut Flat, mechanism: &Mechanism, gravity: &[Expr; 3]) -> Result<(), Vec<MechanismError>> {
    check_sizes(mechanism)?;
    let tree = Tree::new(mechanism)?;
    let (graph, mut writer) = EquationWriter::new(flat);
    let gravity = Vec3::of(graph, gravity);
    let mut nodes = TreeNodes::new(graph, mechanism, &tree);
    let mut applied = vec![Spatial::zero(graph); nodes.list.len()];
    let mut errors = vec![];

    // What acts on the bodies besides joints of the tree.
    let mut closings: Vec<Closing<'_>> =
        tree.closing.iter().map(|&j| Closing::new(&nodes, mechanism, j)).collect();
    let extra = couplings::emit(&mut writer, mechanism, &nodes, &closings, &mut applied)?;
    let along = |joint: usize, i: usize| extra.get(&(joint, i)).copied().unwrap_or(graph.constant(0.0));
    for closing in &mut closings {
        let joint = &mechanism.joints[closing.joint];
        let number = closing.joint;
        errors.extend(closing.emit(&mut writer, &nodes, joint, &mut applied, |i| along(number, i)).err());
    }
    errors.extend(lines::emit(&mut writer, mechanism, &nodes, &mut applied).err().into_iter().flatten());
    lines::loads(mechanism, &nodes, &mut applied);
    for node in nodes.list.iter_mut().skip(1).filter(|n| n.has_axis()) {
        node.force.0[node.axis] = node.force[node.axis] + node.sign * along(node.joint, node.freedom);
    }

    let recursion = Recursion::new(mechanism, &nodes, gravity, &applied);
    motion::emit(&mut writer, mechanism, &nodes, &recursion);
    sensors::emit(&mut writer, mechanism, &nodes, &recursion, gravity);
    sensors::reactions(&mut writer, mechanism, &tree, &nodes, &recursion, &closings);
    outputs::emit(&mut writer, mechanism, &nodes, gravity);
    errors.extend(motion::check(&writer, mechanism, &nodes, &recursion));
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Entries (i, j, M_ij) of the mass matrix of the tree by velocity, each pair once, zeros left out.
pub fn mass_matrix(
    graph: &Graph,
    mechanism: &Mechanism,
    sources: &Sources,
) -> Result<Vec<(Symbol, Symbol, Expr)>, Vec<Diagnostic>> {
    let nodes = nodes(graph, mechanism, sources)?;
    Ok(mass_matrix::mass_matrix(mechanism, &nodes).into_iter().map(|(i, j, e)| (i, j, e.id)).collect())
}

/// What has to act along each coordinate of the tree for the given accelerations, by velocity. Lines, loads and loops are left out.
pub fn inverse_dynamics<'g>(
    graph: &'g Graph,
    mechanism: &Mechanism,
    sources: &Sources,
    q_dot_dot: impl Fn(Symbol) -> Ex<'g>,
) -> Result<Vec<(Symbol, Expr)>, Vec<Diagnostic>> {
    let nodes = nodes(graph, mechanism, sources)?;
    let gravity = mechanism.gravity.map_or(Vec3::zero(graph), |g| Vec3::of(graph, &g));
    let forces = inverse_dynamics::inverse_dynamics(mechanism, &nodes, gravity, &q_dot_dot);
    Ok(forces.into_iter().map(|(s, e)| (s, e.id)).collect())
}

fn nodes<'g>(
    graph: &'g Graph,
    mechanism: &Mechanism,
    sources: &Sources,
) -> Result<TreeNodes<'g>, Vec<Diagnostic>> {
    let report =
        |errors: Vec<MechanismError>| errors.iter().map(|e| e.diagnostic(mechanism, sources)).collect();
    let tree = Tree::new(mechanism).map_err(|e| -> Vec<Diagnostic> { report(e) })?;
    Ok(TreeNodes::new(graph, mechanism, &tree))
}
