//! Joints that close loops: what they forbid, kept by multipliers, and what they leave free, measured.
//!
//! F on the parent, C on the child; p = p_FC, R = R_FC, all in F's axes. Rows that a joint forbids are of two forms:
//!
//!   g = b · p,            force λ b on C                                                               (1)
//!   g = b · R d − const,  torque λ (R d × b) on C                                                      (2)
//!
//! with b fixed to F and d to C: λ ġ is the power of what λ exerts. A row that no motion of the tree can change is left out, such as those
//! across the plane of a planar linkage.
//!
//!   slide along b: x = b · p, v = b · ṗ;     turn about a: φ = atan2(e₂ · R e₁, e₁ · R e₁), ω = a · w          (3)

use trunnion_equations::{Ex, Graph};
use trunnion_model::mechanism::{Joint, Mechanism};

use crate::error::MechanismError;
use crate::node::{TreeNodes, rate};
use crate::primitive::{PrimitiveKind, normal, primitives, unit};
use crate::relative::{Jet, Relative};
use crate::spatial::{Spatial, Vec3};
use crate::writer::{EquationWriter, Gap, at_start};

/// What a joint forbids.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ConstraintRow {
    /// (1)
    Point([f64; 3]),
    /// (2): b, d.
    Axis([f64; 3], [f64; 3]),
}

impl ConstraintRow {
    /// Rows (2) across an axis hold when it is reversed too, three of them also when axes change places: this direction tells.
    fn facing(self, joint: &Joint) -> Option<[f64; 3]> {
        match (self, joint.kind.freedoms().1) {
            (ConstraintRow::Axis(b, _), 0) => Some(b),
            (ConstraintRow::Axis(_, d), 1) => Some(d),
            _ => None,
        }
    }
}

/// What the primitives of a joint leave out: points along directions without slide, turns about directions without turn.
fn rows(joint: &Joint) -> Vec<ConstraintRow> {
    let (slides, turns) = directions(joint);
    let units = [0, 1, 2].map(unit);
    let points = match slides[..] {
        [] => units.map(ConstraintRow::Point).to_vec(),
        [a] => basis(a)[..2].iter().map(|&e| ConstraintRow::Point(e)).collect(),
        [a, b] => vec![ConstraintRow::Point(basis(normal(a, b))[2])],
        _ => vec![],
    };
    let e = slides.first().map_or(units, |&a| basis(a));
    let axes = match (joint.kind.has_orientation(), &turns[..]) {
        (true, _) => vec![],
        (false, []) => [(1, 2), (2, 0), (0, 1)].map(|(i, j)| ConstraintRow::Axis(e[i], e[j])).to_vec(),
        (false, &[a]) => {
            let [b1, b2, a] = basis(a);
            vec![ConstraintRow::Axis(b1, a), ConstraintRow::Axis(b2, a)]
        }
        (false, &[a, b, ..]) => vec![ConstraintRow::Axis(a, b)],
    };
    [points, axes].concat()
}

/// Along which the primitives of a joint slide, and about which they turn.
fn directions(joint: &Joint) -> (Vec<[f64; 3]>, Vec<[f64; 3]>) {
    let (mut slides, mut turns) = (vec![], vec![]);
    for p in primitives(joint, false) {
        match p.kind {
            PrimitiveKind::Prismatic => slides.push(p.axis),
            PrimitiveKind::Revolute | PrimitiveKind::Screw => turns.push(p.axis),
            _ => {}
        }
    }
    (slides, turns)
}

/// Two unit vectors across the axis, right-handed with it as the third.
fn basis(a: [f64; 3]) -> [[f64; 3]; 3] {
    // The coordinate axis furthest from a.
    let k = (0..3).min_by(|&i, &j| a[i].abs().total_cmp(&a[j].abs())).unwrap_or(0);
    let across = normal(a, unit(k));
    let size = across.iter().map(|x| x * x).sum::<f64>().sqrt();
    let b2 = across.map(|x| x / size);
    [normal(b2, a), b2, a]
}

/// One coordinate seen from outside, and the wrench on C, in F's axes, that a unit along it is.
pub struct LoopCoordinate<'g> {
    pub gap: Gap<'g>,
    pub unit: Spatial<'g>,
}

