//! Stress of the elastic bodies over a run: the worst points with their times, cycles and damage.
//!
//!   σ(t) = S q(t) at every point of the surface; von Mises, and the principal stress of largest magnitude with its sign      (1)
//!   D = Σ n/N(S) of the cycles of σ_n(t) = nᵀ σ(t) n by rainflow, n: principal axes of the worst instant, the worst of them  (2)  [ASTM E1049]
//!
//! (2) is exact where the axes of stress stay; where they turn, damage on planes between them may be higher.
//!
//! Values are read at the rows of the run. Rows n to a period see a peak within 1 − cos(π/n), and change by up to 2 sin(π/n) of it from one to the
//! next: where that is more than for n = 16, peaks may be off by more than 2 %, which is told.

use serde_json::{Value, json};
use trunnion_elastic::{
    BeamSection, ElementKind, ElementProperty, SkinPoint, SnLine, principal_stresses, rainflow, von_mises,
};
use trunnion_engine::part_shapes::PartShapes;
use trunnion_engine::{Failure, Project};
use trunnion_num::space::{Point, RotationMatrix, apply, cross, dot, norm, unit};
use trunnion_num::text::{count, number};
use trunnion_results::Table;

use crate::request_error::NoElasticBodies;
use crate::stress_neglected::neglected_stress;

/// 2 sin(π/16): a stress that changes by more of its peak between rows is not resolved by them.
const UNRESOLVED: f64 = 0.39;

/// Told where the modes leave out more than this share of the worst stress.
const NEGLECTED: f64 = 0.02;

/// A point of a surface over a run. SI.
#[derive(Clone, Debug)]
pub struct SurfaceStress {
    pub body: String,
    /// In the axes of the body, undeformed.
    pub at: [f64; 3],
    pub von_mises: f64,
    /// When it is highest.
    pub t: f64,
    /// The principal stress of largest magnitude then.
    pub principal: f64,
    pub fatigue: Option<StressCycles>,
    element: u32,
}

/// Cycles of the stress across the plane with the highest damage.
#[derive(Clone, Copy, Debug)]
pub struct StressCycles {
    pub largest_range: f64,
    pub count: f64,
    /// Share of the life that one run takes.
    pub damage: f64,
}

#[derive(Clone, Debug, Default)]
pub struct StressReport {
    /// Body by body, the worst points first; of one element only its worst.
    pub points: Vec<SurfaceStress>,
    /// For each body with `fatigue`, the point with the highest damage.
    pub weakest: Vec<SurfaceStress>,
    /// What the numbers do not show.
    pub cautions: Vec<String>,
}

/// Of results of a project; so many points of each body.
pub fn stress_report(project: &Project, table: &Table, most: usize) -> Result<StressReport, Failure> {
    let parts = project.elastic_parts();
    if parts.is_empty() {
        return Err(NoElasticBodies { model: project.name.clone() }.into());
    }
    let mut report = StressReport::default();
    for part in &parts {
        add_body(project, table, part, most, &mut report)?;
    }
    Ok(report)
}

/// Elements of beams whose section has no points where stress could be taken.
fn beams_without_shape(part: &PartShapes) -> usize {
    let shapeless = |property: usize| {
        let drawn = part.outlines.get(property).is_some_and(Option::is_some);
        let known = |section: &BeamSection| section.stations.iter().any(|(_, c)| !c.stress_points.is_empty());
        matches!(part.model.properties.get(property), Some(ElementProperty::Beam(s)) if !drawn && !known(s))
    };
    part.model.elements.iter().filter(|e| e.kind == ElementKind::Beam2 && shapeless(e.property)).count()
}

