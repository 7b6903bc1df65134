//! Prescribed motions over the time of a run: they have a value, a speed and an acceleration everywhere, and neither they nor their speeds jump.
//!
//!   d = |q(b) − q(a) − ½ (q'(a) + q'(b)) (b − a)|                                                       (1)
//!
//! falls with (b − a)³ where q is smooth and stays where it jumps: intervals with a large d are halved, the worse half first, down to
//! neighbouring numbers. For q' and q'' alike. A motion that departs and comes back between two samples is not seen.

use std::collections::HashMap;

use trunnion_equations::derivative::derivative;
use trunnion_equations::flat::Origin;
use trunnion_equations::{Compiled, EvaluationEngine, ExprNode, Symbol, System};
use trunnion_model::mechanism::{Freedom, Mechanism, Motion};
use trunnion_model::{Diagnostic, Sources};

use crate::Failure;
use trunnion_num::text::with_unit;

const NO_VALUE: &str = "B0012";
const JUMPS: &str = "B0013";

/// Looks at each motion.
const LOOKS: usize = 4000;
/// What (1) may be, relative to the largest value of the run.
const SMOOTH: f64 = 1e-7;

/// Errors, or warnings about speeds that jump where nothing but drives feels it.
pub(crate) fn examine(
    system: &System,
    mechanism: &Mechanism,
    sources: &Sources,
    (t_0, t_end): (f64, f64),
) -> Result<Vec<Diagnostic>, Failure> {
    let free = |f: &Freedom| f.motion.is_none() && system.y_place(f.velocity).is_some();
    let balls = |j: &trunnion_model::mechanism::Joint| {
        j.orientation.as_ref().is_some_and(|b| system.y_place(b.velocity[0]).is_some())
    };
    let moves = mechanism.joints.iter().any(|j| j.freedoms.iter().any(free) || balls(j));
    let (mut errors, mut warnings) = (vec![], vec![]);
    for joint in &mechanism.joints {
        for freedom in &joint.freedoms {
            let Some(motion) = &freedom.motion else { continue };
            let motion_of_time = PrescribedMotion::new(system, motion);
            let Some(fault) = motion_of_time.fault(t_0, t_end) else { continue };
            let told = tell(system, sources, &joint.origin, freedom, &fault);
            match fault {
                MotionFault::Jump { order: 1, .. } if !moves => {
                    warnings.push(Diagnostic { severity: trunnion_model::Severity::Warning, ..told });
                }
                _ => errors.push(told),
            }
        }
    }
    if errors.is_empty() { Ok(warnings) } else { Err(Failure::Model(errors)) }
}

/// `order`: 0 of the position, 1 of the speed, 2 of the acceleration.
enum MotionFault {
    NotFinite { t: f64, order: usize },
    Jump { t: f64, order: usize, by: f64 },
}

fn tell(
    system: &System,
    sources: &Sources,
    origin: &Origin,
    freedom: &Freedom,
    fault: &MotionFault,
) -> Diagnostic {
    let name = |s: Symbol| &system.quantity(s).name;
    let position = name(freedom.position);
    match *fault {
        MotionFault::NotFinite { t, order } => {
            let what = ["value", "speed", "acceleration"][order];
            let message =
                format!("the prescribed motion of `{position}` has no finite {what} from t = {t:.6} s on");
            let hint = "end the run before, or write a motion that stays finite";
            Diagnostic::from_origin(sources, NO_VALUE, origin, message, "this motion", Some(hint.into()))
        }
        MotionFault::Jump { t, order, by } => {
            let symbol = if order == 0 { freedom.position } else { freedom.velocity };
            let unit = &system.quantity(symbol).unit;
            let by = with_unit(unit.shown(by), &unit.text, 4);
            let message = match order {
                0 => format!("the prescribed motion of `{position}` jumps by {by} at t = {t:.6} s"),
                _ => format!("the prescribed speed `{}` jumps by {by} at t = {t:.6} s", name(symbol)),
            };
            let hint = match order {
                0 => {
                    "nothing moves so; lead from one value to the other, with a `trajectory` or a smooth function"
                }
                _ => {
                    "that is a blow, which a prescribed motion cannot give to what it carries; round the corner off"
                }
            };
            Diagnostic::from_origin(sources, JUMPS, origin, message, "this motion", Some(hint.into()))
        }
    }
}

