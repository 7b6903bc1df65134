use trunnion_model::network::{Bond, BondNodeKind, Network};

use super::*;
use crate::build::{RandomGraphNoise, at, laws, network_of, random_tree, rules_hold};

fn integral(network: &Network, causality: &Causality) -> usize {
    let stores = network.nodes.iter().filter(|n| matches!(n.kind, BondNodeKind::C | BondNodeKind::I)).count();
    stores - causality.derivative.len()
}

fn names(network: &Network, nodes: &[usize]) -> Vec<String> {
    nodes.iter().map(|&n| network.nodes[n].name.clone()).collect()
}

/// A network that obeys all rules, with so many states and nothing found but these.
fn check(domain: &str, chains: &[&str], states: usize, derivative: &[&str], loops: &[&[&str]]) {
    let network = network_of(domain, chains);
    let found = assign(&network);
    assert_eq!(rules_hold(&network, &found.from_gives_effort), Ok(()), "{chains:?}");
    assert_eq!(integral(&network, &found), states, "{chains:?}");
    assert_eq!(names(&network, &found.derivative.iter().map(|d| d.node).collect::<Vec<_>>()), derivative);
    let losses = |l: &Loop| {
        let all: Vec<usize> =
            l.nodes.iter().copied().filter(|&n| network.nodes[n].kind == BondNodeKind::R).collect();
        names(&network, &all)
    };
    assert_eq!(found.loops.iter().map(losses).collect::<Vec<_>>(), loops, "{chains:?}");
    assert!(found.loops.iter().all(|l| !l.chosen.is_empty()));
    assert!(found.conflicts.is_empty() && found.unmet.is_empty() && found.reversed.is_empty());
}

/// A joint gives the speed: inertias on it follow, springs and losses work against it, and only a source is stronger.
#[test]
fn a_mechanism_answers_effort_with_flow() {
    let drive = ["SE.motor -> 1.shaft -> MB.joint", "1.shaft -> R.drag"];
    check("rotational", &drive, 0, &[], &[]);
    check("rotational", &[&drive[..], &["1.shaft -> I.rotor"]].concat(), 0, &["rotor"], &[]);
    check("rotational", &[&drive[..], &["1.shaft -> C.spring"]].concat(), 1, &[], &[]);
    for (chains, gives) in
        [(vec!["MB.joint -> 1.shaft", "SF.speed -> 1.shaft"], true), (drive.to_vec(), false)]
    {
        let network = network_of("rotational", &chains);
        let (found, joint) = (assign(&network), at(&network, "joint"));
        let bond = network.bonds.iter().position(|b| b.from == joint || b.to == joint).unwrap();
        assert_eq!(found.gives_effort(&network, bond, joint), gives, "{chains:?}");
        assert!(found.conflicts.is_empty());
    }
}

#[test]
fn textbook_graphs() {
    // Series and parallel RLC.
    check("electric", &["SE.u -> 1.j -> R.r", "1.j -> I.l", "1.j -> C.c"], 2, &[], &[]);
    check("electric", &["SF.i -> 0.j -> R.r", "0.j -> I.l", "0.j -> C.c"], 2, &[], &[]);
    // Mass, spring, damper on a road that moves.
    let suspension =
        ["SF.road -> 0.strut", "0.strut -> 1.body", "0.strut -> 1.sd", "1.sd -> C.k", "1.sd -> R.b"];
    check(
        "translational",
        &[&suspension[..], &["1.body -> I.m", "SE.weight -> 1.body"]].concat(),
        2,
        &[],
        &[],
    );
    // Motor: electric and mechanical side are joined by a gyrator.
    check(
        "",
        &["SE.u -> 1.i -> GY.k -> 1.w", "1.i -> I.l", "1.i -> R.r", "1.w -> I.rotor", "1.w -> R.drag"],
        2,
        &[],
        &[],
    );
    // A voltage divider between a source and nothing.
    check("electric", &["SE.u -> 1.i", "1.i -> R.r1", "1.i -> R.r2"], 0, &[], &[&["r1", "r2"]]);
    // A bridge without stores.
    let bridge =
        ["SF.i -> 0.top", "0.top -> 1.l -> 0.a", "0.top -> 1.r -> 0.b", "1.l -> R.r1", "1.r -> R.r2"];
    let lower = ["0.a -> 1.la -> SE.zero1", "0.b -> 1.lb -> SE.zero2", "1.la -> R.r3", "1.lb -> R.r4"];
    let across = ["0.a -> 1.d -> 0.b", "1.d -> R.r5"];
    check("electric", &[&bridge[..], &lower, &across].concat(), 0, &[], &[&["r1", "r2", "r3", "r4", "r5"]]);
    // A pump fills an accumulator through an orifice, relief to tank.
    check(
        "hydraulic",
        &[
            "SF.pump -> 0.line",
            "0.line -> C.oil",
            "0.line -> 1.q -> 0.gas",
            "1.q -> R.loss",
            "0.gas -> C.gas",
        ],
        2,
        &[],
        &[],
    );
}

