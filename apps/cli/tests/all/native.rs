//! Native code and interpreter give the same bits on every example, along a whole run.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::program::models;
use trunnion_engine::project::Project;
use trunnion_equations::{Compiled, EvaluationEngine, ProgramKind};
use trunnion_sim::machine::{Machine, Prepared};
use trunnion_sim::run::run;
use trunnion_study::advice::warnings;
use trunnion_study::simulate::{Overrides, settings};

fn evaluate(compiled: &Compiled, part: ProgramKind, t: f64, y: &[f64], slow: &[f64]) -> Vec<u64> {
    let mut scratch = vec![0.0; compiled.scratch()];
    let mut k = vec![0.0; compiled.n_slow()];
    compiled.prepare(slow, &mut scratch, &mut k);
    let mut out = vec![0.0; compiled.program(part as usize).n_out];
    compiled.run(part as usize, t, y, &k, &mut scratch, &mut out);
    // One NaN is like another.
    out.iter().map(|v| if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() }).collect()
}

#[test]
fn interpreter_and_native_code_agree_on_every_example() {
    let mut paths = Vec::new();
    for folder in ["../../examples", "../../tests/models"] {
        models(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut paths);
    }
    assert!(paths.len() >= 10);
    for path in paths {
        let project = Project::open(&path.to_string_lossy(), &[])
            .unwrap_or_else(|f| panic!("{}: {}", path.display(), f));
        let prepared: &Arc<Prepared> = &project.prepared;
        let interpreter = prepared.system.compile(EvaluationEngine::Interpreter);
        let (solver, s) = settings(&project.run, &Overrides::default()).unwrap_or_else(|_| panic!());
        let n_slow = prepared.system.slow.len();
        let mut seen = 0;
        let mut check = |machine: &mut Machine, t: f64, y: &[f64], _| {
            seen += 1;
            if seen % 50 == 1 {
                let slow: Vec<f64> = (0..n_slow).map(|i| machine.slow(i)).collect();
                // Any multipliers do.
                let multipliers = prepared.system.constraints.iter().map(|_| 0.7);
                let y: Vec<f64> = y.iter().copied().chain(multipliers).collect();
                for part in [
                    ProgramKind::Residual,
                    ProgramKind::Jacobian,
                    ProgramKind::TimeGradient,
                    ProgramKind::Guards,
                    ProgramKind::Outputs,
                    ProgramKind::Actions,
                    ProgramKind::Constraints,
                    ProgramKind::Gaps,
                ] {
                    assert!(prepared.compiled.warm_up(part as usize));
                    assert_eq!(
                        evaluate(&prepared.compiled, part, t, &y, &slow),
                        evaluate(&interpreter, part, t, &y, &slow),
                        "{} {part:?} at t = {t}",
                        path.display()
                    );
                }
            }
            ControlFlow::Continue(())
        };
        let finished = run(prepared, &HashMap::new(), solver, &s, &mut check).unwrap();
        assert!(finished.result.is_ok(), "{}: {:?}", path.display(), finished.result);
        assert!(seen > 10);
    }
}

#[test]
fn a_native_compilation_that_fails_is_told() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/domains/mechanics/oscillator.toml");
    let open = || Project::open(&path.to_string_lossy(), &[]).unwrap_or_else(|f| panic!("{f}"));
    let end = |project: &Project| {
        let (solver, s) = settings(&project.run, &Overrides::default()).unwrap_or_else(|_| panic!());
        let mut unwatched = |_: &mut Machine, _: f64, _: &[f64], _| ControlFlow::Continue(());
        run(&project.prepared, &HashMap::new(), solver, &s, &mut unwatched).unwrap().y
    };
    let (native, refused) = (open(), open());
    refused.prepared.compiled.refuse_native("no code for this processor");
    assert_eq!(end(&native), end(&refused));
    assert!(warnings(&native, &[], &[]).is_empty());
    let told: Vec<String> = warnings(&refused, &[], &[]).iter().map(|w| w.render(false)).collect();
    let told = told.join("\n");
    assert!(told.contains("warning[M0420]") && told.contains("no code for this processor"), "{told}");
}
