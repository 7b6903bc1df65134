//! What hides what: a tree of planes brings pieces into an order from far to near, cutting those that pierce each other.
//!
//! Many pieces are first halved by planes along the axes, which keeps the tree flat; few are ordered by their own planes. [Fuchs1980]

use crate::space::{Point, between, cross, dot, minus, plus, unit};

/// Something flat to be painted: a face, or a stroke (two points).
#[derive(Clone, Debug)]
pub struct Piece {
    /// Right, up, towards the viewer.
    pub points: Vec<Point>,
    /// Whether the edge after each point is drawn.
    pub edges: Vec<bool>,
    /// How it is painted: a number of the caller's.
    pub paint: usize,
}

impl Piece {
    /// The mean towards the viewer.
    fn depth(&self) -> f64 {
        self.points.iter().map(|p| p[2]).sum::<f64>() / self.points.len() as f64
    }
}

#[derive(Clone, Copy)]
struct Plane {
    normal: Point,
    offset: f64,
}

impl Plane {
    fn of(points: &[Point]) -> Option<Plane> {
        let origin = *points.first()?;
        let area = |k: usize| cross(minus(points[k], origin), minus(points[k + 1], origin));
        let normal = unit((1..points.len().saturating_sub(1)).map(area).fold([0.0; 3], plus))?;
        Some(Plane { normal, offset: dot(normal, origin) })
    }

    fn height(&self, p: Point) -> f64 {
        dot(self.normal, p) - self.offset
    }
}

/// More pieces than this are halved by a plane along an axis.
const FEW: usize = 48;
/// Halving ends here, and all ordering there: pieces that no plane divides.
const HALVED: usize = 40;
const DEEPEST: usize = 300;

/// From far to near; `size` is that of the scene.
pub fn far_to_near(pieces: Vec<Piece>, size: f64) -> Vec<Piece> {
    let mut ordered = Vec::with_capacity(pieces.len());
    // Rounding of places, and thinner than anybody sees.
    sort(pieces, 1e-7 * size, 0, &mut ordered);
    ordered
}

fn sort(mut pieces: Vec<Piece>, thin: f64, depth: usize, ordered: &mut Vec<Piece>) {
    let halves = if pieces.len() > FEW && depth < HALVED { halving(&pieces, thin) } else { None };
    let mut within = vec![];
    let plane = halves.or_else(|| {
        let (k, plane) = own_plane(&pieces, thin).filter(|_| depth < DEEPEST)?;
        // Its own piece is done with, even if it is not quite plane.
        within.push(pieces.swap_remove(k));
        Some(plane)
    });
    let Some(plane) = plane else {
        // One piece, only strokes, or a heap that no plane divides.
        pieces.sort_by(|a, b| a.depth().total_cmp(&b.depth()));
        ordered.append(&mut pieces);
        return;
    };
    let (mut below, mut above) = (vec![], vec![]);
    for piece in pieces {
        cut(piece, plane, thin, (&mut below, &mut within, &mut above));
    }
    let (far, near) = if plane.normal[2] < 0.0 { (above, below) } else { (below, above) };
    sort(far, thin, depth + 1, ordered);
    ordered.append(&mut within);
    sort(near, thin, depth + 1, ordered);
}

/// Across an axis, near the middle of all: the plane that cuts the fewest pieces, and leaves some on either side.
fn halving(pieces: &[Piece], thin: f64) -> Option<Plane> {
    let candidates = [0, 1, 2].into_iter().flat_map(|axis| {
        let mut normal = [0.0; 3];
        normal[axis] = 1.0;
        let mut places: Vec<f64> = pieces.iter().map(|p| p.points[0][axis]).collect();
        places.sort_unstable_by(f64::total_cmp);
        (3..=7).map(move |tenth| Plane { normal, offset: places[tenth * (places.len() - 1) / 10] })
    });
    let divides = |plane: &Plane| {
        let below = pieces.iter().filter(|p| plane.height(p.points[0]) < -thin).count();
        below >= pieces.len() / 10 && below < pieces.len()
    };
    candidates.filter(divides).min_by_key(|plane| cuts(pieces, plane, thin))
}

/// How many pieces lie on both sides.
fn cuts(pieces: &[Piece], plane: &Plane, thin: f64) -> usize {
    let crossed = |p: &&Piece| {
        let heights = p.points.iter().map(|&x| plane.height(x));
        let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
        low < -thin && high > thin
    };
    pieces.iter().filter(crossed).count()
}