#[test]
fn stores_that_follow_others() {
    let gear =
        ["SE.motor -> 1.shaft", "1.shaft -> I.rotor", "1.shaft -> TF.gear -> 1.load", "1.load -> I.drum"];
    check("rotational", &gear, 1, &["drum"], &[]);
    check("hydraulic", &["0.line -> C.gas1", "0.line -> C.gas2", "SF.pump -> 0.line"], 1, &["gas2"], &[]);
    check("electric", &["SE.u -> 0.n -> C.c"], 0, &["c"], &[]);
    check("electric", &["SE.u -> 1.i", "1.i -> C.a", "1.i -> C.b"], 1, &["b"], &[]);
}

#[test]
fn chains_name_the_elements_that_decided() {
    let gear =
        ["SE.motor -> 1.shaft", "1.shaft -> I.rotor", "1.shaft -> TF.gear -> 1.load", "1.load -> I.drum"];
    let network = network_of("rotational", &gear);
    let found = assign(&network);
    let chains = found.chains(&network, found.derivative[0].bond);
    assert_eq!(chains.len(), 1);
    assert_eq!(names(&network, &chains[0]), ["rotor", "shaft", "gear", "load", "drum"]);

    let network = network_of("electric", &["SE.u -> 1.i", "1.i -> C.a", "1.i -> C.b"]);
    let found = assign(&network);
    let roots: Vec<usize> = found.chains(&network, found.derivative[0].bond).iter().map(|c| c[0]).collect();
    assert_eq!(names(&network, &roots), ["u", "a"]);
}

#[test]
fn a_field_counts_each_of_its_bonds() {
    let network = network_of("", &["SE.u -> 1.a -> I.pair", "SE.w -> 1.b -> I.pair"]);
    let found = assign(&network);
    assert!(found.derivative.is_empty());
    assert_eq!(rules_hold(&network, &found.from_gives_effort), Ok(()));
}

#[test]
fn a_loss_with_one_form_keeps_it_where_it_can() {
    let one_form = |chains: &[&str], effort: bool| {
        let mut network = network_of("hydraulic", chains);
        let law = &mut network.nodes.iter_mut().find(|n| n.kind == BondNodeKind::R).unwrap().law;
        if effort {
            law.flow.clear()
        } else {
            law.effort.clear()
        }
        let found = assign(&network);
        (names(&network, &found.reversed), found.derivative.len())
    };
    // Two losses in series: the one that gives flow decides for both.
    let series = ["SE.p -> 1.q", "1.q -> R.valve", "1.q -> R.loss"];
    assert_eq!(one_form(&series, false), (vec![], 0));
    assert_eq!(one_form(&series, true), (vec![], 0));
    // Inertia imposes the flow; the store keeps its state.
    let inert = ["SE.p -> 1.q", "1.q -> R.valve", "1.q -> I.line"];
    assert_eq!(one_form(&inert, false), (vec!["valve".to_string()], 0));
    assert_eq!(one_form(&inert, true), (vec![], 0));
}

fn conflict(domain: &str, chains: &[&str]) -> Vec<CausalityFinding> {
    let network = network_of(domain, chains);
    let found = assign(&network);
    assert!(!found.conflicts.is_empty());
    found.findings(&network, &laws().0)
}

