//! Kinds of elements of Gmsh, and the order of their nodes.
//!
//! Corners are in the same order here as there. Middles of edges are not: of each kind the edges are listed as Gmsh has them, and looked for in the
//! order of `FeMesh`.

use trunnion_model::mechanism::MeshElementKind;

pub(super) struct GmshKind {
    pub number: i64,
    pub name: &'static str,
    pub dimension: usize,
    pub nodes: usize,
    pub corners: usize,
    /// None: only tells which nodes belong to a group.
    pub kind: Option<MeshElementKind>,
    /// Place in the list of Gmsh of each node as they are ordered here; empty: the same order.
    pub order: &'static [usize],
}

const fn plain(
    number: i64,
    name: &'static str,
    dimension: usize,
    nodes: usize,
    corners: usize,
    kind: Option<MeshElementKind>,
) -> GmshKind {
    GmshKind { number, name, dimension, nodes, corners, kind, order: &[] }
}

/// Gmsh: edges 1-2, 2-3, 3-1, 1-4, 3-4, 2-4. Here: … 1-4, 2-4, 3-4.
const TETRA10: [usize; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 9, 8];
/// Gmsh: edges 1-2, 1-4, 1-5, 2-3, 2-6, 3-4, 3-7, 4-8, 5-6, 5-8, 6-7, 7-8. Here: 1-2, 2-3, 3-4, 4-1; 1-5, 2-6, 3-7, 4-8; 5-6, 6-7, 7-8, 8-5.
const HEXA20: [usize; 20] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 10, 12, 14, 15, 16, 18, 19, 17];
/// Gmsh: edges 1-2, 1-3, 1-4, 2-3, 2-5, 3-6, 4-5, 4-6, 5-6. Here: 1-2, 2-3, 3-1; 1-4, 2-5, 3-6; 4-5, 5-6, 6-4.
const WEDGE15: [usize; 15] = [0, 1, 2, 3, 4, 5, 6, 9, 7, 8, 10, 11, 12, 14, 13];

const KINDS: [GmshKind; 19] = [
    plain(1, "line", 1, 2, 2, Some(MeshElementKind::Beam)),
    plain(2, "triangle", 2, 3, 3, Some(MeshElementKind::Triangle3)),
    plain(3, "quadrangle", 2, 4, 4, Some(MeshElementKind::Quad4)),
    plain(4, "tetrahedron", 3, 4, 4, Some(MeshElementKind::Tetra4)),
    plain(5, "hexahedron", 3, 8, 8, Some(MeshElementKind::Hexa8)),
    plain(6, "prism", 3, 6, 6, Some(MeshElementKind::Wedge6)),
    plain(7, "pyramid", 3, 5, 5, None),
    plain(8, "line of 3 nodes", 1, 3, 2, None),
    plain(9, "triangle of 6 nodes", 2, 6, 3, None),
    plain(10, "quadrangle of 9 nodes", 2, 9, 4, None),
    GmshKind {
        order: &TETRA10,
        ..plain(11, "tetrahedron of 10 nodes", 3, 10, 4, Some(MeshElementKind::Tetra10))
    },
    plain(12, "hexahedron of 27 nodes", 3, 27, 8, None),
    plain(13, "prism of 18 nodes", 3, 18, 6, None),
    plain(14, "pyramid of 14 nodes", 3, 14, 5, None),
    plain(15, "point", 0, 1, 1, None),
    plain(16, "quadrangle of 8 nodes", 2, 8, 4, None),
    GmshKind {
        order: &HEXA20,
        ..plain(17, "hexahedron of 20 nodes", 3, 20, 8, Some(MeshElementKind::Hexa20))
    },
    GmshKind { order: &WEDGE15, ..plain(18, "prism of 15 nodes", 3, 15, 6, Some(MeshElementKind::Wedge15)) },
    plain(19, "pyramid of 13 nodes", 3, 13, 5, None),
];

impl GmshKind {
    pub fn of(number: i64) -> Option<&'static GmshKind> {
        KINDS.iter().find(|k| k.number == number)
    }

    /// Nodes in the order of `FeMesh`.
    pub fn ordered(&self, nodes: &[usize]) -> Vec<usize> {
        if self.order.is_empty() { nodes.to_vec() } else { self.order.iter().map(|&k| nodes[k]).collect() }
    }

    /// What may be done about a kind that carries no load here.
    pub fn hint(&self) -> &'static str {
        match self.number {
            7 | 14 | 19 => {
                "there are no pyramids here: mesh with tetrahedra, or with prisms and hexahedra of matching faces"
            }
            12 | 13 => "elements without nodes in their faces and middle: Mesh.SecondOrderIncomplete = 1",
            _ => "lines and shells are of first order here: Mesh.ElementOrder = 1",
        }
    }
}
