//! Integer parts as modes, where values have jumped.

use trunnion_equations::ProgramKind;

use super::Machine;

/// Integer parts of integer parts, one after the other.
const ROUNDS: usize = 8;
/// A guard that is beyond zero by more has been left behind by a jump: what is less is found along the curve.
const LEFT_BEHIND: f64 = 0.5;

impl Machine {
    /// Whole numbers of the values at hand, before anything else is computed with them.
    pub(super) fn recount(&mut self, t: f64, y: &[f64]) {
        let system = &*self.image();
        if system.relations.iter().all(|r| r.step == 0.0) {
            return;
        }
        let mut g = std::mem::take(&mut self.guard_values);
        for relation in system.relations.iter().filter(|r| r.step != 0.0) {
            if let Some(place) = system.slow_place(relation.mode).filter(|&i| !self.slow[i].is_finite()) {
                self.slow[place] = 0.0;
                self.prepare();
            }
        }
        for _ in 0..ROUNDS {
            self.part(ProgramKind::Guards, t, y, &mut g);
            let mut changed = false;
            for (relation, &value) in system.relations.iter().zip(&g[system.events.len()..]) {
                let Some(place) = system.slow_place(relation.mode).filter(|_| relation.step != 0.0) else {
                    continue;
                };
                let now = self.slow[place];
                // What has no integer part is reported where it is used.
                let new = match value.is_finite() {
                    false => f64::NAN,
                    true if value < 0.0 && relation.points.is_some() => relation.settled(now, value),
                    true if value < -LEFT_BEHIND => relation.settled(now, value),
                    true => now,
                };
                changed |= new.to_bits() != now.to_bits();
                self.slow[place] = new;
            }
            if !changed {
                break;
            }
            self.prepare();
        }
        self.guard_values = g;
    }
}
