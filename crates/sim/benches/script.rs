//! Time of one call of a controller: nothing but the call, a PID, and six inputs and outputs.

use std::time::Instant;
use trunnion_sim::script::{Limits, Script};

const BATCHES: usize = 2000;
const CALLS: usize = 500;

fn main() {
    let manual = include_str!("../../../docs/guides/controllers.md");
    let pid = manual
        .split("```js\n")
        .nth(1)
        .and_then(|text| text.split("```").next())
        .expect("the PID of the manual");
    let names = |names: &str| -> Vec<String> { names.split_whitespace().map(String::from).collect() };
    for (title, source, inputs, outputs) in [
        ("one number", "function step(t, inputs) { return inputs.y; }", "y", "u"),
        ("PID", pid, "y y_ref", "u"),
        (
            "six and six",
            "function step(t, { a, b, c, d, e, f }) { return { u: a, v: b, w: c, x: d, y: e, z: f }; }",
            "a b c d e f",
            "u v w x y z",
        ),
    ] {
        let (inputs, outputs) = (names(inputs), names(outputs));
        let built = Instant::now();
        let mut script = Script::new(title, source, &inputs, &outputs, Limits::default()).unwrap();
        script.init(0.0, &[]).unwrap();
        let built = built.elapsed().as_secs_f64();
        let mut values = vec![0.5; inputs.len()];
        let mut results = vec![0.0; outputs.len()];
        // A batch is shorter than a time slice of the scheduler, so the best ones ran undisturbed.
        let mut batches: Vec<f64> = (0..BATCHES)
            .map(|batch| {
                let started = Instant::now();
                for k in 0..CALLS {
                    values[0] = (k % 7) as f64 * 0.1;
                    script.step((batch * CALLS + k) as f64 * 1e-3, &values, &mut results).unwrap();
                }
                started.elapsed().as_secs_f64() / CALLS as f64
            })
            .collect();
        batches.sort_by(f64::total_cmp);
        let [best, median] = [BATCHES / 20, BATCHES / 2].map(|index| batches[index] * 1e6);
        println!("{title:12} {best:6.3} µs a call (median {median:.3} µs), read in {:.0} µs", built * 1e6);
    }
}