/// A joint that closes a loop.
pub struct Closing<'g> {
    pub joint: usize,
    relative: Relative<'g>,
    p: Jet<'g>,
    pub coordinates: Vec<LoopCoordinate<'g>>,
    /// Force and torque of all multipliers on C, in F's axes.
    pub reaction: Spatial<'g>,
}

impl<'g> Closing<'g> {
    pub fn new(nodes: &TreeNodes<'g>, mechanism: &Mechanism, number: usize) -> Self {
        let joint = &mechanism.joints[number];
        let relative = Relative::new(nodes, &joint.parent, &joint.child);
        let p = relative.point(nodes);
        let coordinates = coordinates(nodes, joint, &relative, p);
        Closing { joint: number, relative, p, coordinates, reaction: Spatial::zero(nodes.graph) }
    }

    /// Constraints and forces. `extra`: what couplings exert along each coordinate.
    pub fn emit(
        &mut self,
        writer: &mut EquationWriter<'_>,
        nodes: &TreeNodes<'g>,
        joint: &Joint,
        applied: &mut [Spatial<'g>],
        extra: impl Fn(usize) -> Ex<'g>,
    ) -> Result<(), MechanismError> {
        let graph: &'g Graph = nodes.graph;
        let mut sum = Spatial::zero(graph);
        let mut count = 0;
        let mut multiplier = |writer: &mut EquationWriter<'_>, unit: &str| {
            count += 1;
            writer.multiplier(format!("{}.lambda{count}", joint.name), unit, &joint.origin)
        };
        for row in rows(joint) {
            let (gap, unit, effect) = self.row(nodes, joint, row);
            let facing = row.facing(joint).map(|d| self.facing(nodes, d));
            if gap.v.value() == Some(0.0) {
                self.fits(writer, gap, facing, unit)?;
                continue;
            }
            let lambda = multiplier(writer, unit);
            writer.constrain(&joint.name, &joint.origin, gap, facing.map(|f| f.x), lambda);
            sum = sum + effect * graph.symbol(lambda);
        }
        self.reaction = sum;
        for (i, (freedom, at)) in joint.freedoms.iter().zip(&self.coordinates).enumerate() {
            writer.give(freedom.position, &joint.origin, at.gap.x);
            writer.give(freedom.velocity, &joint.origin, at.gap.v);
            let mut force = graph.symbol(freedom.force) + extra(i);
            if let Some(motion) = &freedom.motion {
                let q = graph.at(motion.position);
                let gap = Gap { x: at.gap.x - q, v: at.gap.v - rate(q), a: at.gap.a - rate(rate(q)) };
                let lambda = multiplier(writer, if freedom.turns { "N m" } else { "N" });
                writer.constrain(&joint.name, &joint.origin, gap, None, lambda);
                writer.give(motion.effort, &joint.origin, graph.symbol(lambda));
                force = force + graph.symbol(lambda);
            }
            sum = sum + at.unit * force;
        }
        sum.angular = sum.angular + self.ball(writer, nodes, joint);
        self.relative.apply(nodes, applied, Some(self.p.x), sum.linear, sum.angular);
        Ok(())
    }

    /// A row, the unit of its multiplier and what that exerts.
    fn row(
        &self,
        nodes: &TreeNodes<'g>,
        joint: &Joint,
        row: ConstraintRow,
    ) -> (Gap<'g>, &'static str, Spatial<'g>) {
        let graph: &'g Graph = nodes.graph;
        let zero = Vec3::zero(graph);
        let vector = |v: [f64; 3]| Vec3::numbers(graph, v);
        match row {
            ConstraintRow::Point(b) => {
                let b = vector(b);
                let gap = Gap { x: b.dot(self.p.x), v: b.dot(self.p.v), a: b.dot(self.p.a) };
                (gap, "N", Spatial { angular: zero, linear: b })
            }
            ConstraintRow::Axis(b, d) => {
                let two = joint.kind.freedoms().1 == 2;
                let offset = if two { (0..3).map(|i| b[i] * d[i]).sum() } else { 0.0 };
                let (b, d) = (vector(b), self.relative.direction(nodes, vector(d)));
                let gap = Gap { x: b.dot(d.x) - offset, v: b.dot(d.v), a: b.dot(d.a) };
                (gap, "N m", Spatial { angular: d.x.cross(b), linear: zero })
            }
        }
    }

