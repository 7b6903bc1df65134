//! The bond graph of a model with its causality, as text, picture, DOT and JSON.

pub mod dot;
pub mod json;
pub mod picture;
pub mod text;

use trunnion_model::{Diagnostic, Model};
use trunnion_network::{BondGraph, Causality, assign};

/// Everything there is to show.
pub struct BondGraphView<'a> {
    pub model: &'a Model,
    pub causality: Causality,
    pub graph: BondGraph,
    pub findings: Vec<Diagnostic>,
}

impl<'a> BondGraphView<'a> {
    /// `full`: every junction and source, also those that say nothing. None where the model has no bond graph.
    pub fn new(model: &'a Model, full: bool) -> Option<Self> {
        if model.network.nodes.is_empty() {
            return None;
        }
        let causality = assign(&model.network);
        let found = causality.findings(&model.network, &model.flat.graph);
        let findings = found.iter().map(|f| f.diagnostic(&model.network, &model.sources)).collect();
        let graph = match full {
            true => BondGraph::full(&model.network, &causality),
            false => BondGraph::simplified(&model.network, &causality, &model.flat.graph),
        };
        Some(BondGraphView { model, causality, graph, findings })
    }
}

impl BondGraphView<'_> {
    /// Name of the effort or flow of a bond, with a minus where it counts the other way.
    fn variables(&self, bond: usize) -> (String, String) {
        let named = |s: trunnion_model::network::Signed| {
            let name = &self.model.flat.quantity(s.symbol).name;
            format!("{}{name}", if s.negative { "-" } else { "" })
        };
        let pair = self.model.network.bonds[bond].pairs.first();
        pair.map(|p| (named(p.effort), named(p.flow))).unwrap_or_default()
    }
}
