//! Shapes as corners and faces, counter-clockwise seen from outside, with the edges between them.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use super::SceneGeometry;
use trunnion_num::space::{Point, cross, dot, minus, plus, unit};

/// Sides of balls and round ends: their outline stays within 0.5 % of the radius.
const ROUND: usize = 32;
/// Sides of cylinders, which are few faces anyway.
const SIDES: usize = 48;
/// Faces that meet at more than this angle have an edge: cos 35°.
const SHARP: f64 = 0.82;

#[derive(Clone, Debug, Default)]
pub struct SolidMesh {
    pub corners: Vec<Point>,
    pub faces: Vec<Vec<usize>>,
    /// Of length 1; 0 for a face without area.
    pub normals: Vec<Point>,
    /// For every face and edge: the face beyond.
    pub beyond: Vec<Vec<Option<usize>>>,
    /// Every edge belongs to two faces: only those seen from outside are ever seen.
    pub closed: bool,
}

impl SolidMesh {
    /// Rods have this radius.
    pub fn of(form: &SceneGeometry, radius: f64) -> SolidMesh {
        let (corners, faces) = match form {
            SceneGeometry::Box(size) => cuboid(*size),
            SceneGeometry::Cylinder { radius, length } => cylinder(*radius, *length),
            SceneGeometry::Sphere(radius) => lathe(&arc(*radius, 0.0, PI, ROUND / 2)),
            SceneGeometry::Rod(length) => capsule(radius, *length),
            SceneGeometry::Mesh(triangles) => welded(triangles),
        };
        Self::new(corners, faces)
    }

    pub(super) fn new(corners: Vec<Point>, mut faces: Vec<Vec<usize>>) -> SolidMesh {
        // Corners that coincide, as at a pole, count once; what is left of a face may be nothing.
        faces.iter_mut().for_each(|face| {
            face.dedup();
            while face.len() > 1 && face.first() == face.last() {
                face.pop();
            }
        });
        faces.retain(|face| face.len() > 2);
        let normals = faces.iter().map(|face| normal(&corners, face)).collect();
        let mut owner: HashMap<(usize, usize), usize> = HashMap::new();
        let mut twice = false;
        for (k, face) in faces.iter().enumerate() {
            for edge in edges(face) {
                twice |= owner.insert(edge, k).is_some();
            }
        }
        let other = |(a, b): (usize, usize)| owner.get(&(b, a)).copied();
        let beyond: Vec<Vec<_>> = faces.iter().map(|face| edges(face).map(other).collect()).collect();
        let closed = !twice && beyond.iter().flatten().all(Option::is_some);
        SolidMesh { corners, faces, normals, beyond, closed }
    }

    /// Whether the edge after the i-th corner of a face is one, rather than a crease of something round.
    pub fn sharp(&self, face: usize, i: usize) -> bool {
        self.beyond[face][i].is_none_or(|other| dot(self.normals[face], self.normals[other]) < SHARP)
    }

    /// Normals at the corners of a face: the mean of the faces around that meet it smoothly.
    pub(crate) fn smooth_normals(&self) -> Vec<Vec<Point>> {
        let mut around: Vec<Vec<usize>> = vec![vec![]; self.corners.len()];
        for (k, face) in self.faces.iter().enumerate() {
            face.iter().for_each(|&corner| around[corner].push(k));
        }
        let at = |face: usize, corner: usize| {
            let own = self.normals[face];
            let smooth = around[corner].iter().map(|&k| self.normals[k]).filter(|n| dot(own, *n) > SHARP);
            unit(smooth.fold([0.0; 3], plus)).unwrap_or([0.0, 0.0, 1.0])
        };
        (0..self.faces.len()).map(|k| self.faces[k].iter().map(|&c| at(k, c)).collect()).collect()
    }
}

fn edges(face: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..face.len()).map(|i| (face[i], face[(i + 1) % face.len()]))
}

/// Half the sum of the cross products: right for faces that are not quite plane.
fn normal(corners: &[Point], face: &[usize]) -> Point {
    let origin = corners[face[0]];
    let area = edges(face).map(|(a, b)| cross(minus(corners[a], origin), minus(corners[b], origin)));
    unit(area.fold([0.0; 3], plus)).unwrap_or_default()
}

type SolidShell = (Vec<Point>, Vec<Vec<usize>>);

fn cuboid(size: Point) -> SolidShell {
    let corner = |k: usize| [0, 1, 2].map(|i| if k >> i & 1 == 1 { 0.5 * size[i] } else { -0.5 * size[i] });
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    ((0..8).map(corner).collect(), faces.map(|f| f.to_vec()).to_vec())
}

fn cylinder(radius: f64, length: f64) -> SolidShell {
    let rim = |z: f64| {
        let angle = |k: usize| TAU * k as f64 / SIDES as f64;
        (0..SIDES).map(move |k| [radius * angle(k).cos(), radius * angle(k).sin(), z])
    };
    let corners = rim(-0.5 * length).chain(rim(0.5 * length)).collect();
    let side = |k: usize| {
        let next = (k + 1) % SIDES;
        vec![k, next, SIDES + next, SIDES + k]
    };
    let caps = [(0..SIDES).rev().collect(), (SIDES..2 * SIDES).collect()];
    (corners, (0..SIDES).map(side).chain(caps).collect())
}

