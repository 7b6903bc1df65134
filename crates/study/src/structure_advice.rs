//! What an experienced colleague would remark of a model that has no errors.
//!
//! - N0101  motions far faster than the run is long, and the store that causes them
//! - N0102  a pump that nothing relieves
//! - N0103  forces far from balance at the start
//! - N0104  one air with two densities

use std::collections::{HashMap, HashSet};

use trunnion_model::diagnostic::Severity;
use trunnion_model::network::{BondNodeKind, Network};
use trunnion_sim::linear::linearise;
use trunnion_sim::machine::Machine;
use trunnion_sim::modes::modes;

use trunnion_network::CausalityFinding;

/// A run of so many time constants of its fastest motion is stiff.
const STIFF: f64 = 1e6;
/// A state with a smaller share in a motion does not cause it.
const CAUSE: f64 = 0.2;
/// Forces are out of balance when the rest is more than this share of the largest of them.
const UNBALANCED: f64 = 0.5;
/// P_0/ρ_0 of one air are equal to this share: numbers of data sheets have four digits.
const SAME_AIR: f64 = 1e-4;
/// Larger models are not linearised: the eigenvalues would take longer than the run.
const MOST_STATES: usize = 300;

/// Remarks on a model at its start, which runs for `length` seconds.
pub(crate) fn advise(
    network: &Network,
    machine: &mut Machine,
    t: f64,
    y: &[f64],
    length: f64,
) -> Vec<CausalityFinding> {
    let mut remarks = mixed_air(network, machine);
    remarks.extend(stiff(network, machine, t, y, length));
    remarks.extend(unbalanced(network, machine, t, y));
    remarks
}

fn stiff(
    network: &Network,
    machine: &mut Machine,
    t: f64,
    y: &[f64],
    length: f64,
) -> Option<CausalityFinding> {
    let prepared = machine.prepared()?.clone();
    let n = prepared.system.n_states;
    if n == 0 || n > MOST_STATES {
        return None;
    }
    let (linear, states) = linearise(machine, t, y, &[], &[]).ok()?;
    let found = modes(&linear).ok()?;
    let fastest = found.last()?;
    let rate = fastest.pole.re.hypot(fastest.pole.im);
    if rate * length < STIFF {
        return None;
    }
    let mut shares: Vec<(usize, f64)> = states.iter().copied().zip(fastest.shares.iter().copied()).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let name = |i: usize| prepared.layout.names[i].clone();
    let causes: Vec<String> =
        shares.iter().filter(|s| s.1 >= CAUSE).map(|s| format!("`{}`", name(s.0))).collect();
    let state = prepared.system.unknowns[shares.first()?.0];
    let node = network.nodes.iter().position(|n| n.law.states.contains(&state));
    let hydraulic = |n: usize| {
        let mine = network.bonds.iter().filter(|b| b.from == n || b.to == n);
        mine.into_iter().any(|b| b.domain.is_some_and(|d| d.name == "hydraulic"))
    };
    let hint = match node {
        Some(n) if network.nodes[n].kind == BondNodeKind::C && hydraulic(n) => {
            "a small volume is a stiff spring: enlarge it, join it with its neighbour, or choose a rigid option"
        }
        _ => {
            "the default solver copes with it; if the detail does not matter, leave it out or make it softer"
        }
    };
    Some(CausalityFinding {
        code: "N0101",
        severity: Severity::Warning,
        message: format!(
            "the model is stiff: {} change within {} s, the run takes {length} s",
            causes.join(" and "),
            short(std::f64::consts::TAU / rate)
        ),
        hint: hint.into(),
        places: node.map(|n| (n, "the fastest store".into())).into_iter().collect(),
    })
}

/// Pumps from which no relief valve can be reached through oil. Nothing but the structure counts: the start may have no solution.
pub(crate) fn unrelieved(network: &Network) -> Vec<CausalityFinding> {
    let incident = network.incident();
    let pumps = network.nodes.iter().enumerate().filter(|(_, n)| n.component == "pump" && !n.connection);
    let sources = pumps.filter(|(_, n)| matches!(n.kind, BondNodeKind::Sf | BondNodeKind::Tf));
    let relieves = |n: usize| {
        let stopped = |&b: &usize| is_stopped(network, &incident, other_end(network, b, n));
        ["relief_valve", "R_relief"].contains(&network.nodes[n].component.as_str())
            && !is_stopped(network, &incident, n)
            && !incident[n].iter().any(stopped)
    };
    let alone =
        sources.filter(|(n, _)| !reach(network, &incident, *n, "hydraulic").into_iter().any(relieves));
    let finding = |n: usize| CausalityFinding {
        code: "N0102",
        severity: Severity::Warning,
        message: format!("nothing limits the pressure of `{}`", owner(network, n)),
        hint: "connect a relief_valve from its outlet to a reservoir".into(),
        places: vec![(n, "a pump delivers against any pressure".into())],
    };
    alone.map(|(n, _)| finding(n)).collect()
}