/// The plane of a piece that cuts the fewest others, and which piece that is.
fn own_plane(pieces: &[Piece], thin: f64) -> Option<(usize, Plane)> {
    // A few candidates are as good as all.
    let every = (pieces.len() / 12).max(1);
    let some = (0..pieces.len()).step_by(every).chain(0..pieces.len());
    let planes = some.filter_map(|k| Some((k, Plane::of(&pieces[k].points)?)));
    planes.take(12).min_by_key(|(_, plane)| cuts(pieces, plane, thin))
}

type Sides<'a> = (&'a mut Vec<Piece>, &'a mut Vec<Piece>, &'a mut Vec<Piece>);

fn cut(piece: Piece, plane: Plane, thin: f64, (below, within, above): Sides) {
    let heights: Vec<f64> = piece.points.iter().map(|&p| plane.height(p)).collect();
    let (low, high) = (heights.iter().any(|h| *h < -thin), heights.iter().any(|h| *h > thin));
    match (low, high) {
        (false, false) => within.push(piece),
        (true, false) => below.push(piece),
        (false, true) => above.push(piece),
        (true, true) => {
            below.extend(part(&piece, &heights, -1.0));
            above.extend(part(&piece, &heights, 1.0));
        }
    }
}

/// What lies on one side; the cut itself is not drawn as an edge.
fn part(piece: &Piece, heights: &[f64], side: f64) -> Option<Piece> {
    let n = piece.points.len();
    let mut kept = Piece { points: vec![], edges: vec![], paint: piece.paint };
    for i in 0..n {
        let j = (i + 1) % n;
        let (h, next) = (side * heights[i], side * heights[j]);
        if h >= 0.0 {
            kept.points.push(piece.points[i]);
            kept.edges.push(piece.edges[i]);
        }
        if (h > 0.0 && next < 0.0) || (h < 0.0 && next > 0.0) {
            let crossing = between(piece.points[i], piece.points[j], h / (h - next));
            if h >= 0.0 {
                kept.points.push(crossing);
                kept.edges.push(false);
            } else {
                kept.points.push(crossing);
                kept.edges.push(piece.edges[i]);
            }
        }
    }
    // A stroke goes to and fro: once is enough.
    if n == 2 {
        kept.points.truncate(2);
        kept.edges = vec![true, false];
    }
    (kept.points.len() >= n.min(3)).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(z: f64, tilt: f64, paint: usize) -> Piece {
        let points =
            vec![[-1.0, -1.0, z - tilt], [1.0, -1.0, z + tilt], [1.0, 1.0, z + tilt], [-1.0, 1.0, z - tilt]];
        Piece { points, edges: vec![true; 4], paint }
    }

    #[test]
    fn nearer_faces_come_later() {
        let pieces = vec![square(3.0, 0.0, 3), square(1.0, 0.0, 1), square(2.0, 0.0, 2), square(0.0, 0.0, 0)];
        let order: Vec<usize> = far_to_near(pieces, 1.0).iter().map(|p| p.paint).collect();
        assert_eq!(order, [0, 1, 2, 3]);
    }

    #[test]
    fn faces_that_pierce_each_other_are_cut() {
        let ordered = far_to_near(vec![square(0.0, 0.0, 0), square(0.0, 1.0, 1)], 1.0);
        assert_eq!(ordered.len(), 3);
        // Wherever two pieces overlap, the later one is nearer.
        let height = |p: &Piece, x: f64| if p.paint == 0 { 0.0 } else { x };
        let covers = |p: &Piece, x: f64| {
            let (low, high) =
                p.points.iter().fold((9.0_f64, -9.0_f64), |(l, h), q| (l.min(q[0]), h.max(q[0])));
            low < x && x < high
        };
        for x in [-0.7, 0.7] {
            let seen: Vec<f64> = ordered.iter().filter(|p| covers(p, x)).map(|p| height(p, x)).collect();
            assert_eq!(seen.len(), 2);
            assert!(seen[0] < seen[1], "{seen:?} at {x}");
        }
    }

    #[test]
    fn many_pieces_are_all_kept() {
        let piece = |k: usize| square((k * 7 % 500) as f64, 0.0, k);
        let ordered = far_to_near((0..500).map(piece).collect(), 500.0);
        assert_eq!(ordered.len(), 500);
        assert!(ordered.windows(2).all(|pair| pair[0].points[0][2] < pair[1].points[0][2]));
    }
}