#[test]
fn sources_against_sources() {
    let told = conflict("hydraulic", &["SF.pump.q -> 0.tee", "0.tee -> SF.pump2.q"]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].code, "N0001");
    assert_eq!(told[0].message, "both `pump` and `pump2` impose the volume flow of `tee`");
    assert!(told[0].hint.contains("pressure source"));
    assert_eq!(told[0].places[0].1, "imposes the volume flow: `pump.q` → `tee`");

    let told = conflict("electric", &["SE.u1.u -> 0.n", "SE.u2.u -> 0.n", "0.n -> R.load"]);
    assert_eq!(told[0].message, "both `u1` and `u2` impose the voltage of `n`");
    let told = conflict("translational", &["SF.wall.v -> 1.j", "SF.motor.v -> 1.j", "1.j -> I.m"]);
    assert_eq!(told[0].message, "both `wall` and `motor` impose the velocity of `j`");
    assert_eq!(told[0].hint, "put a spring or a damper between them");
    // Through transformers.
    let geared = ["SF.a.w -> 1.j -> TF.gear -> 1.k -> TF.gear2 -> 1.l", "SF.b.w -> 1.l", "1.l -> I.m"];
    let told = conflict("rotational", &geared);
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].message, "both `a` and `b` impose the angular velocity of `k`");
    assert!(told[0].places.iter().any(|p| p.1.ends_with("`a.w` → `j` → `gear` → `k`")));
    assert_eq!(told[1].code, "N0002");
    // Directly.
    let told = conflict("electric", &["SE.u1 -> SE.u2"]);
    assert_eq!(told[0].message, "both `u1` and `u2` impose the voltage");
    // One source, two ways.
    let twice = ["SE.u -> 0.n", "0.n -> TF.a -> 0.k", "0.n -> TF.b -> 0.k", "0.k -> C.c"];
    let told = conflict("electric", &twice);
    assert_eq!(told[0].message, "`u` imposes the voltage of `k` along two paths");
    // Three pumps and nowhere to go.
    let told = conflict("hydraulic", &["SF.p1 -> 0.tee", "SF.p2 -> 0.tee", "SF.p3 -> 0.tee"]);
    assert_eq!(told[0].message, "`p1`, `p2` and `p3` together impose the volume flow of `tee`");
    // A pump into a closed end.
    let told = conflict("hydraulic", &["SF.pump.q -> 1.line", "1.line -> 0.end"]);
    assert_eq!(told[0].message, "`pump` imposes the volume flow at `end`, which is open");
}

#[test]
fn stores_are_explained_in_their_domain() {
    let told = |domain: &str, chains: &[&str]| {
        let network = network_of(domain, chains);
        assign(&network)
            .findings(&network, &laws().0)
            .into_iter()
            .map(|f| (f.message, f.hint))
            .next()
            .unwrap()
    };
    let (message, hint) = told("hydraulic", &["0.line -> C.gas1.gas", "0.line -> C.gas2.gas"]);
    assert_eq!(message, "`gas2.gas` and `gas1.gas` share one pressure: only one of them is independent");
    assert_eq!(hint, "put a restrictor between them, or use one store of the joint volume");
    let (message, _) = told("translational", &["1.j -> I.body.inertia", "1.j -> I.load.inertia"]);
    assert_eq!(message, "`load.inertia` moves with `body.inertia`: the two act as one inertia");
    let (message, _) = told("translational", &["SF.road.v -> 1.j -> I.wheel.m"]);
    assert_eq!(message, "`wheel.m` moves as `road` imposes");
    let (message, _) = told("electric", &["SE.u -> 1.i", "1.i -> R.r1", "1.i -> R.r2"]);
    assert_eq!(message, "`r1` and `r2` determine each other at every instant: an algebraic loop");
    // Two capacitors side by side between a node and ground.
    let circuit = [
        "0.n -> 1.i1 -> 0.gnd",
        "0.n -> 1.i2 -> 0.gnd",
        "SE.ground -> 0.gnd",
        "1.i1 -> C.c1",
        "1.i2 -> C.c2",
    ];
    let (message, _) = told("electric", &[&circuit[..], &["0.n -> R.load"]].concat());
    assert_eq!(message, "`c2` and `c1` share one voltage: only one of them is independent");
    // A cylinder without oil between a line and a mass.
    let mut network = network_of(
        "hydraulic",
        &["SE.p -> 1.hose -> TF.lift.area", "1.hose -> I.hose.mass", "TF.lift.area -> 1.rod -> I.load.m"],
    );
    let mass = at(&network, "load.m");
    let rod = at(&network, "rod");
    for bond in &mut network.bonds {
        if bond.to == mass || bond.to == rod {
            bond.domain = trunnion_model::domain::domain("translational");
        }
    }
    let told = &assign(&network).findings(&network, &laws().0)[0];
    assert_eq!(told.message, "`load.m` moves with `hose.mass` through `lift`: the two act as one inertia");
    assert!(told.hint.contains("oil compliance at `lift`, or remove `hose.mass`"), "{}", told.hint);
}

