//! Checks of expectations as rows of text.

use trunnion_num::text::{number, with_unit};

use crate::verify::{ExpectationCheck, VerifyReport};

/// Verdicts of checks that miss: missed, failed, with a tolerance that is no check.
pub const BAD: [&str; 3] = ["MISS", "FAILED", "LOOSE"];

/// Titles of the columns.
pub const COLUMNS: [&str; 8] = ["model", "check", "solver", "expected", "found", "error", "allowed", ""];

/// A row for every check that is shown, or for a model without any.
pub fn rows(reports: &[VerifyReport], all: bool) -> Vec<Vec<String>> {
    let mut list = vec![];
    for report in reports {
        let mut model = report.path.clone();
        let mut push = |cells: Vec<String>| {
            list.push(std::iter::once(std::mem::take(&mut model)).chain(cells).collect());
        };
        for check in shown(&report.checks, all) {
            let verdict = match (check.passed(), check.loose) {
                (true, _) => "ok".into(),
                (false, true) => BAD[2].into(),
                (false, false) => BAD[0].into(),
            };
            push(cells(check).into_iter().chain([verdict]).collect());
        }
        let line = |what: &str, solver: &str, verdict: &str| {
            let mut cells = vec![what.to_string(), solver.to_string()];
            cells.extend(std::iter::repeat_n(String::new(), 4));
            cells.push(verdict.into());
            cells
        };
        for failure in &report.failures {
            let what = if failure.solver.is_empty() { "opens" } else { "runs" };
            push(line(what, &failure.solver, BAD[1]));
        }
        if report.checks.is_empty() && report.failures.is_empty() {
            push(line("runs", "", "ok"));
        }
    }
    list
}

/// All checks, or of each expectation those that miss, or the one nearest to its limit.
fn shown(checks: &[ExpectationCheck], all: bool) -> Vec<&ExpectationCheck> {
    if all {
        return checks.iter().collect();
    }
    let last = checks.iter().map(|c| c.expectation).max().unwrap_or(0);
    let mut list = vec![];
    for expectation in 0..=last {
        let of = || checks.iter().filter(|c| c.expectation == expectation);
        let missed: Vec<&ExpectationCheck> = of().filter(|c| !c.passed()).collect();
        match missed.is_empty() {
            true => list.extend(of().max_by(|a, b| a.used().total_cmp(&b.used()))),
            false => list.extend(missed),
        }
    }
    list
}

fn cells(check: &ExpectationCheck) -> Vec<String> {
    let unit = &check.unit;
    let share = check.allowed / check.expected.abs();
    // Enough digits to see an error of the size that is allowed.
    let digits = if share > 0.0 && share < 1.0 { (2.0 - share.log10()).ceil() as usize } else { 4 };
    let value = |si: f64| match si.is_nan() {
        true => "–".to_string(),
        false => with_unit(unit.shown(si), &unit.text, digits.clamp(4, 14)),
    };
    let difference = |si: f64| match (si.is_nan(), check.relative) {
        (true, _) => "–".to_string(),
        (_, true) => format!("{} %", number(100.0 * si / check.expected.abs(), 2)),
        (_, false) => with_unit(si / unit.factor, &unit.text, 2),
    };
    let (what, solver) = (check.what.clone(), check.solver.clone());
    match check.bounds {
        Some((low, high)) => {
            let wanted = match (low.is_finite(), high.is_finite()) {
                (true, true) => format!("{} … {}", value(low), value(high)),
                (true, false) => format!("≥ {}", value(low)),
                _ => format!("≤ {}", value(high)),
            };
            let outside = Some(check.error()).filter(|e| *e != 0.0).map(difference);
            vec![what, solver, wanted, value(check.found), outside.unwrap_or_default(), String::new()]
        }
        None => {
            let [expected, found] = [check.expected, check.found].map(value);
            vec![what, solver, expected, found, difference(check.error()), difference(check.allowed)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunnion_equations::DisplayUnit;

    fn with(expectation: usize, found: f64, allowed: f64) -> ExpectationCheck {
        ExpectationCheck {
            expectation,
            what: "max(x)".into(),
            solver: "auto 1e-6".into(),
            expected: 0.029919,
            found,
            allowed,
            relative: false,
            bounds: None,
            loose: false,
            unit: DisplayUnit { text: "mm".into(), factor: 1e-3, offset: 0.0 },
        }
    }

    #[test]
    fn a_check_shows_enough_digits() {
        assert!(with(0, 0.029918, 6e-5).passed() && !with(0, f64::NAN, 1.0).passed());
        let near = cells(&with(0, 0.029918, 6e-5));
        assert_eq!(near[2..], ["29.919 mm", "29.918 mm", "0.001 mm", "0.06 mm"]);
        let relative = ExpectationCheck { relative: true, ..with(0, 0.03, 6e-5) };
        assert_eq!(cells(&relative)[4..], ["0.27 %", "0.2 %"]);
        assert_eq!(cells(&with(0, f64::NAN, 1.0))[3..], ["–", "–", "1000 mm"]);
    }

    #[test]
    fn bounds_hold_or_tell_how_far_outside_a_value_is() {
        let bounded = |found: f64, low: f64, high: f64| ExpectationCheck {
            bounds: Some((low, high)),
            ..with(0, found, 0.0)
        };
        let (none, much) = (f64::NEG_INFINITY, f64::INFINITY);
        for (found, low, high, passes, wanted, outside) in [
            (0.003, none, 0.004, true, "≤ 4 mm", ""),
            (0.005, none, 0.004, false, "≤ 4 mm", "1 mm"),
            (0.005, 0.004, much, true, "≥ 4 mm", ""),
            (0.003, 0.004, much, false, "≥ 4 mm", "1 mm"),
            (0.004, 0.004, 0.005, true, "4 mm … 5 mm", ""),
            (0.006, 0.004, 0.005, false, "4 mm … 5 mm", "1 mm"),
            (f64::NAN, none, 0.004, false, "≤ 4 mm", "–"),
        ] {
            let check = bounded(found, low, high);
            assert_eq!(check.passed(), passes, "{found} in {low} … {high}");
            let cells = cells(&check);
            assert_eq!((cells[2].as_str(), cells[4].as_str()), (wanted, outside));
        }
        assert!(!ExpectationCheck { loose: true, ..with(0, 0.029919, 1.0) }.passed());
    }

    #[test]
    fn misses_are_all_listed_and_the_worst_that_pass() {
        let checks = [with(0, 0.03, 1e-3), with(0, 0.0301, 1e-3), with(1, 1.0, 1e-3), with(1, f64::NAN, 1.0)];
        let found: Vec<f64> = shown(&checks, false).iter().map(|c| c.found).take(2).collect();
        assert_eq!(found, [0.0301, 1.0]);
        assert_eq!(shown(&checks, false).len(), 3);
        assert_eq!(shown(&checks, true).len(), 4);
    }
}
