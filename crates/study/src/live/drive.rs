//! From keys to inputs: steps, values that are held, limits.
//!
//! A terminal tells that a key is pressed and repeats, not that it is let go: a held value ends when repeats stay away.

use std::time::{Duration, Instant};

use trunnion_equations::System;
use trunnion_model::live::{KeyBinding, Move};

/// How long a key counts as held after the first press (keyboards begin to repeat after a quarter to two thirds of a second), and after a
/// repeat.
const FIRST: Duration = Duration::from_millis(700);
const REPEAT: Duration = Duration::from_millis(150);

/// An input that keys move.
struct KeyInput {
    /// Among the slow values.
    place: usize,
    name: String,
    value: f64,
    /// Until when a held value lasts; the key that holds it.
    held: Option<(Instant, usize)>,
    range: (f64, f64),
}

pub struct KeyDrive {
    bindings: Vec<KeyBinding>,
    /// Of each binding, its place in `inputs`.
    of: Vec<usize>,
    inputs: Vec<KeyInput>,
}

/// The place of an input among the slow values.
pub(crate) fn input_place(system: &System, name: &str) -> Option<usize> {
    system.slow.iter().position(|&s| system.quantity(s).name == name)
}

impl KeyDrive {
    /// `value` gives the present value of a slow place.
    pub fn new(system: &System, bindings: &[KeyBinding], mut value: impl FnMut(usize) -> f64) -> Self {
        let mut drive = KeyDrive { bindings: vec![], of: vec![], inputs: vec![] };
        for binding in bindings {
            // An input that the equations do not need was left out of them.
            let Some(place) = input_place(system, &binding.input) else { continue };
            let known = drive.inputs.iter().position(|input| input.place == place);
            let at = known.unwrap_or_else(|| {
                let name = binding.input.clone();
                let range = (f64::NEG_INFINITY, f64::INFINITY);
                drive.inputs.push(KeyInput { place, name, value: value(place), held: None, range });
                drive.inputs.len() - 1
            });
            let range = &mut drive.inputs[at].range;
            *range = (range.0.max(binding.range.0), range.1.min(binding.range.1));
            drive.bindings.push(binding.clone());
            drive.of.push(at);
        }
        drive
    }

    /// Names and values of all inputs that keys move.
    pub fn values(&self) -> impl Iterator<Item = (&str, usize, f64)> {
        self.inputs.iter().map(|input| (input.name.as_str(), input.place, input.value))
    }

    /// A key was pressed; false if it moves nothing.
    pub(crate) fn press(&mut self, key: &str, now: Instant) -> bool {
        let mut any = false;
        for (number, (binding, &of)) in self.bindings.iter().zip(&self.of).enumerate() {
            if binding.key != key {
                continue;
            }
            any = true;
            let input = &mut self.inputs[of];
            match binding.action {
                Move::Step(step) => (input.value, input.held) = (input.value + step, None),
                Move::Set(value) => (input.value, input.held) = (value, None),
                Move::Hold(value) => {
                    let repeats = input.held.is_some_and(|(_, by)| by == number);
                    input.value = value;
                    input.held = Some((now + if repeats { REPEAT } else { FIRST }, number));
                }
            }
            input.limit();
        }
        any
    }

    /// Every input to zero, or as near as its limits let it.
    pub fn zero(&mut self) {
        for input in &mut self.inputs {
            (input.value, input.held) = (0.0, None);
            input.limit();
        }
    }

    /// Values whose key was let go.
    pub fn release(&mut self, now: Instant) {
        for input in &mut self.inputs {
            if input.held.is_some_and(|(until, _)| now >= until) {
                (input.value, input.held) = (0.0, None);
                input.limit();
            }
        }
    }
}

impl KeyInput {
    fn limit(&mut self) {
        // Limits of two keys may leave nothing between them.
        self.value = self.value.min(self.range.1).max(self.range.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive() -> KeyDrive {
        let binding =
            |key: &str, action, range| KeyBinding { key: key.into(), input: "u".into(), action, range };
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        let bindings = vec![
            binding("q", Move::Step(2.0), (f64::NEG_INFINITY, 5.0)),
            binding("h", Move::Hold(3.0), free),
            binding("1", Move::Set(-7.0), (-4.0, f64::INFINITY)),
        ];
        let input = KeyInput { place: 0, name: "u".into(), value: 0.0, held: None, range: (-4.0, 5.0) };
        KeyDrive { bindings, of: vec![0; 3], inputs: vec![input] }
    }

    fn value(drive: &KeyDrive) -> f64 {
        drive.values().next().unwrap().2
    }

    #[test]
    fn steps_add_up_to_the_limit() {
        let (mut drive, now) = (drive(), Instant::now());
        let values: Vec<f64> = (0..3)
            .map(|_| {
                assert!(drive.press("q", now));
                value(&drive)
            })
            .collect();
        assert_eq!(values, [2.0, 4.0, 5.0]);
        assert!(!drive.press("y", now));
        drive.press("1", now);
        assert_eq!(value(&drive), -4.0);
        drive.zero();
        assert_eq!(value(&drive), 0.0);
    }

    #[test]
    fn a_held_value_lasts_as_long_as_its_key_repeats() {
        let (mut drive, start) = (drive(), Instant::now());
        let mut at = |ms: u64, press: bool| {
            let now = start + Duration::from_millis(ms);
            if press {
                drive.press("h", now);
            }
            drive.release(now);
            value(&drive)
        };
        let seen =
            [at(0, true), at(500, false), at(600, true), at(640, true), at(700, false), at(800, false)];
        assert_eq!(seen, [3.0, 3.0, 3.0, 3.0, 3.0, 0.0]);
    }
}
