//! Whether dry friction sticks or slides, and to which side.
//!
//!   slides → sticks    when its speed comes to zero
//!   sticks → starts    when the force that holds it exceeds the limit, to the side that force held it from
//!   starts → slides    when its speed is beyond doubt
//!   starts → sticks    when it turns round before that

use trunnion_equations::{Image, STARTED, STICTION_SPEED};

/// The mode of friction that starts, for each direction.
const STARTS: f64 = 2.0;

pub struct Frictions {
    /// Place of each mode among the slow values: 1 or −1, 2 or −2 while it starts, or 0 while it sticks.
    modes: Vec<usize>,
    /// Speed, limit and multiplier of each.
    pub values: Vec<f64>,
    /// Of `keep`.
    kept: Vec<f64>,
}

/// What the program says of one friction.
struct FrictionValues {
    speed: f64,
    limit: f64,
    /// Along the speed.
    held_by: f64,
}

impl Frictions {
    pub fn new(image: &Image) -> Self {
        let modes = image.frictions.iter().filter_map(|&mode| image.slow_place(mode)).collect::<Vec<_>>();
        Frictions { values: vec![0.0; 3 * modes.len()], kept: vec![0.0; modes.len()], modes }
    }

    pub fn len(&self) -> usize {
        self.modes.len()
    }

    pub(crate) fn any_sticks(&self, slow: &[f64]) -> bool {
        self.modes.iter().any(|&mode| slow[mode] == 0.0)
    }

    pub fn sticks(&self, k: usize, slow: &[f64]) -> bool {
        slow[self.modes[k]] == 0.0
    }

    /// Remember the margins `g` of all.
    pub fn keep(&mut self, g: &[f64]) {
        self.kept.copy_from_slice(g);
    }

    /// Those that stick get them back.
    pub fn give_back(&self, slow: &[f64], g: &mut [f64]) {
        for k in (0..self.len()).filter(|&k| self.sticks(k, slow)) {
            g[k] = self.kept[k];
        }
    }

    fn now(&self, k: usize) -> FrictionValues {
        FrictionValues {
            speed: self.values[3 * k],
            limit: self.values[3 * k + 1],
            held_by: self.values[3 * k + 2],
        }
    }

    /// Its guard fell through zero.
    pub fn fire(&mut self, k: usize, slow: &mut [f64]) -> bool {
        let FrictionValues { speed, held_by, .. } = self.now(k);
        let turned = slow[self.modes[k]].abs() == STARTS && slow[self.modes[k]] * speed < 0.0;
        let new = if speed.abs() > STICTION_SPEED && !turned {
            speed.signum()
        } else if slow[self.modes[k]] != 0.0 {
            0.0
        } else {
            -STARTS * held_by.signum()
        };
        std::mem::replace(&mut slow[self.modes[k]], new) != new
    }

    /// What does not fit its speed or its force changes: the first that is found, as the others may follow from it. A limit below zero, which no
    /// friction has, is one whose relations (the branch of an `abs`) are not settled yet: it decides nothing.
    pub fn settle(&mut self, slow: &mut [f64]) -> bool {
        for k in 0..self.len() {
            let FrictionValues { speed, limit, held_by } = self.now(k);
            let mode = slow[self.modes[k]];
            let new = if mode.abs() == STARTS {
                match 0.5 * mode * speed {
                    ahead if ahead > STARTED => speed.signum(),
                    ahead if ahead < -STICTION_SPEED => 0.0,
                    _ => mode,
                }
            } else if mode * speed < -STICTION_SPEED || (mode == 0.0 && speed.abs() > STICTION_SPEED) {
                speed.signum()
            } else if mode != 0.0 && mode * speed <= 0.0 {
                0.0
            } else if mode == 0.0 && limit >= 0.0 && held_by.abs() > limit {
                -STARTS * held_by.signum()
            } else {
                mode
            };
            if new != mode {
                slow[self.modes[k]] = new;
                return true;
            }
        }
        false
    }
}
