//! One part in every format, and the order of nodes.

use trunnion_model::mechanism::{FeMesh, MeshElementKind};

use super::writers::*;
use super::{bulk_of, gmsh_of, good, placeless};

#[test]
fn a_bar_is_the_same_in_every_format() {
    let bar = Bar { bricks: 3 };
    let small = placeless(good(bulk_of(&bar.bulk_small())));
    assert_eq!(small.elements.len(), 3);
    assert_eq!((small.nodes[5].number, small.nodes[5].at), (25, [1.5, 1.0, 0.0]));
    assert_eq!(small.materials[0].youngs_modulus, 2.1e5);
    assert_eq!(small, placeless(good(bulk_of(&bar.bulk_large()))));
    assert_eq!(small, placeless(good(bulk_of(&bar.bulk_free()))));
    let (old, new) = (placeless(good(gmsh_of(&bar.gmsh_22()))), placeless(good(gmsh_of(&bar.gmsh_41()))));
    assert_eq!(old, new);
    assert_eq!(old.nodes, small.nodes);
    let bricks = |mesh: &FeMesh| -> Vec<(MeshElementKind, Vec<usize>)> {
        mesh.elements.iter().filter(|e| e.kind.dimension() == 3).map(|e| (e.kind, e.nodes.clone())).collect()
    };
    assert_eq!(bricks(&old), bricks(&small));
}

/// Shares of the nodes of a face are its area.
#[test]
fn groups_have_their_nodes_and_area() {
    let mesh = good(gmsh_of(&Bar { bricks: 2 }.gmsh_41()));
    let root = mesh.groups.iter().find(|g| g.name == "root face").unwrap();
    let nodes: Vec<usize> = root.nodes.iter().map(|n| n.0).collect();
    assert_eq!((root.dimension, nodes), (2, vec![0, 1, 2, 3]));
    assert!((root.nodes.iter().map(|n| n.1).sum::<f64>() - 1.0).abs() < 1e-15);
    let all = mesh.groups.iter().find(|g| g.name == "all").unwrap();
    assert_eq!((all.dimension, all.elements.len(), all.nodes.len()), (3, 2, 12));
}

/// Listed once for each of its groups in format 2.2, an element is still one.
#[test]
fn an_element_of_two_groups_is_one() {
    let twice = Bar { bricks: 1 }
        .gmsh_22()
        .replace("$Elements\n2\n", "$Elements\n3\n9 5 2 8 1 10 13 16 19 22 25 28 31\n");
    let mesh = good(gmsh_of(&twice));
    assert_eq!(mesh.elements.iter().filter(|e| e.kind == MeshElementKind::Hexa8).count(), 1);
    let of = |name: &str| &mesh.groups.iter().find(|g| g.name == name).unwrap().elements;
    assert_eq!(of("8"), of("all"));
}

/// Corners of one element, and the middles of its edges in some order.
fn quadratic(corners: &[[f64; 3]], edges: &[(usize, usize)]) -> Vec<[f64; 3]> {
    let middle = |&(a, b): &(usize, usize)| [0, 1, 2].map(|k| 0.5 * (corners[a][k] + corners[b][k]));
    corners.iter().copied().chain(edges.iter().map(middle)).collect()
}

#[test]
fn quadratic_elements_are_in_the_order_of_nastran() {
    let cube = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
    ];
    let wedge = [cube[0], cube[1], cube[3], cube[4], cube[5], cube[7]];
    let tetra = [cube[0], cube[1], cube[3], cube[4]];
    check(&cube, 17, "CHEXA", &GMSH_HEXA, &BULK_HEXA);
    check(&wedge, 18, "CPENTA", &GMSH_WEDGE, &BULK_WEDGE);
    check(&tetra, 11, "CTETRA", &GMSH_TETRA, &BULK_TETRA);
}

fn check(corners: &[[f64; 3]], kind: usize, card: &str, theirs: &[(usize, usize)], ours: &[(usize, usize)]) {
    let expected = quadratic(corners, ours);
    let nodes = quadratic(corners, theirs);
    let mut text = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", nodes.len());
    let mut list = String::new();
    for (k, [x, y, z]) in nodes.iter().enumerate() {
        text += &format!("{} {x} {y} {z}\n", k + 1);
        list += &format!(" {}", k + 1);
    }
    text += &format!("$EndNodes\n$Elements\n1\n1 {kind} 2 0 1{list}\n$EndElements\n");
    let found = |mesh: &FeMesh| -> Vec<[f64; 3]> {
        mesh.elements[0].nodes.iter().map(|&n| mesh.nodes[n].at).collect()
    };
    assert_eq!(found(&good(gmsh_of(&text))), expected, "{card}");

    let mut bulk = String::from("MAT1,1,1.,,.3\nPSOLID,1,1\n");
    let mut fields = vec![card.to_string(), "7".into(), "1".into()];
    for (k, [x, y, z]) in expected.iter().enumerate() {
        bulk += &format!("GRID,{},,{x},{y},{z}\n", k + 1);
        fields.push((k + 1).to_string());
    }
    let (first, rest) = fields.split_at(9);
    bulk += &first.join(",");
    rest.chunks(8).for_each(|line| bulk += &format!("\n,{}", line.join(",")));
    assert_eq!(found(&good(bulk_of(&bulk))), expected, "{card}");
}
