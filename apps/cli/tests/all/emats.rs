//! The elastic manipulator of examples/machines/emats: natural modes with the rotors held, against docs/explanation/references/elastic-manipulator.md, D.1.

use std::f64::consts::TAU;

use trunnion_engine::project::Project;
use trunnion_sim::linear::linearise;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, point};

/// Frequencies with the rotors held in Hz, ascending.
fn frequencies(values: &[&str]) -> Vec<f64> {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/machines/emats/emats.toml");
    let values: Vec<String> = ["motors=locked"].iter().chain(values).map(|v| (*v).to_string()).collect();
    let project = Project::open(model, &values).unwrap_or_else(|f| panic!("{f}"));
    let Ok(mut at) = point(&project, &Overrides::default(), None, &Monitor::default()) else {
        panic!("no start")
    };
    let linear = linearise(&mut at.machine, at.t, &at.y, &[], &[]).unwrap().0;
    let poles = linear.poles().unwrap();
    let mut found: Vec<f64> = poles.iter().filter(|p| p.im > 1.0).map(|p| p.re.hypot(p.im) / TAU).collect();
    found.sort_by(f64::total_cmp);
    found
}

fn assert_five(found: &[f64], expected: [f64; 5]) {
    for (f, e) in found.iter().zip(expected) {
        assert!((f / e - 1.0).abs() < 0.05, "{f} Hz for {e} Hz of {found:?}");
    }
}

/// Five modes below 30 Hz, the lowest near 10 Hz; the page has them from another beam model.
#[test]
fn five_modes_lie_below_thirty_hertz() {
    let [start, goal] = ["x_start=4.3295 m", "x_start=4.5295 m"].map(|x| frequencies(&[x]));
    assert_five(&start, [9.53, 10.13, 19.8, 25.9, 28.3]);
    assert_five(&goal, [8.26, 8.86, 21.4, 26.0, 29.7]);
    for modes in [start, goal] {
        assert_eq!(modes.iter().filter(|f| **f < 30.0).count(), 5, "{modes:?}");
    }
}

#[test]
fn stiff_gears_raise_the_modes() {
    let stiff = ["g1.k=1e9", "g2.k=1e9", "g3.k=1e9", "g4.k=1e9", "g5.k=1e9", "g6.k=1e9"];
    assert_five(&frequencies(&stiff), [13.0, 13.3, 21.6, 26.6, 39.6]);
}

/// A tube of the tool that bends, and more shapes of the others: hardly any change below 30 Hz.
#[test]
fn what_is_left_out_does_not_count() {
    let (few, many) =
        (frequencies(&[]), frequencies(&["upper_arm.modes=6", "forearm.modes=6", "tool.model=elastic"]));
    for (f, m) in few.iter().zip(&many).take(5) {
        assert!((f / m - 1.0).abs() < 3e-3, "{f} Hz and {m} Hz");
    }
}
