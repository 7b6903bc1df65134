//! What is seen of finite elements: shells, and faces of solids that belong to one element only.

use std::collections::HashMap;

use super::Triangle;
use super::fe_mesh::{FeMesh, MeshElementKind};

/// Corners around each face, seen from outside.
const TETRA: [&[usize]; 4] = [&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[2, 0, 3]];
const WEDGE: [&[usize]; 5] = [&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
const HEXA: [&[usize]; 6] =
    [&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];

fn faces(kind: MeshElementKind) -> &'static [&'static [usize]] {
    use MeshElementKind::*;
    match kind {
        Tetra4 | Tetra10 => &TETRA,
        Wedge6 | Wedge15 => &WEDGE,
        Hexa8 | Hexa20 => &HEXA,
        Triangle3 => &[&[0, 1, 2]],
        Quad4 => &[&[0, 1, 2, 3]],
        Rod | Beam | Spring | Bushing | GroundedBushing => &[],
    }
}

/// Triangles of the outside.
pub(super) fn surface(mesh: &FeMesh) -> Vec<Triangle> {
    let of_element = |e: &super::fe_mesh::MeshElement| {
        let nodes = e.nodes.clone();
        faces(e.kind).iter().map(move |face| face.iter().map(|&k| nodes[k]).collect::<Vec<usize>>())
    };
    let solid = |e: &&super::fe_mesh::MeshElement| e.kind.dimension() == 3;
    let sorted = |face: &[usize]| {
        let mut key = face.to_vec();
        key.sort_unstable();
        key
    };
    let mut shared: HashMap<Vec<usize>, u32> = HashMap::new();
    for face in mesh.elements.iter().filter(solid).flat_map(of_element) {
        *shared.entry(sorted(&face)).or_default() += 1;
    }
    let mut triangles = vec![];
    for face in mesh.elements.iter().flat_map(of_element) {
        if shared.get(&sorted(&face)).is_none_or(|count| *count == 1) {
            let at = |k: usize| mesh.nodes[face[k]].at;
            triangles.extend((2..face.len()).map(|k| [at(0), at(k - 1), at(k)]));
        }
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::super::solid;
    use super::*;
    use crate::mechanism::fe_mesh::{MeshElement, MeshNode, MeshPlace};

    /// The outside of two bricks encloses the volume of both, and is closed.
    #[test]
    fn the_outside_of_bricks_is_closed() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let places = (0..3).flat_map(|i| square.map(|[y, z]| [2.0 * f64::from(i), y, z]));
        let nodes = places.enumerate().map(|(k, at)| MeshNode { number: k as u32 + 1, at }).collect();
        let brick = |k: usize| MeshElement {
            number: k as u32 + 1,
            kind: MeshElementKind::Hexa8,
            nodes: (4 * k..4 * k + 8).collect(),
            property: None,
            placement: None,
            place: MeshPlace::default(),
        };
        let mesh = FeMesh { nodes, elements: vec![brick(0), brick(1)], ..FeMesh::default() };
        let triangles = surface(&mesh);
        assert_eq!(triangles.len(), 20);
        let found = solid(&triangles).unwrap();
        assert!((found.volume - 4.0).abs() < 1e-12 && (found.center[0] - 2.0).abs() < 1e-12);
    }
}
