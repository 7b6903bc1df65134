//! The functions of the language: how many arguments, which dimensions, what they compute.
//!
//! Smooth ones replace a kink or a jump of width d:
//!
//!   smooth_abs(x, d)     = √(x² + d²)                        high by d at 0, by d²/2|x| far away      (1)
//!   smooth_max(a, b, d)  = ½ (a + b + smooth_abs(a − b, d))  high by d/2 where a = b                  (2)
//!   smooth_min(a, b, d)  = ½ (a + b − smooth_abs(a − b, d))  low by d/2 where a = b                   (3)
//!   smooth_sign(x, d)    = x / √(x² + d²)                    0.71 at d, 0.995 at 10 d                 (4)

use trunnion_equations::{Binary, Ex, Graph, Holding, Unary};

/// Which dimensions the arguments may have, and which one the result gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DimensionRule {
    /// Plain numbers give a plain number.
    Plain,
    /// Arguments of one dimension give that dimension.
    Same,
    /// Arguments of one dimension give a plain number.
    Ratio,
    /// Arguments of one dimension give its root.
    Root,
    /// Arguments of one dimension give its square.
    Square,
    /// The operator `^`.
    Power,
    /// A speed and two forces give a force.
    Dry,
    /// A condition, a speed and its rate give the force that has power with the speed.
    Hold,
}

pub(super) struct Function {
    /// As in the documentation: `clip(x, lo, hi)`.
    pub form: &'static str,
    /// Fewest and most arguments.
    pub count: (usize, usize),
    pub rule: DimensionRule,
    pub build: for<'g> fn(&'g Graph, &[Ex<'g>]) -> Ex<'g>,
}

const MANY: usize = usize::MAX;

pub(super) const FUNCTIONS: &[Function] = &[
    function("abs(x)", 1, DimensionRule::Same, |_, x| x[0].abs()),
    function("sign(x)", 1, DimensionRule::Ratio, |_, x| x[0].sign()),
    Function {
        count: (1, MANY),
        ..function("min(a, b, …)", 1, DimensionRule::Same, |_, x| fold(x, Ex::min))
    },
    Function {
        count: (1, MANY),
        ..function("max(a, b, …)", 1, DimensionRule::Same, |_, x| fold(x, Ex::max))
    },
    function("clip(x, lo, hi)", 3, DimensionRule::Same, |_, x| x[0].max(x[1]).min(x[2])),
    function("mod(x, y)", 2, DimensionRule::Same, |g, x| g.binary(Binary::Mod, x[0], x[1])),
    function("hypot(x, y)", 2, DimensionRule::Same, |_, x| (x[0] * x[0] + x[1] * x[1]).sqrt()),
    function("floor(x)", 1, DimensionRule::Plain, |g, x| g.unary(Unary::Floor, x[0])),
    function("ceil(x)", 1, DimensionRule::Plain, |g, x| g.unary(Unary::Ceil, x[0])),
    function("sqrt(x)", 1, DimensionRule::Root, |_, x| x[0].sqrt()),
    function("pow(x, n)", 2, DimensionRule::Power, |_, x| x[0].pow(x[1])),
    function("exp(x)", 1, DimensionRule::Plain, |_, x| x[0].exp()),
    function("ln(x)", 1, DimensionRule::Plain, |_, x| x[0].ln()),
    function("log10(x)", 1, DimensionRule::Plain, |g, x| g.unary(Unary::Log10, x[0])),
    function("sin(x)", 1, DimensionRule::Plain, |_, x| x[0].sin()),
    function("cos(x)", 1, DimensionRule::Plain, |_, x| x[0].cos()),
    function("tan(x)", 1, DimensionRule::Plain, |_, x| x[0].tan()),
    function("asin(x)", 1, DimensionRule::Plain, |g, x| g.unary(Unary::Asin, x[0])),
    function("acos(x)", 1, DimensionRule::Plain, |g, x| g.unary(Unary::Acos, x[0])),
    function("atan(x)", 1, DimensionRule::Plain, |g, x| g.unary(Unary::Atan, x[0])),
    function("atan2(y, x)", 2, DimensionRule::Ratio, |_, x| x[0].atan2(x[1])),
    function("sinh(x)", 1, DimensionRule::Plain, |g, x| g.unary(Unary::Sinh, x[0])),
    function("cosh(x)", 1, DimensionRule::Plain, |g, x| g.unary(Unary::Cosh, x[0])),
    function("tanh(x)", 1, DimensionRule::Plain, |_, x| x[0].tanh()),
    function("signed_root(x, d)", 2, DimensionRule::Root, |_, x| x[0].signed_root(x[1])),
    function("signed_square(x)", 1, DimensionRule::Square, |_, x| x[0].signed_square()),
    function("dry(v, f_hold, f_slide)", 3, DimensionRule::Dry, |g, x| {
        g.holding(Holding::Dry, [x[0], x[1], x[2]])
    }),
    function("hold(locked, v, rate)", 3, DimensionRule::Hold, |g, x| {
        g.holding(Holding::Hold, [x[0], x[1], x[2]])
    }),
    function("smooth_abs(x, d)", 2, DimensionRule::Same, |_, x| smooth_abs(x[0], x[1])),
    function("smooth_max(a, b, d)", 3, DimensionRule::Same, |_, x| {
        0.5 * (x[0] + x[1] + smooth_abs(x[0] - x[1], x[2]))
    }), // (2)
    function("smooth_min(a, b, d)", 3, DimensionRule::Same, |_, x| {
        0.5 * (x[0] + x[1] - smooth_abs(x[0] - x[1], x[2]))
    }), // (3)
    function("smooth_sign(x, d)", 2, DimensionRule::Ratio, |_, x| match x[1].value() {
        Some(0.0) => x[0].sign(),
        _ => x[0] / smooth_abs(x[0], x[1]),
    }), // (4)
];

const fn function(
    form: &'static str,
    count: usize,
    rule: DimensionRule,
    build: for<'g> fn(&'g Graph, &[Ex<'g>]) -> Ex<'g>,
) -> Function {
    Function { form, count: (count, count), rule, build }
}

impl Function {
    /// The argument that is the width of a smooth transition, and so a difference.
    pub fn width(&self) -> Option<usize> {
        self.form.ends_with(", d)").then(|| self.count.0 - 1)
    }

    pub fn name(&self) -> &'static str {
        self.form.split('(').next().unwrap_or(self.form)
    }
}

pub(super) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name() == name)
}

/// What other languages call it.
const HABITS: &[(&str, &str)] = &[
    ("log", "ln` or `log10"),
    ("sgn", "sign"),
    ("fabs", "abs"),
    ("power", "pow"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("clamp", "clip"),
    ("limit", "clip"),
    ("sat", "clip"),
    ("saturate", "clip"),
    ("ddt", "der"),
];

pub(super) fn habit(name: &str) -> Option<&'static str> {
    HABITS.iter().find(|(written, _)| *written == name).map(|(_, ours)| *ours)
}

fn fold<'g>(x: &[Ex<'g>], join: fn(Ex<'g>, Ex<'g>) -> Ex<'g>) -> Ex<'g> {
    x[1..].iter().fold(x[0], |a, &b| join(a, b))
}

fn smooth_abs<'g>(x: Ex<'g>, d: Ex<'g>) -> Ex<'g> {
    (x * x + d * d).sqrt() // (1)
}
