//! Time laws: limits, continuity, and the shortest times in closed form.

use proptest::prelude::*;
use trunnion_robot::{LawError, LawKind, MotionLimits, TimeLaw};

const KINDS: [LawKind; 3] = [LawKind::Trapezoid, LawKind::SCurve, LawKind::Quintic];

fn size() -> impl Strategy<Value = f64> {
    (-3.0..3.0_f64).prop_map(|e| 10.0_f64.powf(e))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, rng_seed: prop::test_runner::RngSeed::Fixed(7), failure_persistence: None, ..Default::default() })]

    /// Nothing is exceeded, nothing jumps that must not, and the way is travelled whole.
    #[test]
    fn limits_hold_everywhere(length in size(), speed in size(), acceleration in size(), jerk in size()) {
        let limits = MotionLimits { speed, acceleration, jerk };
        for kind in KINDS {
            let law = TimeLaw::new(kind, length, limits).unwrap();
            let n = 400;
            let eps = 1e-9;
            let mut last = law.at(0.0);
            let dt = law.duration / f64::from(n);
            for i in 1..=n {
                let now = law.at(dt * f64::from(i));
                prop_assert!(now.v <= speed * (1.0 + eps) && now.v >= -speed * eps);
                prop_assert!(now.a.abs() <= acceleration * (1.0 + eps));
                prop_assert!(now.x >= last.x - length * eps && now.x <= length * (1.0 + eps));
                // Lipschitz: what a derivative allows within a step.
                prop_assert!((now.x - last.x).abs() <= speed * dt * (1.0 + 1e-6));
                prop_assert!((now.v - last.v).abs() <= acceleration * dt * (1.0 + 1e-6) + speed * eps);
                if kind != LawKind::Trapezoid {
                    prop_assert!(now.jerk.abs() <= jerk * (1.0 + eps));
                    prop_assert!((now.a - last.a).abs() <= jerk * dt * (1.0 + 1e-6) + acceleration * eps);
                }
                last = now;
            }
            let end = law.at(law.duration * (1.0 - 1e-12));
            prop_assert!((end.x - length).abs() < 1e-8 * length, "{} {}", end.x, length);
            // What is left of braking, and the rounding of the times.
            let rest = acceleration * 3e-12 * law.duration;
            prop_assert!(end.v.abs() < rest + 1e-9 * speed);
            prop_assert!((law.at(law.time_at(0.3 * length)).x - 0.3 * length).abs() < 1e-9 * length);
        }
    }

    /// Slower in time, the same in space.
    #[test]
    fn stretching_scales_rates(length in size(), factor in 1.0..5.0_f64) {
        let limits = MotionLimits { speed: 1.0, acceleration: 2.0, jerk: 5.0 };
        for kind in KINDS {
            let law = TimeLaw::new(kind, length, limits).unwrap();
            let slow = law.stretched(factor * law.duration);
            for i in 1..20 {
                let t = law.duration * (f64::from(i) + 0.37) / 21.0;
                let (a, b) = (law.at(t), slow.at(factor * t));
                prop_assert!((a.x - b.x).abs() < 1e-9 * length);
                prop_assert!((a.v - factor * b.v).abs() < 1e-9);
                prop_assert!((a.a - factor * factor * b.a).abs() < 1e-8);
            }
        }
    }
}

/// (1) to (3) of the laws, one line for each case. [Biagiotti2008, §3.2, §3.4]
#[test]
fn durations_are_the_shortest_ones() {
    let check = |kind, length: f64, v: f64, a: f64, j: f64, expected: f64| {
        let law = TimeLaw::new(kind, length, MotionLimits { speed: v, acceleration: a, jerk: j }).unwrap();
        assert!((law.duration - expected).abs() < 1e-12 * expected, "{kind:?} {} {expected}", law.duration);
    };
    check(LawKind::Trapezoid, 3.0, 1.0, 2.0, f64::INFINITY, 3.0 + 0.5);
    check(LawKind::Trapezoid, 0.02, 1.0, 2.0, f64::INFINITY, 2.0 * 0.01_f64.sqrt());
    check(LawKind::SCurve, 3.0, 1.0, 2.0, 8.0, 3.0 + 0.5 + 0.25);
    check(LawKind::SCurve, 0.4, 1.0, 2.0, 8.0, 0.25 + (0.0625_f64 + 0.8).sqrt());
    check(LawKind::SCurve, 3.0, 0.25, 2.0, 4.0, 12.0 + 2.0 * 0.25);
    check(LawKind::SCurve, 0.016, 1.0, 2.0, 8.0, 4.0 * 0.001_f64.cbrt());
    check(LawKind::Quintic, 1.0, 1.0, 100.0, 1e4, 15.0 / 8.0);
    check(LawKind::Quintic, 1.0, 100.0, 1.0, 1e4, (10.0 / 3.0_f64.sqrt()).sqrt());
    check(LawKind::Quintic, 1.0, 100.0, 100.0, 1.0, 60.0_f64.cbrt());
}

/// Bang-bang: some limit is reached at every instant, which is what makes a law the shortest. [Bryson1975, §3.9]
#[test]
fn some_limit_is_always_reached() {
    for (length, v) in [(3.0, 1.0), (0.4, 1.0), (3.0, 0.25), (0.016, 1.0)] {
        let limits = MotionLimits { speed: v, acceleration: 2.0, jerk: 8.0 };
        for kind in [LawKind::Trapezoid, LawKind::SCurve] {
            let law = TimeLaw::new(kind, length, limits).unwrap();
            for i in 0..1000 {
                let p = law.at(law.duration * (f64::from(i) + 0.5) / 1000.0);
                let full = [
                    p.v / v,
                    p.a.abs() / 2.0,
                    if kind == LawKind::SCurve { p.jerk.abs() / 8.0 } else { 0.0 },
                ];
                assert!(full.iter().any(|f| (f - 1.0).abs() < 1e-9), "{kind:?} {p:?}");
            }
        }
    }
}

#[test]
fn laws_without_limits_are_refused() {
    let limits = MotionLimits { speed: 1.0, acceleration: 1.0, jerk: f64::INFINITY };
    assert_eq!(TimeLaw::new(LawKind::SCurve, 1.0, limits), Err(LawError::Unlimited));
    assert!(TimeLaw::new(LawKind::Trapezoid, 1.0, limits).is_ok());
    assert_eq!(TimeLaw::new(LawKind::Trapezoid, f64::NAN, limits), Err(LawError::Length));
    assert_eq!(TimeLaw::new(LawKind::Trapezoid, 0.0, limits).unwrap().duration, 0.0);
}