fn add_body(
    project: &Project,
    table: &Table,
    part: &PartShapes,
    most: usize,
    report: &mut StressReport,
) -> Result<(), Failure> {
    let body = &project.mechanism.bodies[part.body];
    let run = BodyRun {
        body: body.name.clone(),
        times: table.columns[0].values.clone(),
        q: part.coordinates(&body.name, table)?,
        line: body.inertia.modal().and_then(|modal| modal.fatigue).map(|f| SnLine {
            knee_range: f.knee_range,
            knee_cycles: f.knee_cycles,
            slope: f.slope,
            slope_below: f.slope_below,
            cut_off: f.cut_off,
        }),
    };
    let skin = part.skin().map_err(|error| Failure::Run {
        message: format!("the stress of `{}` cannot be found: {error}", body.name),
        hint: None,
    })?;
    let mut all: Vec<(SurfaceStress, f64)> = skin.points.iter().filter_map(|p| run.point(p)).collect();
    all.sort_by(|a, b| b.0.von_mises.total_cmp(&a.0.von_mises));
    if let Some((worst, step)) = all.first()
        && *step > UNRESOLVED * worst.von_mises
    {
        report.cautions.push(format!(
            "rows are too far apart for the stress of `{}`, which changes by {} MPa between two of them: give more `points` in [run]",
            body.name,
            number(step * 1e-6, 3)
        ));
    }
    let unknown = beams_without_shape(part);
    if unknown > 0 {
        report.cautions.push(format!(
            "stress of {} of `{}` is not known: their sections are given by constants, without a shape",
            count(unknown, "element"),
            body.name
        ));
    }
    let neglected = neglected_stress(project, part, table)?;
    if let Some((worst, _)) = all.first()
        && neglected > NEGLECTED * worst.von_mises
    {
        report.cautions.push(format!(
            "the kept modes of `{}` leave out up to {} MPa by weight and rotation: keep more `modes`, or ask a gauge",
            body.name,
            number(neglected * 1e-6, 3)
        ));
    }
    let damage = |p: &SurfaceStress| p.fatigue.map_or(f64::NEG_INFINITY, |f| f.damage);
    let weakest = all.iter().map(|(p, _)| p).max_by(|a, b| damage(a).total_cmp(&damage(b)));
    report.weakest.extend(weakest.filter(|p| p.fatigue.is_some()).cloned());
    let mut seen = vec![];
    for (point, _) in all {
        if seen.len() < most && !seen.contains(&point.element) {
            seen.push(point.element);
            report.points.push(point);
        }
    }
    Ok(())
}

/// Elastic coordinates of a body over a run.
struct BodyRun {
    body: String,
    times: Vec<f64>,
    /// For each row.
    q: Vec<Vec<f64>>,
    line: Option<SnLine>,
}

impl BodyRun {
    /// With the largest change of its stress from row to row.
    fn point(&self, point: &SkinPoint) -> Option<(SurfaceStress, f64)> {
        let mut worst: Option<(SurfaceStress, f64)> = None;
        for rows in &point.stress {
            let at = |q: &Vec<f64>| -> [f64; 6] {
                std::array::from_fn(|i| rows.row(i).iter().zip(q).map(|(s, q)| s * q).sum())
            };
            let stresses: Vec<[f64; 6]> = self.q.iter().map(at).collect();
            let equivalent: Vec<f64> = stresses.iter().map(|s| von_mises(*s)).collect();
            let k = (0..stresses.len()).max_by(|&a, &b| equivalent[a].total_cmp(&equivalent[b]))?;
            let change = |pair: &[[f64; 6]]| von_mises(std::array::from_fn(|i| pair[1][i] - pair[0][i]));
            let step = stresses.windows(2).map(change).fold(0.0, f64::max);
            let fatigue = self.line.map(|line| worst_cycles(&line, &stresses, stresses[k]));
            let found = SurfaceStress {
                body: self.body.clone(),
                at: point.at,
                von_mises: equivalent[k],
                t: self.times[k],
                principal: signed(stresses[k]),
                fatigue,
                element: point.element,
            };
            if worst.as_ref().is_none_or(|(w, _)| found.von_mises > w.von_mises) {
                worst = Some((found, step));
            }
        }
        worst
    }
}

/// (2)
fn worst_cycles(line: &SnLine, stresses: &[[f64; 6]], worst: [f64; 6]) -> StressCycles {
    let across = |n: Point| {
        let history: Vec<f64> = stresses.iter().map(|&s| dot(n, apply(tensor(s), n))).collect();
        let cycles = rainflow(&history);
        StressCycles {
            largest_range: cycles.iter().map(|c| c.range).fold(0.0, f64::max),
            count: cycles.iter().map(|c| c.count).sum(),
            damage: line.damage(&cycles),
        }
    };
    let none = StressCycles { largest_range: 0.0, count: 0.0, damage: 0.0 };
    let axes = principal_stresses(worst).into_iter().filter_map(|value| axis(worst, value));
    let order = |c: &StressCycles| (c.damage, c.largest_range);
    axes.map(across).fold(none, |worst, next| if order(&next) > order(&worst) { next } else { worst })
}

fn tensor([x, y, z, xy, yz, zx]: [f64; 6]) -> RotationMatrix {
    [[x, xy, zx], [xy, y, yz], [zx, yz, z]]
}