/// (radius, height) along an arc about (0, 0), from the top (0) to the bottom (π).
fn arc(radius: f64, from: f64, to: f64, steps: usize) -> Vec<(f64, f64)> {
    let angle = |k: usize| from + (to - from) * k as f64 / steps as f64;
    (0..=steps).map(|k| (radius * angle(k).sin(), radius * angle(k).cos())).collect()
}

/// An outline (radius, height) from the top, turned about z. It begins and ends on the axis, where corners are one.
fn lathe(outline: &[(f64, f64)]) -> SolidShell {
    let last = outline.len() - 1;
    let corner = |row: usize, k: usize| {
        let (r, z) = outline[row];
        let angle = TAU * k as f64 / ROUND as f64;
        [r * angle.cos(), r * angle.sin(), z]
    };
    let mut corners = vec![[0.0, 0.0, outline[0].1]];
    corners
        .extend((1..last).flat_map(|row| (0..ROUND).map(move |k| (row, k))).map(|(row, k)| corner(row, k)));
    corners.push([0.0, 0.0, outline[last].1]);
    let place = |row: usize, k: usize| match row {
        0 => 0,
        row if row == last => corners.len() - 1,
        row => 1 + (row - 1) * ROUND + k % ROUND,
    };
    let face = |row: usize, k: usize| {
        vec![place(row, k), place(row + 1, k), place(row + 1, k + 1), place(row, k + 1)]
    };
    let faces = (0..last).flat_map(|row| (0..ROUND).map(move |k| face(row, k))).collect();
    (corners, faces)
}

/// From the origin along x, with round ends.
fn capsule(radius: f64, length: f64) -> SolidShell {
    let moved = |list: Vec<(f64, f64)>, by: f64| list.into_iter().map(move |(r, z)| (r, z + by));
    let top = arc(radius, 0.0, 0.5 * PI, ROUND / 4);
    let bottom = arc(radius, 0.5 * PI, PI, ROUND / 4);
    let outline: Vec<(f64, f64)> = moved(top, length).chain(moved(bottom, 0.0)).collect();
    let (corners, faces) = lathe(&outline);
    // z becomes x, and so on in turn.
    (corners.into_iter().map(|[x, y, z]| [z, x, y]).collect(), faces)
}

/// Triangles with corners in common.
fn welded(triangles: &[[Point; 3]]) -> SolidShell {
    let mut corners = vec![];
    let mut place: HashMap<[u64; 3], usize> = HashMap::new();
    let mut of = |p: Point| {
        // −0 and 0 are one place.
        *place.entry(p.map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
            corners.push(p);
            corners.len() - 1
        })
    };
    let faces = triangles.iter().map(|t| t.iter().map(|&p| of(p)).collect()).collect();
    (corners, faces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(solid: &SolidMesh) -> f64 {
        let cone = |face: &Vec<usize>| {
            let [a, rest @ ..] = &face[..] else { return 0.0 };
            let corner = |k: usize| solid.corners[k];
            rest.windows(2).map(|p| dot(corner(*a), cross(corner(p[0]), corner(p[1]))) / 6.0).sum()
        };
        solid.faces.iter().map(cone).sum()
    }

    #[test]
    fn shapes_are_closed_and_as_large_as_they_should_be() {
        // A circle of n sides has n/(2π) sin(2π/n) of its area.
        let n = SIDES as f64;
        let share = n / TAU * (TAU / n).sin();
        for (form, expected, tolerance) in [
            (SceneGeometry::Box([1.0, 2.0, 3.0]), 6.0, 1e-12),
            (SceneGeometry::Cylinder { radius: 2.0, length: 0.5 }, 2.0 * PI * share, 1e-12),
            (SceneGeometry::Sphere(1.5), 4.0 / 3.0 * PI * 1.5_f64.powi(3), 0.02),
            (SceneGeometry::Rod(3.0), PI * 0.25 * 3.0 + 4.0 / 3.0 * PI * 0.125, 0.02),
        ] {
            let solid = SolidMesh::of(&form, 0.5);
            assert!(solid.closed, "{form:?}");
            let volume = volume(&solid);
            assert!((volume / expected - 1.0).abs() <= tolerance, "{form:?}: {volume} is not {expected}");
        }
    }

    #[test]
    fn edges_are_where_faces_meet_sharply() {
        let count = |form: SceneGeometry| {
            let solid = SolidMesh::of(&form, 0.1);
            let all = (0..solid.faces.len()).flat_map(|k| (0..solid.faces[k].len()).map(move |i| (k, i)));
            all.filter(|&(k, i)| solid.sharp(k, i)).count()
        };
        assert_eq!(count(SceneGeometry::Box([1.0; 3])), 24);
        assert_eq!(count(SceneGeometry::Cylinder { radius: 1.0, length: 1.0 }), 4 * SIDES);
        assert_eq!(count(SceneGeometry::Sphere(1.0)), 0);
        let open = vec![[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]];
        assert!(!SolidMesh::of(&SceneGeometry::Mesh(std::sync::Arc::new(open)), 0.1).closed);
    }
}
