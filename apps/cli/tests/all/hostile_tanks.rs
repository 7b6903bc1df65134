//! Hostile corpus: tanks that run empty. The slope of a root or a fractional power has no bound at zero.

use crate::hostile::{Corpus, model};

/// h' = −k h^p from h0: h^(1−p) = h0^(1−p) − (1−p) k t until it is empty.
fn level(h0: f64, k: f64, p: f64, t: f64) -> f64 {
    (h0.powf(1.0 - p) - (1.0 - p) * k * t).max(0.0).powf(1.0 / (1.0 - p))
}

#[test]
fn a_tank_runs_empty_and_stays() {
    let mut corpus = Corpus::new();
    for (law, p) in [
        ("sqrt(max(h, 0))", 0.5),
        ("max(h, 0)^0.5", 0.5),
        ("signed_root(h, 0)", 0.5),
        ("max(h, 0)^(2/3)", 2.0 / 3.0),
        ("max(h, 0)^0.3", 0.3),
        ("pow(max(h, 0), 0.8)", 0.8),
        ("if h > 0 then sqrt(max(h, 0)) else 0", 0.5),
        ("sqrt(0.5*(h + abs(h)))", 0.5),
        ("sqrt(clip(h, 0, 10))", 0.5),
        ("abs(h)^0.5*sign(h)", 0.5),
        ("sqrt(abs(h))*sign(h)", 0.5),
        ("sign(h)*sqrt(2*abs(h)/0.5)/2", 0.5),
        ("sign(h)*abs(h)^0.7", 0.7),
        ("sign(h)*abs(h)^0.45", 0.45),
        ("sign(h)*abs(h)^0.3", 0.3),
        ("sign(h)*abs(h)^q", 0.6),
        ("2*abs(h)^(q - 0.3)*sign(h)/2", 0.3),
        ("if h > 0 then sqrt(h) else -sqrt(-h)", 0.5),
        ("if h >= 0 then sqrt(h) else 0", 0.5),
    ] {
        // Half empty, and long after the end; z is what has run out.
        for t in [8.0, 60.0] {
            let text = model(
                &[("h", 1.0), ("z", 0.0)],
                &[&format!("der(h)*S = -0.1*({law})"), &format!("der(z)*S = 0.1*({law})")],
                "",
                t,
            );
            let text = text.replace("[variables]", "q = 0.6\n[variables]");
            let h = level(1.0, 0.1, p, t);
            corpus.right(&format!("{law} at {t}"), &text, &[("h", h, 2e-5), ("z", 1.0 - h, 2e-5)]);
        }
    }
    corpus.finish();
}

#[test]
fn tanks_in_a_row_refills_and_empty_starts() {
    let mut corpus = Corpus::new();
    // The upper empties into the lower, which empties later: nothing is lost.
    for (k1, k2) in [(0.1, 0.03), (0.5, 0.1), (0.05, 0.3)] {
        let text = model(
            &[("a", 1.0), ("b", 0.0), ("z", 0.0)],
            &[
                &format!("der(a)*S = -{k1}*sqrt(max(a, 0))"),
                &format!("der(b)*S = {k1}*sqrt(max(a, 0)) - {k2}*sqrt(max(b, 0))"),
                &format!("der(z)*S = {k2}*sqrt(max(b, 0))"),
            ],
            "",
            150.0,
        );
        corpus.right(
            &format!("in a row {k1} {k2}"),
            &text,
            &[("a", 0.0, 2e-5), ("b", 0.0, 2e-5), ("z", 1.0, 5e-5)],
        );
    }
    // Two tanks level out: d = h1 − h2 falls as d' = −2 k √d.
    for t in [3.0, 40.0] {
        let text = model(
            &[("a", 2.0), ("b", 0.0)],
            &["der(a)*S = -0.1*sign(a - b)*sqrt(abs(a - b))", "der(b)*S = 0.1*sign(a - b)*sqrt(abs(a - b))"],
            "",
            t,
        );
        let d = level(2.0, 0.2, 0.5, t);
        corpus.right(
            &format!("level out at {t}"),
            &text,
            &[("a", 1.0 + d / 2.0, 2e-5), ("b", 1.0 - d / 2.0, 2e-5)],
        );
    }
    // Refilled by an event long after it ran empty, 20 s each time.
    for (every, t_end) in [(50.0, 108.0), (25.0, 133.0)] {
        let text = model(
            &[("h", 1.0)],
            &["der(h)*S = -0.1*sqrt(max(h, 0))"],
            &format!(
                "[events.fill]\nwhen = \"mod(time, {every} s) < {every} s/2\"\nset = {{ h = \"h + 1\" }}\n"
            ),
            t_end,
        );
        let since = t_end % every;
        corpus.right(&format!("refilled every {every}"), &text, &[("h", level(1.0, 0.1, 0.5, since), 5e-5)]);
    }
    // Empty at the start, then an inflow: it rises to (q/k)².
    for (start, q) in [(10.0, 0.05), (100.0, 0.1), (1.0, 0.2)] {
        let text = model(
            &[("h", 0.0)],
            &[&format!("der(h)*S = (if time > {start} s then {q} else 0) - 0.1*sqrt(max(h, 0))")],
            "",
            start + 1500.0,
        );
        corpus.right(&format!("inflow {q} from {start}"), &text, &[("h", (q / 0.1) * (q / 0.1), 1e-4)]);
    }
    // The inflow ends: h' = q − k √h, then empty. Cone: A ~ h², so that h' = −c h^(−3/2), which ends with a slope without bound.
    let text = model(
        &[("h", 0.0)],
        &["der(h)*S = (if time < 500 s then 0.1 else 0) - 0.1*sqrt(max(h, 0))"],
        "",
        600.0,
    );
    corpus.right("inflow that ends", &text, &[("h", 0.0, 2e-5)]);
    let text = model(&[("h", 1.0)], &["der(h)*S = -0.1*max(h, 1e-3)^(-3/2)"], "", 3.5);
    corpus.right("cone", &text, &[("h", (1.0_f64 - 0.25 * 3.5).powf(0.4), 1e-5)]);
    corpus.finish();
}

#[test]
fn a_root_without_a_value_below_zero_is_named_with_what_to_write() {
    let mut corpus = Corpus::new();
    for (law, fault, remedy) in [
        ("sqrt(h)", "root of a negative number in sqrt(h)", "write sqrt(max(h, 0))"),
        ("h^0.5", "in sqrt(h)", "write sqrt(max(h, 0))"),
        ("h^0.4", "a fractional power of a negative number in h^0.4", "write max(h, 0)^0.4"),
        ("sqrt(2*h)", "in sqrt(2*h)", "write sqrt(max(2*h, 0))"),
        ("sqrt(h)/2", "in sqrt(h)", "write sqrt(max(h, 0))"),
    ] {
        for rate in [0.5, 0.3] {
            let text = model(&[("h", 1.0)], &[&format!("der(h)*S = -{rate}*({law})")], "", 20.0);
            corpus.told(&format!("{rate} {law}"), &text, 3, &["`h` has no finite value", fault, remedy]);
        }
    }
    corpus.finish();
}
