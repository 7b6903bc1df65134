//! Unknowns of a model: every component of every node as a combination of independent components.
//!
//!   u = T q                                                                                                (1)
//!
//! A row of T is empty for components that are held or that no element knows, one entry for independent ones, several for components that
//! follow links. Unknowns of interface nodes come last, in the order of the interfaces.

use crate::check::check_values;
use crate::elements::kernel;
use crate::error::FeError;
use crate::links::equations;
use crate::model::{FeLink, FeModel};

#[derive(Clone, Debug)]
pub(crate) struct Unknowns {
    starts: Vec<u32>,
    entries: Vec<(u32, f64)>,
    /// 6 node + component of each unknown.
    pub independent: Vec<u32>,
    /// Components that no element, mass or link knows.
    absent: Vec<bool>,
    /// How many of the unknowns are not of interfaces.
    pub interior: usize,
}

/// What is known of a component before links are resolved.
#[derive(Clone, Debug, PartialEq)]
enum Standing {
    Absent,
    Held,
    Free,
    Follows(Vec<(usize, f64)>),
    Resolved(Vec<(u32, f64)>),
}

impl Unknowns {
    /// `held` nodes are clamped beside the supports of the model.
    pub fn new(model: &FeModel, interfaces: &[usize], held: &[usize]) -> Result<Self, FeError> {
        check_values(model)?;
        let mut standing = active(model)?;
        for &node in interfaces {
            if standing[6 * node..6 * node + 6].contains(&Standing::Absent) {
                return Err(FeError::InterfaceWithoutRotation { node: model.nodes[node].number });
            }
        }
        let all = held.iter().map(|&node| (node, [true; 6]));
        for (node, components) in model.supports.iter().map(|s| (s.node, s.components)).chain(all) {
            for c in (0..6).filter(|&c| components[c]) {
                if let Some(Standing::Free) = standing.get(6 * node + c) {
                    standing[6 * node + c] = Standing::Held;
                }
            }
        }
        follow_links(model, &mut standing, interfaces)?;
        number_all(model, standing, interfaces)
    }

    /// Whether a component exists, held or not.
    pub fn exists(&self, dof: usize) -> bool {
        !self.absent[dof]
    }

    pub fn count(&self) -> usize {
        self.independent.len()
    }

    /// Row of T of a component.
    pub fn row(&self, dof: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[dof] as usize..self.starts[dof + 1] as usize]
    }

    /// Node of each unknown.
    pub fn node_of(&self) -> Vec<u32> {
        self.independent.iter().map(|d| d / 6).collect()
    }

    /// The user's number of the node and the component of an unknown.
    pub fn name(&self, model: &FeModel, unknown: usize) -> (u32, usize) {
        let dof = self.independent[unknown] as usize;
        (model.nodes[dof / 6].number, dof % 6)
    }
}

/// Components that some element, mass or link knows.
fn active(model: &FeModel) -> Result<Vec<Standing>, FeError> {
    let mut standing = vec![Standing::Absent; 6 * model.nodes.len()];
    let mut activate =
        |node: usize, count: usize, user: u32| match standing.get_mut(6 * node..6 * node + count) {
            Some(part) => {
                part.fill(Standing::Free);
                Ok(())
            }
            None => Err(FeError::NoSuchNode { user }),
        };
    for element in &model.elements {
        let components = kernel(element.kind).layout().components;
        for &node in &element.nodes {
            activate(node, components, element.number)?;
        }
    }
    for mass in &model.masses {
        let turns = mass.offset != [0.0; 3] || mass.inertia != [[0.0; 3]; 3];
        activate(mass.node, if turns { 6 } else { 3 }, 0)?;
    }
    for link in &model.links {
        match link {
            FeLink::Rigid { reference, number, .. } | FeLink::Averaging { reference, number, .. } => {
                activate(*reference, 6, *number)?;
            }
        }
    }
    let follows = |node: usize| {
        model.links.iter().any(|l| match l {
            FeLink::Rigid { nodes, .. } => nodes.contains(&node),
            FeLink::Averaging { .. } => false,
        })
    };
    let lonely = (0..model.nodes.len())
        .find(|&n| standing[6 * n..6 * n + 6].iter().all(|s| *s == Standing::Absent) && !follows(n));
    match lonely {
        Some(node) => Err(FeError::Unconnected { node: model.nodes[node].number }),
        None => Ok(standing),
    }
}

