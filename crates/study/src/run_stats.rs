//! How a run went, for machines: work of the solver, events, time.

use serde_json::json;
use trunnion_engine::Project;
use trunnion_sim::run::Settings;

use crate::simulate::RunOutcome;

/// One JSON document.
pub fn stats(project: &Project, solver: &str, settings: &Settings, outcome: &RunOutcome) -> String {
    let wall = outcome.wall.as_secs_f64();
    let mut stats = json!({
        "model": project.name,
        "solver": solver,
        "rtol": settings.rtol,
        "unknowns": project.prepared.system.n(),
        "states": project.prepared.system.n_states,
        "ended": outcome.ended(),
        "wall_s": wall,
    });
    if let (Some(s), Some(map)) = (outcome.summary, stats.as_object_mut()) {
        let simulated = s.t - settings.t_0;
        for (key, value) in [
            ("t_end_s", json!(s.t)),
            ("real_time_factor", json!(simulated / wall)),
            ("steps", json!(s.work.steps)),
            ("rejected", json!(s.work.rejected)),
            ("evaluations", json!(s.work.residuals)),
            ("jacobians", json!(s.work.jacobians)),
            ("factorisations", json!(s.work.factorisations)),
            ("newton_failures", json!(s.work.newton_failures)),
            ("events", json!(s.events)),
            ("crossings", json!(s.crossings)),
            ("samples", json!(s.samples)),
            ("restarts", json!(s.restarts)),
        ] {
            map.insert(key.into(), value);
        }
    }
    format!("{stats:#}\n")
}
