//! Whether dry friction sticks or slides, and to which side.
//!
//!   slides → sticks    when its speed comes to zero
//!   sticks → slides    when the force that holds it exceeds the limit, to the side that force held it from

use trunnion_equations::{STILL, System};
use trunnion_num::Archive;

pub struct Frictions {
    /// Place of each mode among the slow values: 1, −1, or 0 while it sticks.
    modes: Vec<usize>,
    /// When each last broke away: it does not stick again in the same instant.
    broke: Vec<f64>,
    /// Speed, limit and multiplier of each.
    pub values: Vec<f64>,
}

/// What the program says of one friction.
struct Now {
    speed: f64,
    limit: f64,
    /// Along the speed.
    held_by: f64,
}

impl Frictions {
    pub fn new(system: &System) -> Self {
        let modes = system.frictions.iter().filter_map(|f| system.slow_place(f.mode)).collect::<Vec<_>>();
        Frictions { broke: vec![f64::NEG_INFINITY; modes.len()], values: vec![0.0; 3 * modes.len()], modes }
    }

    pub fn len(&self) -> usize {
        self.modes.len()
    }

    /// See `Machine::remember`.
    pub fn remember(&mut self, archive: &mut Archive) {
        archive.numbers(&mut self.broke);
    }

    fn now(&self, k: usize) -> Now {
        Now { speed: self.values[3 * k], limit: self.values[3 * k + 1], held_by: self.values[3 * k + 2] }
    }

    /// Its guard fell through zero.
    pub fn fire(&mut self, k: usize, t: f64, slow: &mut [f64]) -> bool {
        let Now { speed, held_by, .. } = self.now(k);
        let new = if speed.abs() > STILL {
            speed.signum()
        } else if slow[self.modes[k]] != 0.0 {
            0.0
        } else {
            self.broke[k] = t;
            -held_by.signum()
        };
        std::mem::replace(&mut slow[self.modes[k]], new) != new
    }

    /// What does not fit its speed or its force changes: the first that is found, as the others may follow from it.
    pub fn settle(&mut self, t: f64, slow: &mut [f64]) -> bool {
        for k in 0..self.len() {
            let Now { speed, limit, held_by } = self.now(k);
            let direction = slow[self.modes[k]];
            let new = if direction * speed < -STILL || (direction == 0.0 && speed.abs() > STILL) {
                speed.signum()
            } else if direction != 0.0 && direction * speed <= 0.0 && self.broke[k] != t {
                0.0
            } else if direction == 0.0 && held_by.abs() > limit {
                self.broke[k] = t;
                -held_by.signum()
            } else {
                direction
            };
            if new != direction {
                slow[self.modes[k]] = new;
                return true;
            }
        }
        false
    }
}