fn follow_links(model: &FeModel, standing: &mut [Standing], interfaces: &[usize]) -> Result<(), FeError> {
    for link in &model.links {
        let keeps = match link {
            FeLink::Averaging { reference, .. } => {
                interfaces.contains(reference)
                    || standing[6 * reference..6 * reference + 6].contains(&Standing::Held)
            }
            FeLink::Rigid { .. } => false,
        };
        let movable = |dof: usize| standing[dof] == Standing::Free && !interfaces.contains(&(dof / 6));
        for equation in equations(model, link, keeps, movable)? {
            let dof = equation.dependent;
            let rigid = matches!(link, FeLink::Rigid { .. });
            match standing[dof] {
                Standing::Free if !interfaces.contains(&(dof / 6)) => {
                    standing[dof] = Standing::Follows(equation.terms)
                }
                // A node without elements that a rigid link carries has a place, and rotations of solids do not exist.
                Standing::Absent if rigid => standing[dof] = Standing::Follows(equation.terms),
                _ => {
                    return Err(FeError::Overdetermined {
                        node: model.nodes[dof / 6].number,
                        component: dof % 6,
                    });
                }
            }
        }
    }
    Ok(())
}

fn number_all(
    model: &FeModel,
    mut standing: Vec<Standing>,
    interfaces: &[usize],
) -> Result<Unknowns, FeError> {
    let free = |standing: &[Standing], dof: usize| standing[dof] == Standing::Free;
    let inner = (0..standing.len()).filter(|&d| free(&standing, d) && !interfaces.contains(&(d / 6)));
    let mut independent: Vec<u32> = inner.map(|d| d as u32).collect();
    let interior = independent.len();
    for &node in interfaces {
        independent.extend((6 * node..6 * node + 6).filter(|&d| free(&standing, d)).map(|d| d as u32));
    }
    for (index, &dof) in independent.iter().enumerate() {
        standing[dof as usize] = Standing::Resolved(vec![(index as u32, 1.0)]);
    }
    for dof in 0..standing.len() {
        resolve(model, &mut standing, dof, 0)?;
    }
    let absent = standing.iter().map(|s| *s == Standing::Absent).collect();
    let (mut starts, mut entries) = (vec![0_u32], vec![]);
    for part in standing {
        if let Standing::Resolved(row) = part {
            entries.extend(row);
        }
        starts.push(entries.len() as u32);
    }
    if independent.is_empty() {
        return Err(FeError::Empty);
    }
    Ok(Unknowns { starts, entries, independent, absent, interior })
}

/// Puts independent components in place of those that follow; a chain longer than all links is a circle.
fn resolve(model: &FeModel, standing: &mut [Standing], dof: usize, depth: usize) -> Result<(), FeError> {
    let Standing::Follows(terms) = &standing[dof] else {
        return Ok(());
    };
    if depth > model.links.len() {
        return Err(FeError::CircularLinks { node: model.nodes[dof / 6].number });
    }
    let terms = terms.clone();
    let mut row: Vec<(u32, f64)> = vec![];
    for (other, factor) in terms {
        resolve(model, standing, other, depth + 1)?;
        if let Standing::Resolved(inner) = &standing[other] {
            for &(unknown, f) in inner {
                match row.iter_mut().find(|e| e.0 == unknown) {
                    Some(entry) => entry.1 += factor * f,
                    None => row.push((unknown, factor * f)),
                }
            }
        }
    }
    standing[dof] = Standing::Resolved(row);
    Ok(())
}
