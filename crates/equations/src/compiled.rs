//! Programs ready to run: native where possible, interpreted otherwise. Immutable, shared between threads.
//!
//! A program is compiled once it was run some times: a solver that needs no Jacobian, or somebody who looks at one now and then, does not
//! wait for its code. Until then it is interpreted, with the same results.

use std::sync::OnceLock;
#[cfg(feature = "jit")]
use std::sync::atomic::{AtomicU32, Ordering};

use crate::graph::GraphTable;
use crate::interval::{Enclosed, Interval};
#[cfg(feature = "jit")]
use crate::jit::Jit;
use crate::program::{Op, Program, Programs};

/// Who evaluates the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationEngine {
    Native,
    Interpreter,
}

/// Slow inputs that may change at once for what depends on each to be found anew; more: everything is.
const FEW: usize = 4;
/// Runs of a program before it is compiled, which takes as long as some hundred of them.
#[cfg(feature = "jit")]
const INTERPRETED: u32 = 32;

/// Slow inputs, and the values of the slow program for them.
#[derive(Clone, Debug, Default)]
pub struct SlowValues {
    inputs: Vec<f64>,
    values: Vec<f64>,
}

/// Compiled programs, by number in the order they were given.
#[derive(Debug)]
pub struct Compiled {
    slow: Program,
    /// Operations of the slow program that depend on each of its inputs, once that has changed.
    slow_readers: Vec<OnceLock<Vec<u32>>>,
    fast: Vec<Program>,
    tables: Vec<GraphTable>,
    /// Of each fast program.
    #[cfg(feature = "jit")]
    native: Option<Vec<NativeProgram>>,
    scratch: usize,
    /// Unknowns that each fast program reads: all up to this number.
    unknowns: Vec<usize>,
}

/// Native code of a program, once it is wanted; Err: why there is none. The program is interpreted then.
#[cfg(feature = "jit")]
#[derive(Debug, Default)]
struct NativeProgram {
    code: OnceLock<Result<Jit, String>>,
    runs: AtomicU32,
}

impl Compiled {
    /// Native code is used if requested and supported by this machine; `warm_up` says whether it is.
    pub fn new(programs: Programs, engine: EvaluationEngine) -> Self {
        let Programs { slow, fast, tables } = programs;
        #[cfg(feature = "jit")]
        let native = (engine == EvaluationEngine::Native)
            .then(|| fast.iter().map(|_| NativeProgram::default()).collect());
        #[cfg(not(feature = "jit"))]
        let _ = engine;
        // Native code needs less.
        let scratch = fast.iter().chain([&slow]).map(|p| p.ops.len()).max().unwrap_or(0);
        let unknowns = fast.iter().map(Program::unknowns).collect();
        let read = |op: &Op| if let Op::Slow(i) = op { *i as usize + 1 } else { 0 };
        let inputs = slow.ops.iter().map(read).max().unwrap_or(0);
        Compiled {
            slow,
            slow_readers: (0..inputs).map(|_| OnceLock::new()).collect(),
            fast,
            tables,
            #[cfg(feature = "jit")]
            native,
            scratch,
            unknowns,
        }
    }

    /// Native code of a program that is to be run, if it is there or worth its while by now.
    #[cfg(feature = "jit")]
    fn native(&self, number: usize) -> Option<&Jit> {
        let native = &self.native.as_ref()?[number];
        if let Some(code) = native.code.get() {
            return code.as_ref().ok();
        }
        let runs = native.runs.fetch_add(1, Ordering::Relaxed);
        if runs < INTERPRETED { None } else { self.make_native(number) }
    }

    #[cfg(feature = "jit")]
    fn make_native(&self, number: usize) -> Option<&Jit> {
        let native = &self.native.as_ref()?[number];
        native.code.get_or_init(|| Jit::new(&self.fast[number], &self.tables)).as_ref().ok()
    }

    /// Why a program that was to be native is interpreted; None: none is, as far as they were wanted.
    pub fn native_failure(&self) -> Option<&str> {
        #[cfg(feature = "jit")]
        return self
            .native
            .iter()
            .flatten()
            .find_map(|native| native.code.get()?.as_ref().err())
            .map(String::as_str);
        #[cfg(not(feature = "jit"))]
        None
    }

    /// As on a machine without native code: programs that have none by now are interpreted for this reason.
    pub fn refuse_native(&self, reason: &str) {
        #[cfg(feature = "jit")]
        for native in self.native.iter().flatten() {
            native.code.get_or_init(|| Err(reason.to_string()));
        }
        #[cfg(not(feature = "jit"))]
        let _ = reason;
    }

    /// Native code of program `number`, made now; false if there is none.
    pub fn warm_up(&self, number: usize) -> bool {
        #[cfg(feature = "jit")]
        return self.make_native(number).is_some();
        #[cfg(not(feature = "jit"))]
        {
            let _ = number;
            false
        }
    }

    /// Length of the scratch array every call needs.
    pub fn scratch(&self) -> usize {
        self.scratch
    }

    /// Length of k.
    pub fn n_slow(&self) -> usize {
        self.slow.n_out
    }

    /// How many fast programs there are.
    pub fn len(&self) -> usize {
        self.fast.len()
    }

    pub fn is_empty(&self) -> bool {
        self.fast.is_empty()
    }

