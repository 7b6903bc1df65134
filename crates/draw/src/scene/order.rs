//! What hides what: pieces from far to near, so that each may be painted over those before it.
//!
//! Where two pieces overlap in the view, the one whose plane is nearer there comes later; pieces that pierce each other are cut along
//! each other's planes first. All faces are convex. [Newell1972]

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use trunnion_num::space::{Point, between, cross, dot, minus, plus, unit};

/// Something flat to be painted: a convex face, or a stroke (two points).
#[derive(Clone, Debug)]
pub struct PaintedFace {
    /// Right, up, towards the viewer.
    pub points: Vec<Point>,
    /// Whether the edge after each point is drawn.
    pub edges: Vec<bool>,
    /// How it is painted: a number of the caller's.
    pub paint: usize,
}

impl PaintedFace {
    /// The mean towards the viewer.
    fn depth(&self) -> f64 {
        self.points.iter().map(|p| p[2]).sum::<f64>() / self.points.len() as f64
    }

    /// Lowest and highest place along one axis.
    pub fn range(&self, axis: usize) -> (f64, f64) {
        let places = self.points.iter().map(|p| p[axis]);
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    }

    /// None for strokes, and for faces seen from the edge, which cover nothing.
    fn plane(&self) -> Option<Plane> {
        let origin = *self.points.first()?;
        let area = |k: usize| cross(minus(self.points[k], origin), minus(self.points[k + 1], origin));
        let normal = unit((1..self.points.len().saturating_sub(1)).map(area).fold([0.0; 3], plus))?;
        (normal[2].abs() > EDGE_ON).then(|| Plane { normal, offset: dot(normal, origin) })
    }
}

#[derive(Clone, Copy)]
struct Plane {
    normal: Point,
    offset: f64,
}

impl Plane {
    fn height(&self, p: Point) -> f64 {
        dot(self.normal, p) - self.offset
    }

    /// How near the plane is to the viewer behind or before a point.
    fn depth(&self, p: Point) -> f64 {
        p[2] - self.height(p) / self.normal[2]
    }
}

/// cos of the angle between a face and the viewer below which it is a line.
const EDGE_ON: f64 = 1e-4;
/// Invisible differences in depth, as a share of the size of the scene.
const THIN: f64 = 1e-4;
/// Rounds of cutting; what still pierces something then is ordered as a whole.
const ROUNDS: usize = 12;

/// From far to near; `size` is that of the scene.
pub(crate) fn far_to_near(mut pieces: Vec<PaintedFace>, size: f64) -> Vec<PaintedFace> {
    let thin = THIN * size;
    for _ in 0..ROUNDS {
        let mut pairs = vec![];
        let planes = overlaps(&pieces, thin, |i, j, relation| {
            if relation == DepthOrder::Pierces {
                pairs.push((i, j));
            }
        });
        // A floor that many posts pierce stays whole: what pierces least is cut.
        let mut often = vec![0; pieces.len()];
        pairs.iter().for_each(|&(i, j)| (often[i], often[j]) = (often[i] + 1, often[j] + 1));
        let mut cut_by: Vec<Option<Plane>> = vec![None; pieces.len()];
        for (i, j) in pairs {
            let first = planes[i].is_none() || (planes[j].is_some() && often[i] <= often[j]);
            let (cut, other) = if first { (i, j) } else { (j, i) };
            cut_by[cut] = cut_by[cut].or(planes[other]);
        }
        if cut_by.iter().all(Option::is_none) {
            break;
        }
        let halves = |(piece, plane): (PaintedFace, Option<Plane>)| match plane {
            None => vec![piece],
            Some(plane) => {
                let heights: Vec<f64> = piece.points.iter().map(|&p| plane.height(p)).collect();
                [-1.0, 1.0].iter().filter_map(|&side| part(&piece, &heights, side)).collect()
            }
        };
        pieces = pieces.into_iter().zip(cut_by).flat_map(halves).collect();
    }
    sorted(pieces, thin)
}

/// Every piece after all those behind it; where that is a circle, the farthest first.
fn sorted(mut pieces: Vec<PaintedFace>, thin: f64) -> Vec<PaintedFace> {
    pieces.sort_by(|a, b| a.depth().total_cmp(&b.depth()));
    let mut before: Vec<Vec<usize>> = vec![vec![]; pieces.len()];
    let mut waiting = vec![0_usize; pieces.len()];
    overlaps(&pieces, thin, |i, j, relation| {
        let (far, near) = if relation == DepthOrder::Nearer { (j, i) } else { (i, j) };
        before[far].push(near);
        waiting[near] += 1;
    });
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..pieces.len()).filter(|&k| waiting[k] == 0).map(Reverse).collect();
    let mut done = vec![false; pieces.len()];
    let mut order = Vec::with_capacity(pieces.len());
    let mut farthest = 0;
    while order.len() < pieces.len() {
        let next = ready.pop().map(|Reverse(k)| k).unwrap_or_else(|| {
            while done[farthest] {
                farthest += 1;
            }
            farthest
        });
        if std::mem::replace(&mut done[next], true) {
            continue;
        }
        order.push(next);
        for &near in &before[next] {
            waiting[near] -= 1;
            if waiting[near] == 0 {
                ready.push(Reverse(near));
            }
        }
    }
    let mut pieces: Vec<Option<PaintedFace>> = pieces.into_iter().map(Some).collect();
    order.into_iter().filter_map(|k| pieces[k].take()).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DepthOrder {
    /// The first is nearer to the viewer.
    Nearer,
    Farther,
    Pierces,
}

