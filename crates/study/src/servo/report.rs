//! A servo design as text, as JSON, and in the model file.

use serde_json::{Value, json};
use trunnion_engine::{Failure, Workspace};
use trunnion_model::edit::Edit;
use trunnion_num::text::{number, with_unit};
use trunnion_robot::servo::ServoGains;

use super::{AxisServo, ServoDesign, ServoSchedule, parameter};
use crate::balance::check_edited;
use crate::request_error::ServoRequestError;

const DIGITS: usize = 5;
/// Digits in a file.
const WRITTEN: usize = 9;

impl ServoDesign {
    /// What comes before the table.
    pub fn heading(&self) -> Vec<String> {
        let spec = &self.spec;
        let law = if spec.integral > 0.0 { "PID" } else { "PD" };
        let mut lines = vec![
            format!("{}, servos of `{}` {}", self.project.name, self.robot, self.place),
            format!(
                "{law}: bandwidth {} rad/s, damping ratio {}",
                number(spec.bandwidth, DIGITS),
                number(spec.damping, DIGITS)
            ),
        ];
        match (&self.lowest_state, spec.lowest_mode) {
            (Some(state), Some(mode)) => lines.push(format!(
                "limited: {} rad/s would excite the lowest mode, {} rad/s ({} Hz, `{state}`); half of it is taken",
                number(self.asked, DIGITS),
                number(mode, DIGITS),
                number(mode / std::f64::consts::TAU, DIGITS)
            )),
            (None, Some(mode)) => lines.push(format!(
                "lowest mode with locked axes: {} rad/s, so at most {} rad/s",
                number(mode, DIGITS),
                number(0.5 * mode, DIGITS)
            )),
            _ => lines.push("no mode limits the bandwidth: with locked joints nothing oscillates (compliance of gears is not in it)".to_string()),
        }
        if self.axes.iter().all(|a| a.by_virtual_work.is_none()) {
            lines.push("bodies deform: inertias from the mass matrix, not by virtual work".to_string());
        }
        let direct: Vec<&str> = self.axes.iter().filter(|a| !a.geared).map(|a| a.name.as_str()).collect();
        if !direct.is_empty() {
            lines.push(format!(
                "note: no drive with a ratio `n` and a rotor `J_m` is named for {}: gains without gear and rotor",
                direct.join(", ")
            ));
        }
        lines
    }

    /// Heads of the columns of [`ServoDesign::rows`].
    pub const COLUMNS: [&str; 8] =
        ["axis", "at", "inertia", "by virtual work", "at the motor", "Kp", "Ki", "Kv"];

    /// One row for each axis, SI, angles in degrees.
    pub fn rows(&self) -> Vec<[String; 8]> {
        let row = |a: &AxisServo| {
            let place = match a.turns {
                true => with_unit(a.position.to_degrees(), "deg", DIGITS),
                false => with_unit(a.position, "m", DIGITS),
            };
            let work = a.by_virtual_work.map_or("–".to_string(), |j| number(j, DIGITS));
            let ServoGains { k_p, k_i, k_v } = a.gains;
            let [inertia, effective, k_p, k_i, k_v] =
                [a.inertia, a.effective, k_p, k_i, k_v].map(|x| number(x, DIGITS));
            [a.name.clone(), place, inertia, work, effective, k_p, k_i, k_v]
        };
        self.axes.iter().map(row).collect()
    }

    pub fn json(&self) -> Value {
        let axis = |a: &AxisServo| {
            json!({
                "axis": a.name,
                "position_si": a.position,
                "inertia_si": a.inertia,
                "inertia_by_virtual_work_si": a.by_virtual_work,
                "rotor_inertia_si": a.drive.motor_inertia,
                "ratio": a.drive.ratio,
                "effective_inertia_si": a.effective,
                "gains": gains(&a.gains),
            })
        };
        json!({
            "model": self.project.name,
            "robot": self.robot,
            "place": self.place,
            "bandwidth_rad_s": self.spec.bandwidth,
            "bandwidth_asked_rad_s": self.asked,
            "damping_ratio": self.spec.damping,
            "lowest_mode_rad_s": self.spec.lowest_mode,
            "axes": self.axes.iter().map(axis).collect::<Vec<_>>(),
            "schedule": self.schedule.as_ref().map(ServoSchedule::json),
        })
    }
}