#[test]
fn parallel_wires_are_told_and_not_fatal() {
    let network =
        network_of("electric", &["C.c -> 0.a", "0.a -> 1.x -> 0.b", "0.a -> 1.y -> 0.b", "0.b -> R.r"]);
    let found = assign(&network);
    assert!(found.conflicts.is_empty());
    assert_eq!(found.findings(&network, &laws().0).last().unwrap().code, "N0005");
}

#[test]
fn a_choice_that_contradicts_itself_is_taken_back() {
    // The ring of two transformers allows `c` only one causality, which no local rule tells.
    let ring = ["C.c -> 0.a", "0.a -> TF.s -> 0.b", "0.a -> TF.t -> 0.b", "0.b -> I.l"];
    let network = network_of("", &ring);
    let found = assign(&network);
    assert_eq!(found.unmet, vec![]);
    assert_eq!(rules_hold(&network, &found.from_gives_effort), Ok(()));
    assert_eq!(names(&network, &found.derivative.iter().map(|d| d.node).collect::<Vec<_>>()), ["c"]);
}

#[test]
fn every_tree_gets_a_causality_that_keeps_all_rules() {
    let mut noise = RandomGraphNoise(1);
    for round in 0..400 {
        let network = random_tree(&mut noise, 2 + round / 8);
        let found = assign(&network);
        assert_eq!(rules_hold(&network, &found.from_gives_effort), Ok(()), "round {round}");
        assert!(found.conflicts.is_empty() && found.unmet.is_empty(), "round {round}");
        assert_eq!(found, assign(&network), "round {round}");
        for d in &found.derivative {
            let chains = found.chains(&network, d.bond);
            assert!(!chains.is_empty());
            for chain in chains {
                assert_eq!(*chain.last().unwrap(), d.node);
                assert!(
                    chain.windows(2).all(|p| joined(&network, p[0], p[1])),
                    "{:?}",
                    names(&network, &chain)
                );
            }
        }
    }
}

fn joined(network: &Network, a: usize, b: usize) -> bool {
    network.bonds.iter().any(|x: &Bond| (x.from, x.to) == (a, b) || (x.from, x.to) == (b, a))
}

#[test]
fn nothing_is_too_odd() {
    for chains in
        [&[][..], &["0.a -> 0.a"], &["TF.t -> 0.a"], &["GY.g -> GY.g"], &["1.a -> 1.b"], &["EQ.x -> EQ.y"]]
    {
        let network = network_of("", chains);
        let found = assign(&network);
        found.findings(&network, &laws().0);
    }
}

#[test]
fn a_long_line_of_pipes_and_volumes() {
    let n = 20_000;
    let texts: Vec<String> = (0..n)
        .flat_map(|k| {
            [
                format!("0.v{k} -> 1.q{k} -> 0.v{}", k + 1),
                format!("1.q{k} -> I.m{k}"),
                format!("0.v{k} -> C.c{k}"),
            ]
        })
        .collect();
    let network = network_of("hydraulic", &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let found = assign(&network);
    // The last volume is an open end: nothing flows in the last pipe.
    assert_eq!(integral(&network, &found), 2 * n - 1);
    assert_eq!(names(&network, &[found.derivative[0].node]), [format!("m{}", n - 1)]);
}