/// Components that exchange air but say different P_0/ρ_0 of it: mass that leaves the one is not the volume that arrives in the other.
fn mixed_air(network: &Network, machine: &Machine) -> Vec<CausalityFinding> {
    let Some(prepared) = machine.prepared() else { return vec![] };
    let system = &prepared.system;
    let start = system.start(&HashMap::new());
    let value = |path: &str, name: &str| system.find(&format!("{path}.{name}")).map(|s| start.value(s));
    let ratio = |n: usize| {
        let path = &network.nodes[n].origin.component;
        Some(value(path, "P_0")? / value(path, "rho_0")?)
    };
    let incident = network.incident();
    let airy = |b: &usize| network.bonds[*b].domain.is_some_and(|d| d.name == "pneumatic");
    let mut met = HashSet::new();
    let mut findings = vec![];
    for n in 0..network.nodes.len() {
        let Some(mine) = ratio(n).filter(|_| !met.contains(&n) && incident[n].iter().any(airy)) else {
            continue;
        };
        let mut air: Vec<usize> = reach(network, &incident, n, "pneumatic").into_iter().collect();
        air.sort_unstable();
        let other = |&&m: &&usize| ratio(m).is_some_and(|r| (r - mine).abs() > SAME_AIR * mine.abs());
        if let Some(&m) = air.iter().find(other) {
            let (a, b) = (owner(network, n), owner(network, m));
            let [p, q] = [mine, ratio(m).unwrap_or(mine)].map(short);
            findings.push(CausalityFinding {
                code: "N0104",
                severity: Severity::Warning,
                message: format!("`{a}` and `{b}` exchange air, but P_0/rho_0 is {p} J/kg in the one and {q} J/kg in the other"),
                hint: "give P_0 and rho_0 once, in [common.pneumatic]".into(),
                places: vec![(n, format!("{p} J/kg")), (m, format!("{q} J/kg"))],
            });
        }
        met.extend(air);
    }
    findings
}

/// All nodes that oil, or air, can flow to.
fn reach(network: &Network, incident: &[Vec<usize>], from: usize, domain: &str) -> HashSet<usize> {
    let (mut met, mut open) = (HashSet::from([from]), vec![from]);
    while let Some(n) = open.pop() {
        for &b in &incident[n] {
            let bond = &network.bonds[b];
            if bond.domain.is_none_or(|d| d.name != domain) {
                continue;
            }
            let other = other_end(network, b, n);
            let passes = !matches!(network.nodes[other].kind, BondNodeKind::Tf | BondNodeKind::Gy)
                && !is_stopped(network, incident, other);
            if met.insert(other) && passes {
                open.push(other);
            }
        }
    }
    met
}

fn other_end(network: &Network, bond: usize, n: usize) -> usize {
    let bond = &network.bonds[bond];
    if bond.from == n { bond.to } else { bond.from }
}

/// A common flow that is zero for ever, because it ends at a port to which nothing is connected.
fn is_stopped(network: &Network, incident: &[Vec<usize>], n: usize) -> bool {
    let open_port = |&b: &usize| {
        let end = &network.nodes[other_end(network, b, n)];
        end.kind == BondNodeKind::Sf && end.connection
    };
    network.nodes[n].kind == BondNodeKind::One && incident[n].iter().any(open_port)
}

fn owner(network: &Network, n: usize) -> &str {
    let node = &network.nodes[n];
    if node.origin.component.is_empty() { &node.name } else { &node.origin.component }
}

/// The inertia that the start accelerates most, held against the forces at it.
fn unbalanced(network: &Network, machine: &mut Machine, t: f64, y: &[f64]) -> Option<CausalityFinding> {
    let prepared = machine.prepared()?.clone();
    let mut row = vec![0.0; prepared.columns.len()];
    machine.record(t, y, &mut row).ok()?;
    let value = |name: &str| prepared.column(name).map(|c| row[c]);
    let effort = |n: usize| value(&format!("{}.e", network.nodes[n].name));
    let incident = network.incident();
    let mut worst: Option<(usize, f64, f64)> = None;
    for n in (0..network.nodes.len()).filter(|&n| network.nodes[n].kind == BondNodeKind::I) {
        let mechanical = |b: &usize| {
            network.bonds[*b].domain.is_some_and(|d| ["translational", "rotational"].contains(&d.name))
        };
        let Some(net) = effort(n).filter(|_| incident[n].iter().all(mechanical)) else { continue };
        let around = neighbours(network, &incident, n)
            .into_iter()
            .filter_map(effort)
            .fold(0.0, |m: f64, e| m.max(e.abs()));
        if net.abs() > UNBALANCED * around.max(1.0) && worst.is_none_or(|(_, w, _)| net.abs() > w.abs()) {
            worst = Some((n, net, around));
        }
    }
    let (n, net, _) = worst?;
    let unit = prepared
        .column(&format!("{}.e", network.nodes[n].name))
        .map(|c| prepared.columns[c].unit.text.clone());
    Some(CausalityFinding {
        code: "N0103",
        severity: Severity::Note,
        message: format!(
            "the run starts far from balance: {} {} push `{}`",
            short(net),
            unit.unwrap_or_default(),
            owner(network, n)
        ),
        hint: "if it is meant to start at rest, give it the values of its equilibrium".into(),
        places: vec![(n, "accelerated from the first instant".into())],
    })
}

/// Four digits.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if (1e-3..1e6).contains(&rounded.abs()) { rounded.to_string() } else { format!("{rounded:e}") }
}

/// Elements around the junctions that a node can reach through junctions alone.
fn neighbours(network: &Network, incident: &[Vec<usize>], from: usize) -> Vec<usize> {
    let (mut met, mut open, mut found) = (HashSet::from([from]), vec![from], vec![]);
    while let Some(n) = open.pop() {
        for &b in &incident[n] {
            let bond = &network.bonds[b];
            let other = if bond.from == n { bond.to } else { bond.from };
            if !met.insert(other) {
                continue;
            }
            match network.nodes[other].kind {
                BondNodeKind::Zero | BondNodeKind::One => open.push(other),
                _ => found.push(other),
            }
        }
    }
    found
}