    pub fn program(&self, number: usize) -> &Program {
        &self.fast[number]
    }

    /// k from the slow inputs (parameters, inputs, modes): after each change of one of them.
    pub fn prepare(&self, slow_inputs: &[f64], scratch: &mut [f64], k: &mut [f64]) {
        self.slow.run(&self.tables, 0.0, &[], slow_inputs, scratch, k);
    }

    /// The same where few of them changed since the last call with these `known` values: only what depends on those is found anew.
    pub fn update(&self, slow_inputs: &[f64], known: &mut SlowValues, k: &mut [f64]) {
        let SlowValues { inputs, values } = known;
        let differs = |(a, b): (&f64, &f64)| a.to_bits() != b.to_bits();
        let changes = slow_inputs.iter().zip(&*inputs).filter(|&pair| differs(pair)).count();
        if inputs.len() != slow_inputs.len() || changes > FEW {
            values.resize(self.slow.ops.len(), 0.0);
            inputs.clear();
            inputs.extend_from_slice(slow_inputs);
            return self.slow.run(&self.tables, 0.0, &[], inputs, values, k);
        }
        for (place, &now) in slow_inputs.iter().enumerate() {
            if !differs((&now, &inputs[place])) {
                continue;
            }
            inputs[place] = now;
            if let Some(readers) = self.slow_readers.get(place) {
                let readers = readers.get_or_init(|| self.slow.readers(place));
                let which = readers.iter().map(|&i| i as usize);
                self.slow.run_some(which, &self.tables, (0.0, &[], inputs), values, k);
            }
        }
    }

    /// Slow input `place` will change: nothing is to be allocated then.
    pub fn expect_change(&self, place: usize) {
        if let Some(readers) = self.slow_readers.get(place) {
            readers.get_or_init(|| self.slow.readers(place));
        }
    }

    /// Bounds of each output of program `number` over an interval of time, and of those unknowns that are given.
    pub fn enclose(
        &self,
        number: usize,
        time: (Interval, &[Interval]),
        k: &[f64],
        values: &mut [Interval],
        out: &mut [Interval],
    ) {
        self.fast[number].enclose(&self.tables, time, k, values, out);
    }

    /// The same at time zero, where most of what is given was given in the last call.
    pub fn enclose_again(&self, number: usize, y: &[Interval], k: &[f64], known: &mut Enclosed) {
        self.fast[number].enclose_again(&self.tables, y, k, known);
    }

    /// The same where nothing differs from the last call but y[j].
    pub fn enclose_cone(&self, number: usize, j: usize, y: &[Interval], k: &[f64], known: &mut Enclosed) {
        self.fast[number].enclose_cone(&self.tables, j, y, k, known);
    }

    /// How far rounding, and each of N uncertainties of the unknowns, may have moved each output of program `number` at (t, y). `values` and
    /// `bounds` are as long as `scratch`.
    pub fn rounding<const N: usize>(
        &self,
        number: usize,
        at: (f64, &[f64], &[f64]),
        uncertain: [&[f64]; N],
        values: &mut [f64],
        bounds: &mut [[f64; N]],
        out: [&mut [f64]; N],
    ) {
        self.fast[number].rounding(&self.tables, at, uncertain, values, bounds, out);
    }

    /// Program `number` at (t, y) with the prepared k.
    pub fn run(&self, number: usize, t: f64, y: &[f64], k: &[f64], scratch: &mut [f64], out: &mut [f64]) {
        assert!(y.len() >= self.unknowns[number]);
        #[cfg(feature = "jit")]
        if let Some(jit) = self.native(number) {
            let program = &self.fast[number];
            assert!(
                out.len() >= program.n_out && k.len() >= self.slow.n_out && scratch.len() >= self.scratch
            );
            // Lengths were just checked.
            unsafe { jit.code.run(t, y, k, scratch, out) };
            return;
        }
        self.fast[number].run(&self.tables, t, y, k, scratch, out);
    }
}

#[cfg(all(test, feature = "jit"))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use trunnion_num::{Outside, Table2, TableShape};

    #[test]
    fn a_program_that_is_refused_is_interpreted_and_tells_why() {
        let axis = [0.0, 1.0];
        let table = Table2::new(&axis, &axis, &[0.0; 4], TableShape::Linear, Outside::Hold).unwrap();
        let refused = vec![Op::Time, Op::Table1(0, 0, 0), Op::Store(0, 1)];
        let plain = vec![Op::Time, Op::Store(0, 0)];
        let fast = [plain, refused].map(|ops| Program { ops, n_out: 1 }).to_vec();
        let tables = vec![GraphTable::Two(Arc::new(table))];
        let compiled =
            Compiled::new(Programs { slow: Program::default(), fast, tables }, EvaluationEngine::Native);
        assert!(compiled.warm_up(0));
        assert_eq!(compiled.native_failure(), None);
        assert!(!compiled.warm_up(1));
        assert_eq!(compiled.native_failure(), Some("a table of two variables was used with one"));
        let (mut scratch, mut out) = (vec![0.0; compiled.scratch()], [0.0]);
        compiled.run(1, 0.5, &[], &[], &mut scratch, &mut out);
        assert!(out[0].is_nan());
        compiled.run(0, 0.5, &[], &[], &mut scratch, &mut out);
        assert_eq!(out, [0.5]);
    }
}