/// q, q', q'' as functions of time.
struct PrescribedMotion {
    compiled: Compiled,
    k: Vec<f64>,
}

impl PrescribedMotion {
    fn new(system: &System, motion: &Motion) -> Self {
        let graph = system.graph.thaw();
        let q = graph.at(motion.position);
        let v = derivative(q, ExprNode::Time);
        let a = derivative(v, ExprNode::Time);
        let compiled =
            Compiled::new(system.program(&graph, vec![q.id, v.id, a.id]), EvaluationEngine::Interpreter);
        let mut k = vec![0.0; compiled.n_slow()];
        compiled.prepare(&system.start(&HashMap::new()).slow(), &mut vec![0.0; compiled.scratch()], &mut k);
        PrescribedMotion { compiled, k }
    }

    fn at(&self, t: f64) -> [f64; 3] {
        let mut out = [0.0; 3];
        self.compiled.run(0, t, &[], &self.k, &mut vec![0.0; self.compiled.scratch()], &mut out);
        out
    }

    /// The first thing wrong.
    fn fault(&self, t_0: f64, t_end: f64) -> Option<MotionFault> {
        let times = (0..=LOOKS).map(|i| t_0 + (t_end - t_0) * i as f64 / LOOKS as f64);
        let looks: Vec<(f64, [f64; 3])> = times.map(|t| (t, self.at(t))).collect();
        let finite = |x: &[f64; 3]| x.iter().all(|v| v.is_finite());
        let good = looks.iter().take_while(|l| finite(&l.1)).count();
        let largest = |k: usize| looks[..good].iter().fold(0.0, |m: f64, l| m.max(l.1[k].abs()));
        for order in [0, 1] {
            let most = SMOOTH * largest(order);
            for pair in looks[..good].windows(2) {
                if defect(order, pair[0], pair[1]) > most
                    && let Some(fault) = self.locate(order, most, pair[0], pair[1])
                {
                    return Some(fault);
                }
            }
        }
        if good == looks.len() {
            return None;
        }
        let (mut before, mut beyond) = (looks[good.max(1) - 1].0, looks[good].0);
        loop {
            let middle = 0.5 * (before + beyond);
            if good == 0 || middle <= before || middle >= beyond {
                let order = self.at(beyond).iter().position(|v| !v.is_finite()).unwrap_or(0);
                return Some(MotionFault::NotFinite { t: beyond, order });
            }
            *(if finite(&self.at(middle)) { &mut before } else { &mut beyond }) = middle;
        }
    }

    /// Where q (or q') jumps between two looks, if it does.
    fn locate(
        &self,
        order: usize,
        most: f64,
        mut a: (f64, [f64; 3]),
        mut b: (f64, [f64; 3]),
    ) -> Option<MotionFault> {
        loop {
            let t = 0.5 * (a.0 + b.0);
            if t <= a.0 || t >= b.0 {
                // On the kink itself a slope may have a value between those of its sides.
                let aside = 4.0 * (b.0 - a.0);
                let by = self.at(b.0 + aside)[order] - self.at(a.0 - aside)[order];
                return (by.abs() > most).then_some(MotionFault::Jump { t: b.0, order, by });
            }
            let middle = (t, self.at(t));
            if let Some(order) = middle.1.iter().position(|v| !v.is_finite()) {
                return Some(MotionFault::NotFinite { t, order });
            }
            let (left, right) = (defect(order, a, middle), defect(order, middle, b));
            if left.max(right) <= most {
                return None;
            }
            *(if left > right { &mut b } else { &mut a }) = middle;
        }
    }
}

/// (1)
fn defect(order: usize, a: (f64, [f64; 3]), b: (f64, [f64; 3])) -> f64 {
    (b.1[order] - a.1[order] - 0.5 * (a.1[order + 1] + b.1[order + 1]) * (b.0 - a.0)).abs()
}
