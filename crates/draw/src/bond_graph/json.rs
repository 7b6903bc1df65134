//! Nodes, bonds with causality, places in the picture, and what was found.

use serde_json::{Value, json};
use trunnion_model::Severity;

use super::{BondGraphView, picture};

pub fn render(view: &BondGraphView) -> String {
    let picture = picture::picture(view);
    let nodes = view.graph.nodes.iter().zip(&picture.nodes).map(|(node, placed)| {
        json!({
            "name": node.name,
            "kind": node.kind.word(),
            "component": node.component,
            "modulated": node.modulated,
            "connection": node.connection,
            "derivative": node.derivative,
            "loop": node.looped,
            "conflict": node.conflict,
            "at": [rounded(placed.at.0), rounded(placed.at.1)],
        })
    });
    let bonds = view.graph.bonds.iter().map(|bond| {
        let (effort, flow) = view.variables(bond.of);
        json!({
            "from": bond.from,
            "to": bond.to,
            "effort_from": if bond.from_gives_effort { bond.from } else { bond.to },
            "domain": bond.domain.map(|d| d.name),
            "effort": effort,
            "flow": flow,
        })
    });
    let findings = view.findings.iter().map(|finding| {
        json!({
            "code": finding.code,
            "severity": match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            "message": finding.message,
            "hint": finding.hint,
        })
    });
    let document = json!({
        "model": view.model.name,
        "nodes": nodes.collect::<Vec<Value>>(),
        "bonds": bonds.collect::<Vec<Value>>(),
        "left_out": view.graph.dropped,
        "findings": findings.collect::<Vec<Value>>(),
        "size": [rounded(picture.width), rounded(picture.height)],
    });
    format!("{document:#}\n")
}

/// Hundredths of a px are enough.
fn rounded(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}