    /// d · R d: 1 where a direction of C is along its namesake of F, and its rate.
    fn facing(&self, nodes: &TreeNodes<'g>, d: [f64; 3]) -> Gap<'g> {
        let d = Vec3::numbers(nodes.graph, d);
        let seen = self.relative.direction(nodes, d);
        Gap { x: d.dot(seen.x), v: d.dot(seen.v), a: d.dot(seen.a) }
    }

    /// A gap that nothing changes has to be closed, and not turned over.
    fn fits(
        &self,
        writer: &EquationWriter<'_>,
        gap: Gap<'g>,
        facing: Option<Gap<'g>>,
        force: &str,
    ) -> Result<(), MechanismError> {
        // Dimensions of drawings come with a few digits.
        const CLOSED: f64 = 1e-6;
        let graph = gap.x.graph();
        let start = writer.start(graph);
        let size = at_start(graph, &start, &[gap.x.id])[0].abs();
        let (joint, unit) = (self.joint, if force == "N" { "m" } else { "rad" });
        if size > CLOSED {
            return Err(MechanismError::CannotClose { joint, gap: size, unit });
        }
        match facing.filter(|f| f.v.value() == Some(0.0)) {
            Some(f) if at_start(graph, &start, &[f.x.id])[0] < 0.5 => {
                Err(MechanismError::TurnedOver { joint })
            }
            _ => Ok(()),
        }
    }

    /// Quaternion and angular velocity of a spherical joint; returns the torque of its damping in F's axes.
    fn ball(&self, writer: &mut EquationWriter<'_>, nodes: &TreeNodes<'g>, joint: &Joint) -> Vec3<'g> {
        let Some(ball) = &joint.orientation else { return Vec3::zero(nodes.graph) };
        let r = self.relative.rotation(nodes);
        let w = r.transpose() * self.relative.turning(nodes).0;
        let q = self.relative.quaternion(nodes);
        let values = ball.quaternion.iter().zip(q.0).chain(ball.velocity.iter().zip(w.0));
        values.for_each(|(&s, value)| writer.give(s, &joint.origin, value));
        r * Vec3(ball.torque.map(|s| nodes.graph.symbol(s)))
    }
}

/// (3) for each coordinate.
pub fn coordinates<'g>(
    nodes: &TreeNodes<'g>,
    joint: &Joint,
    relative: &Relative<'g>,
    p: Jet<'g>,
) -> Vec<LoopCoordinate<'g>> {
    let graph: &'g Graph = nodes.graph;
    let zero = Vec3::zero(graph);
    let (w, w_dot) = relative.turning(nodes);
    let slide = |b: [f64; 3]| {
        let b = Vec3::numbers(graph, b);
        let gap = Gap { x: b.dot(p.x), v: b.dot(p.v), a: b.dot(p.a) };
        LoopCoordinate { gap, unit: Spatial { angular: zero, linear: b } }
    };
    // From e1 towards e2, about `a` (F's axes).
    let angle = |from: Vec3<'g>, e1: Vec3<'g>, e2: Vec3<'g>, a: Vec3<'g>| {
        let gap = Gap { x: e2.dot(from).atan2(e1.dot(from)), v: a.dot(w), a: a.dot(w_dot) };
        LoopCoordinate { gap, unit: Spatial { angular: a, linear: zero } }
    };
    let turn = |a: [f64; 3]| {
        let [e1, e2, a] = basis(a).map(|v| Vec3::numbers(graph, v));
        angle(relative.direction(nodes, e1).x, e1, e2, a)
    };
    let (slides, turns) = directions(joint);
    let slides = slides.into_iter().map(slide);
    match turns[..] {
        [] => slides.collect(),
        [a] => slides.chain([turn(a)]).collect(),
        [a1, a2, ..] => {
            // R = turn(a₁, φ₁) turn(a₂, φ₂): R a₂ shows φ₁; Rᵀ a₁ = cos φ₂ a₁ + sin φ₂ a₁ × a₂ shows φ₂.
            let [a1, a2, n] = [a1, a2, normal(a1, a2)].map(|v| Vec3::numbers(graph, v));
            let d = relative.direction(nodes, a2).x;
            let back = relative.rotation(nodes).transpose() * a1;
            slides.chain([angle(d, a2, n, a1), angle(back, a1, n, d)]).collect()
        }
    }
}
