//! What every implicit solver has to show: orders, exactness, accuracy on the standard problems, limits, failures.

use super::bdf::bdf;
use super::esdirk::{ESDIRK34, Esdirk, TR_BDF2, esdirk34, trbdf2};
use super::one_step::OneStep;
use super::problems::{self, Written};
use super::rosenbrock::{RODAS5P, ROS2, Rosenbrock, rodas5p};
use crate::problem::{Layout, Problem};
use crate::stepper::{Options, Stepper};

type Make = fn(&Layout, &Options) -> Box<dyn Stepper>;

/// Every adaptive implicit solver by name.
const ADAPTIVE: [(&str, Make); 4] = [
    ("trbdf2", |layout, options| Box::new(trbdf2(layout, options))),
    ("esdirk34", |layout, options| Box::new(esdirk34(layout, options))),
    ("rodas5p", |layout, options| Box::new(rodas5p(layout, options))),
    ("bdf", |layout, options| Box::new(bdf(layout, options))),
];

fn run(solver: &mut dyn Stepper, problem: &mut Written) {
    let (start, t_end) = (problem.start.clone(), problem.t_end);
    solver.restart(problem, 0.0, &start).unwrap();
    while solver.state().0 < t_end {
        if let Err(e) = solver.step(problem, t_end) {
            println!("{e:?}");
            return;
        }
    }
}

/// −log₁₀ max |y − ref| / (size + |ref|): the measure of the test set, for atol = rtol · size.
fn mescd(y: &[f64], problem: &Written) -> f64 {
    let error = |i: usize| (y[i] - problem.end[i]).abs() / (problem.layout.nominal[i] + problem.end[i].abs());
    -(0..y.len()).map(error).fold(0.0, f64::max).log10()
}

#[test]
fn standard_problems_keep_the_tolerance_within_a_factor_100() {
    let standard: [(&str, fn() -> Written); 4] = [
        ("HIRES", problems::hires),
        ("Robertson", problems::robertson),
        ("Van der Pol", problems::van_der_pol),
        ("amplifier", problems::transistor_amplifier),
    ];
    let mut short = Vec::new();
    for (name, make) in standard {
        for (solver_name, solver) in ADAPTIVE {
            for digits in [4, 6, 8] {
                let mut problem = make();
                let options = Options { rtol: 10f64.powi(-digits), ..Options::default() };
                let mut solver = solver(problem.layout(), &options);
                run(&mut *solver, &mut problem);
                let achieved = mescd(solver.state().1, &problem);
                println!("{name:12} {solver_name:9} 1e-{digits} mescd {achieved:5.2} {:?}", solver.work());
                if achieved < f64::from(digits) - 2.0 {
                    short.push(format!("{name} {solver_name} 1e-{digits}: {achieved:.2}"));
                }
            }
        }
    }
    assert!(short.is_empty(), "{short:#?}");
}