/// Tells of all pairs that overlap in the view, the first with the lower number; the planes of all.
fn overlaps(
    pieces: &[PaintedFace],
    thin: f64,
    mut tell: impl FnMut(usize, usize, DepthOrder),
) -> Vec<Option<Plane>> {
    let planes: Vec<Option<Plane>> = pieces.iter().map(PaintedFace::plane).collect();
    let ranges: Vec<[(f64, f64); 2]> = pieces.iter().map(|p| [p.range(0), p.range(1)]).collect();
    // From left to right: only those that have begun and not yet ended can overlap.
    let mut starts: Vec<usize> = (0..pieces.len()).collect();
    starts.sort_by(|&a, &b| ranges[a][0].0.total_cmp(&ranges[b][0].0));
    let mut open: Vec<usize> = vec![];
    for k in starts {
        let [(left, _), (low, high)] = ranges[k];
        open.retain(|&other| ranges[other][0].1 > left);
        for &other in &open {
            let (i, j) = (other.min(k), other.max(k));
            if ranges[other][1].0 < high
                && ranges[other][1].1 > low
                && let Some(relation) = relation([&pieces[i], &pieces[j]], [planes[i], planes[j]], thin)
            {
                tell(i, j, relation);
            }
        }
        open.push(k);
    }
    planes
}

/// How two pieces lie where they overlap; None if they do not, or cover nothing.
fn relation([a, b]: [&PaintedFace; 2], planes: [Option<Plane>; 2], thin: f64) -> Option<DepthOrder> {
    let stroke = |piece: &PaintedFace| piece.points.len() == 2;
    let common = match planes {
        [Some(_), Some(_)] => clipped(&a.points, b),
        [None, Some(_)] if stroke(a) => clipped(&a.points, b),
        [Some(_), None] if stroke(b) => clipped(&b.points, a),
        _ => return None,
    };
    let line = stroke(a) || stroke(b);
    // Neighbours share an edge, and no more than rounding beside it.
    if common.len() < 2 || (!line && signed_area(&common).abs() < thin * thin) {
        return None;
    }
    // What is left of a stroke has the depth of the stroke.
    let depth = |plane: Option<Plane>, p: Point| plane.map_or(p[2], |plane| plane.depth(p));
    let nearer = common.iter().map(|&p| depth(planes[0], p) - depth(planes[1], p));
    let (low, high) = nearer.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    Some(match (low < -thin, high > thin) {
        (true, true) => DepthOrder::Pierces,
        (false, true) => DepthOrder::Nearer,
        _ => DepthOrder::Farther,
    })
}

/// The part of a convex face or stroke that lies over another face in the view. [Sutherland1974]
fn clipped(points: &[Point], face: &PaintedFace) -> Vec<Point> {
    let mut points = points.to_vec();
    let corners = &face.points;
    let turn = if signed_area(corners) < 0.0 { -1.0 } else { 1.0 };
    for k in 0..corners.len() {
        let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
        let inside = |p: Point| turn * ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]));
        let n = points.len();
        let mut kept = Vec::with_capacity(n + 1);
        for i in 0..n {
            let (p, q) = (points[i], points[(i + 1) % n]);
            let (h, next) = (inside(p), inside(q));
            if h >= 0.0 {
                kept.push(p);
            }
            if (h > 0.0 && next < 0.0) || (h < 0.0 && next > 0.0) {
                kept.push(between(p, q, h / (h - next)));
            }
        }
        points = kept;
    }
    points
}

fn signed_area(points: &[Point]) -> f64 {
    let n = points.len();
    let one = |k: usize| points[k][0] * points[(k + 1) % n][1] - points[(k + 1) % n][0] * points[k][1];
    0.5 * (0..n).map(one).sum::<f64>()
}

/// What lies on one side; the cut itself is not drawn as an edge.
fn part(piece: &PaintedFace, heights: &[f64], side: f64) -> Option<PaintedFace> {
    let n = piece.points.len();
    let mut kept = PaintedFace { points: vec![], edges: vec![], paint: piece.paint };
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

    fn square(z: f64, tilt: f64, paint: usize) -> PaintedFace {
        let points =
            vec![[-1.0, -1.0, z - tilt], [1.0, -1.0, z + tilt], [1.0, 1.0, z + tilt], [-1.0, 1.0, z - tilt]];
        PaintedFace { points, edges: vec![true; 4], paint }
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
        let height = |p: &PaintedFace, x: f64| if p.paint == 0 { 0.0 } else { x };
        let covers = |p: &PaintedFace, x: f64| {
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
    fn a_floor_stays_whole_where_posts_pierce_it() {
        // Thirty upright strips, seen from above at 45°, through a floor in the view's own tilt.
        let strip = |k: usize| {
            let x = -0.95 + 0.06 * k as f64;
            let points = [(x, -0.5, 0.5), (x + 0.04, -0.5, 0.5), (x + 0.04, 0.5, -0.5), (x, 0.5, -0.5)];
            let points = points.map(|(x, y, z)| [x, y, -z]).to_vec();
            PaintedFace { points, edges: vec![true; 4], paint: k + 1 }
        };
        let floor = square(0.0, 0.0, 0);
        let ordered = far_to_near([floor].into_iter().chain((0..30).map(strip)).collect(), 1.0);
        assert_eq!(ordered.len(), 61);
        let floor = ordered.iter().position(|p| p.paint == 0).unwrap();
        let below = |p: &PaintedFace| p.depth() < 0.0;
        assert!(ordered[..floor].iter().all(below) && !ordered[floor + 1..].iter().any(below));
    }

    #[test]
    fn many_pieces_are_all_kept() {
        let piece = |k: usize| square((k * 7 % 500) as f64, 0.0, k);
        let ordered = far_to_near((0..500).map(piece).collect(), 500.0);
        assert_eq!(ordered.len(), 500);
        assert!(ordered.windows(2).all(|pair| pair[0].points[0][2] < pair[1].points[0][2]));
    }
}
