//! Stress of the elastic bodies over a run: the worst points with their times, cycles and damage.
//!
//!   σ(t) = S q(t) at every point of the surface; von Mises, and the principal stress of largest magnitude with its sign      (1)
//!   damage D = Σ n/N(S) of the cycles of the signed stress, by rainflow                                                (2)  [ASTM E1049]
//!
//! Values are read at the rows of the run. Where every second row would give another worst stress, that is told.

use serde_json::{Value, json};
use trunnion_elastic::{SkinPoint, SnLine, principal_stresses, rainflow, von_mises};
use trunnion_engine::part_shapes::PartShapes;
use trunnion_engine::{Failure, Project};
use trunnion_num::text::number;
use trunnion_results::Table;

use crate::request_error::NoElasticBodies;

/// A worst stress that differs by more than this between all rows and every second one is not resolved by them.
const UNRESOLVED: f64 = 0.02;

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

/// Cycles of the signed principal stress.
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
    let coarse = all.iter().map(|(_, coarse)| *coarse).fold(0.0, f64::max);
    if let Some((worst, _)) = all.first()
        && worst.von_mises - coarse > UNRESOLVED * worst.von_mises
    {
        report.cautions.push(format!(
            "rows are too far apart for the stress of `{}`: every second one shows {} MPa less; more `points` in [run] resolve it",
            body.name,
            number((worst.von_mises - coarse) * 1e-6, 3)
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
    /// With its worst stress at every second row only.
    fn point(&self, point: &SkinPoint) -> Option<(SurfaceStress, f64)> {
        let mut worst: Option<(SurfaceStress, f64)> = None;
        for rows in &point.stress {
            let at = |q: &Vec<f64>| -> [f64; 6] {
                std::array::from_fn(|i| rows.row(i).iter().zip(q).map(|(s, q)| s * q).sum())
            };
            let stresses: Vec<[f64; 6]> = self.q.iter().map(at).collect();
            let equivalent: Vec<f64> = stresses.iter().map(|s| von_mises(*s)).collect();
            let k = (0..stresses.len()).max_by(|&a, &b| equivalent[a].total_cmp(&equivalent[b]))?;
            let coarse = equivalent.iter().step_by(2).copied().fold(0.0, f64::max);
            let fatigue = self.line.map(|line| {
                let cycles = rainflow(&stresses.iter().map(|s| signed(*s)).collect::<Vec<_>>());
                StressCycles {
                    largest_range: cycles.iter().map(|c| c.range).fold(0.0, f64::max),
                    count: cycles.iter().map(|c| c.count).sum(),
                    damage: line.damage(&cycles),
                }
            });
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
                worst = Some((found, coarse));
            }
        }
        worst
    }
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