fn gains(g: &ServoGains) -> Value {
    json!({ "Kp": g.k_p, "Ki": g.k_i, "Kv": g.k_v })
}

impl ServoSchedule {
    fn json(&self) -> Value {
        let point = |p: &super::schedule::SchedulePoint| json!({ "place_si": p.place, "gains": p.gains.iter().map(gains).collect::<Vec<_>>() });
        json!({
            "grid": self.axes.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "points": self.points.iter().map(point).collect::<Vec<_>>(),
            "damping_between": self.damping,
        })
    }

    /// How much damping varies between the poses of the grid.
    pub fn lines(&self, axes: &[AxisServo]) -> Vec<String> {
        let named: Vec<&str> = self.axes.iter().map(|(name, _)| name.as_str()).collect();
        let mut lines =
            vec![String::new(), format!("gains over {} poses of {}", self.points.len(), named.join(" and "))];
        for (k, axis) in axes.iter().enumerate() {
            let of = |x: fn(&ServoGains) -> f64| {
                let all = self.points.iter().map(|p| x(&p.gains[k]));
                let ends = all.fold([f64::INFINITY, 0.0], |[a, b]: [f64; 2], x| [a.min(x), b.max(x)]);
                ends.map(|x| number(x, DIGITS))
            };
            let ([p_0, p_1], [v_0, v_1]) = (of(|g| g.k_p), of(|g| g.k_v));
            let [low, high] = self.damping[k].map(|x| number(x, DIGITS));
            lines.push(format!(
                "  {}: Kp {p_0} to {p_1}, Kv {v_0} to {v_1}; damping ratio between the poses {low} to {high}",
                axis.name
            ));
        }
        lines
    }

    /// The grid with all gains, one line for each pose, as a table that models can read; SI.
    pub fn csv(&self, axes: &[AxisServo]) -> String {
        let mut head: Vec<String> = self
            .axes
            .iter()
            .map(|(name, turns)| format!("{name} [{}]", if *turns { "rad" } else { "m" }))
            .collect();
        for a in axes {
            head.extend(["Kp", "Ki", "Kv"].map(|k| format!("{}_{k}", a.name)));
        }
        let mut text = head.join(",") + "\n";
        for point in &self.points {
            let of_gains = point.gains.iter().flat_map(|g| [g.k_p, g.k_i, g.k_v]);
            let line: Vec<String> =
                point.place.iter().copied().chain(of_gains).map(|x| format!("{x:?}")).collect();
            text += &(line.join(",") + "\n");
        }
        text
    }
}

/// The text of the model with the gains in the components that drive the axes, and how many were written.
pub fn rewritten(
    workspace: &Workspace,
    design: &ServoDesign,
    path: &str,
    text: &str,
) -> Result<(String, usize), Failure> {
    let refused = |e: trunnion_model::edit::EditError| ServoRequestError::Write { reason: e.to_string() };
    let mut edit = Edit::new(text).map_err(refused)?;
    let system = &design.project.prepared.system;
    let mut written = 0;
    for axis in &design.axes {
        if axis.drive_name.is_empty() {
            let (robot, axis) = (design.robot.clone(), axis.name.clone());
            return Err(ServoRequestError::NoDrive { robot, axis }.into());
        }
        let numbers =
            [("Kp", axis.gains.k_p), ("Ki", axis.gains.k_i), ("Kv", axis.gains.k_v), ("J", axis.effective)];
        // Where the rotor is `J_m`, `J` is the inertia for feedforward; elsewhere it is the rotor.
        let feedforward = parameter(system, &axis.drive_name, "J_m").is_some();
        for (key, value) in numbers.into_iter().filter(|(key, _)| *key != "J" || feedforward) {
            let Some(symbol) = parameter(system, &axis.drive_name, key) else { continue };
            let unit = &system.quantity(symbol).unit;
            let value = with_unit(unit.shown(value), &unit.text, WRITTEN);
            edit.set_argument(&axis.drive_name, key, &value).map_err(refused)?;
            written += 1;
        }
    }
    let new = edit.text();
    check_edited(workspace, path, &new)?;
    Ok((new, written))
}