/// The direction of a principal stress λ: across the rows of σ − λ 1. None if others have the same value.
fn axis(stress: [f64; 6], value: f64) -> Option<Point> {
    let mut rows = tensor(stress);
    (0..3).for_each(|i| rows[i][i] -= value);
    let size = von_mises(stress);
    let across = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| cross(rows[i], rows[j]));
    let largest = across.into_iter().max_by(|a, b| norm(*a).total_cmp(&norm(*b)))?;
    // Roots of the cubic are known to some 1e-8 of the stress.
    unit(largest).filter(|_| norm(largest) > 1e-6 * size * size)
}

/// The principal stress of largest magnitude.
fn signed(stress: [f64; 6]) -> f64 {
    let [first, _, third] = principal_stresses(stress);
    if first >= -third { first } else { third }
}

impl StressReport {
    /// Heads and rows of a table, in MPa and m; then a line for each body with an S–N line, and what to beware of.
    pub fn listed(&self) -> (Vec<&'static str>, Vec<Vec<String>>, Vec<String>) {
        let heads = vec!["body", "place [m]", "von Mises [MPa]", "at t [s]", "principal [MPa]"];
        let place = |p: &SurfaceStress| p.at.map(|x| number((x * 1e9).round() * 1e-9, 4)).join(", ");
        let mega = |x: f64| number(x * 1e-6, 5);
        let row = |p: &SurfaceStress| {
            vec![p.body.clone(), place(p), mega(p.von_mises), number(p.t, 5), mega(p.principal)]
        };
        let weakest = |p: &SurfaceStress| {
            let f = p.fatigue?;
            let life = match f.damage > 0.0 {
                true => {
                    format!("damage {} of a life, {} runs", number(f.damage, 4), number(1.0 / f.damage, 4))
                }
                false => "no damage".to_string(),
            };
            Some(format!(
                "{} at [{}]: {} cycles, largest range {} MPa, {life}",
                p.body,
                place(p),
                number(f.count, 4),
                mega(f.largest_range)
            ))
        };
        let notes = self.cautions.iter().map(|caution| format!("note: {caution}"));
        let lines = self.weakest.iter().filter_map(weakest).chain(notes).collect();
        (heads, self.points.iter().map(row).collect(), lines)
    }

    /// SI.
    pub fn document(&self) -> Value {
        let point = |p: &SurfaceStress| {
            let fatigue = p.fatigue.map(
                |f| json!({ "largest_range_pa": f.largest_range, "cycles": f.count, "damage": f.damage }),
            );
            json!({
                "body": p.body,
                "at_m": p.at,
                "von_mises_pa": p.von_mises,
                "t": p.t,
                "principal_pa": p.principal,
                "fatigue": fatigue,
            })
        };
        let list = |points: &[SurfaceStress]| points.iter().map(point).collect::<Vec<_>>();
        json!({ "points": list(&self.points), "weakest": list(&self.weakest), "cautions": self.cautions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: SnLine =
        SnLine { knee_range: 50e6, knee_cycles: 1e6, slope: 3.0, slope_below: 3.0, cut_off: 0.0 };

    /// Cycles of a stress that goes from −1 to 1 times this three times.
    fn cycles(stress: [f64; 6]) -> StressCycles {
        let history = [0.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 0.0].map(|f| stress.map(|s| f * s));
        worst_cycles(&LINE, &history, stress)
    }

    /// Tension and torsion that change their sign have twice the amplitude as range, in any axes: torsion by the tension under 45°.
    #[test]
    fn ranges_are_those_of_the_worst_plane() {
        let (s, t) = (100e6_f64, 40e6_f64);
        let states = [
            ([s, 0.0, 0.0, 0.0, 0.0, 0.0], s),
            ([0.0, 0.0, 0.0, t, 0.0, 0.0], t),
            ([0.0, 0.0, 0.0, 0.6 * t, 0.0, 0.8 * t], t),
            // Plane stress: σ/2 + √(σ²/4 + τ²).
            ([s, 0.0, 0.0, 0.0, 0.0, t], 0.5 * s + (0.25 * s * s + t * t).sqrt()),
        ];
        for (stress, amplitude) in states {
            let found = cycles(stress);
            assert!((found.largest_range / (2.0 * amplitude) - 1.0).abs() < 1e-9, "{stress:?} {found:?}");
            assert!(found.damage > 2.0 * (found.largest_range / 50e6).powi(3) / 1e6, "{found:?}");
        }
        assert_eq!(cycles([0.0; 6]).damage, 0.0);
    }
}
