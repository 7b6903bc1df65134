//! The list of solvers, by the names users write.

use crate::problem::Layout;
use crate::solvers::auto::Auto;
use crate::solvers::bdf::bdf;
use crate::solvers::esdirk::{esdirk34, trbdf2};
use crate::solvers::explicit::Explicit;
use crate::solvers::generalized_alpha::{GeneralizedAlpha, Parameters, StartAcceleration};
use crate::solvers::rosenbrock::{realtime, rodas5p};
use crate::stepper::{SolverOptions, Stepper};

/// Numbers that only the structural methods take; None: their own defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MethodNumbers {
    pub alpha: Option<f64>,
    pub rho_inf: Option<f64>,
    pub beta: Option<f64>,
    pub gamma: Option<f64>,
    /// Start with accelerations of zero instead of consistent ones.
    pub zero_start: bool,
}

/// A solver in the list.
pub struct SolverEntry {
    pub name: &'static str,
    pub about: &'static str,
    pub fixed_step: bool,
    make: fn(&Layout, &SolverOptions, &MethodNumbers) -> Box<dyn Stepper>,
}

/// Every solver. `auto` comes first.
pub const SOLVERS: &[SolverEntry] = &[
    SolverEntry {
        name: "auto",
        about: "rodas5p; for mechanisms and alike tsit45 until they prove stiff",
        fixed_step: false,
        make: |l, o, _| if Auto::suits(l) { Box::new(Auto::new(l, o)) } else { Box::new(rodas5p(l, o)) },
    },
    SolverEntry {
        name: "rodas5p",
        about: "Rosenbrock, order 5, adaptive, for stiff models",
        fixed_step: false,
        make: |l, o, _| Box::new(rodas5p(l, o)),
    },
    SolverEntry {
        name: "esdirk34",
        about: "singly diagonally implicit Runge–Kutta, order 4, adaptive",
        fixed_step: false,
        make: |l, o, _| Box::new(esdirk34(l, o)),
    },
    SolverEntry {
        name: "trbdf2",
        about: "trapezoid and backward difference, order 3, adaptive, very robust",
        fixed_step: false,
        make: |l, o, _| Box::new(trbdf2(l, o)),
    },
    SolverEntry {
        name: "bdf",
        about: "backward differences, order 1 to 5, adaptive",
        fixed_step: false,
        make: |l, o, _| Box::new(bdf(l, o)),
    },
    SolverEntry {
        name: "tsit45",
        about: "explicit Runge–Kutta of Tsitouras, order 5, adaptive, for models that are not stiff",
        fixed_step: false,
        make: |_, o, _| Box::new(Explicit::tsit45(o.clone())),
    },
    SolverEntry {
        name: "rk4",
        about: "classical explicit Runge–Kutta, order 4, fixed step",
        fixed_step: true,
        make: |_, o, _| Box::new(Explicit::rk4(o.clone())),
    },
    SolverEntry {
        name: "euler",
        about: "explicit Euler, order 1, fixed step",
        fixed_step: true,
        make: |_, o, _| Box::new(Explicit::euler(o.clone())),
    },
    SolverEntry {
        name: "generalized_alpha",
        about: "generalized-α, order 2, fixed step, damping of high modes set by rho_inf",
        fixed_step: true,
        make: |_, o, m| structural(Parameters::generalized_alpha(m.rho_inf.unwrap_or(0.8)), o, m),
    },
    SolverEntry {
        name: "hht",
        about: "Hilber–Hughes–Taylor, order 2, fixed step, with alpha",
        fixed_step: true,
        make: |_, o, m| structural(Parameters::hht(m.alpha.unwrap_or(0.1)), o, m),
    },
    SolverEntry {
        name: "newmark",
        about: "Newmark, fixed step, with beta and gamma (default: average acceleration)",
        fixed_step: true,
        make: |_, o, m| structural(Parameters::newmark(m.beta.unwrap_or(0.25), m.gamma.unwrap_or(0.5)), o, m),
    },
    SolverEntry {
        name: "realtime",
        about: "Rosenbrock, order 3, ends at multiples of its step and divides it where needed; of live runs",
        fixed_step: true,
        make: |l, o, _| Box::new(realtime(l, o)),
    },
];

fn structural(parameters: Parameters, options: &SolverOptions, numbers: &MethodNumbers) -> Box<dyn Stepper> {
    let start = if numbers.zero_start { StartAcceleration::Zero } else { StartAcceleration::Consistent };
    Box::new(GeneralizedAlpha::new(parameters, start, options.clone()))
}

/// The entry of a name.
pub fn find(name: &str) -> Option<&'static SolverEntry> {
    SOLVERS.iter().find(|e| e.name == name)
}

impl SolverEntry {
    pub fn stepper(
        &self,
        layout: &Layout,
        options: &SolverOptions,
        numbers: &MethodNumbers,
    ) -> Box<dyn Stepper> {
        (self.make)(layout, options, numbers)
    }
}
