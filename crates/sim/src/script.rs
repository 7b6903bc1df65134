//! JavaScript controllers: a program with `step(t, inputs) → outputs`, called at the instants of a sampled task.
//!
//! A program sees the language and nothing else: no files, network, timers, modules or clock. The same calls
//! give the same bits: `Date` is absent and `Math.random` starts from a fixed seed. What a program may use is
//! bounded by [`Limits`]; every failure, endless loops included, is a [`ScriptError`].
//!
//! Limits: the clock is looked at once in 10 000 jumps and calls of the program, so that a call may run some
//! milliseconds over. A single built-in that takes long (a search in megabytes of text, an array of 2⁵³ items) is not interrupted:
//! [`calls`] lets a watchdog see that the call does not return.

mod error;
mod host;
mod memory;
#[cfg(test)]
mod memory_tests;
mod scopes;
#[cfg(test)]
mod tests;
mod watch;

pub use error::ScriptError;
pub use watch::{CallCount, calls};

use crate::offer::{Offer, Requests};
use error::{CallFailure, ScriptCall};
use host::Log;
use rquickjs::context::{EvalOptions, intrinsic};
use rquickjs::{Atom, Context, Ctx, Function, Object, Persistent, Runtime, Value};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory, of which the engine itself takes some hundred thousand.
    pub memory: usize,
    /// Bytes of the calling thread's stack.
    pub stack: usize,
    /// Wall clock of one call: the top level, `init`, or one `step`.
    pub call: Duration,
    /// Bytes of `console.log` kept until [`Script::take_log`].
    pub log: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: 64 << 20, stack: 256 << 10, call: Duration::from_secs(1), log: 64 << 10 }
    }
}

/// A program and its state, for one run. After an error every further call answers with that error.
pub struct Script {
    name: String,
    source: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// What `init` was called with.
    begun: Option<(f64, Vec<(String, f64)>)>,
    // Fields are dropped in order: values inside the engine have to go before it does.
    program: ScriptProgram,
    engine: ScriptEngine,
    failure: Option<ScriptError>,
}

/// A script goes from one thread to another as a whole.
///
/// SAFETY: the engine is not bound to a thread, and every call tells it the stack of the thread it is on (`Context::with`, with the feature
/// `parallel`). Runtime and context are `Send` themselves. Only the pointers inside `Persistent` values are not: they are private to this
/// struct, are used through `Context::with` alone, which holds the lock of the engine, and go before it does.
unsafe impl Send for Script {}

/// Values inside the engine.
struct ScriptProgram {
    init: Option<Persistent<Function<'static>>>,
    step: Persistent<Function<'static>>,
    /// The one object given to every `step`.
    input: Persistent<Object<'static>>,
    input_keys: Vec<Persistent<Atom<'static>>>,
    output_keys: Vec<Persistent<Atom<'static>>>,
}

impl Script {
    /// Reads the program, runs its top level and finds `step` and, if there is one, `init`.
    ///
    /// `name` is the file or the controller, for messages.
    pub fn new(
        name: &str,
        source: &str,
        inputs: &[String],
        outputs: &[String],
        limits: Limits,
    ) -> Result<Script, ScriptError> {
        let call = ScriptCall { name, source, inputs, what: "the program" };
        if let Some(at) = source.find('\0') {
            return Err(call.nul(at));
        }
        let engine = ScriptEngine::new(name, limits).map_err(|e| call.no_engine(&e))?;
        let program = engine.call(&call, |ctx| {
            let input = engine.numbers(ctx, "input", inputs)?;
            let mut options = EvalOptions::default();
            options.filename = Some(name.replace('\0', "?"));
            let _: Value = ctx.eval_with_options(source, options)?;
            let step = find(ctx, "step")?.ok_or_else(|| CallFailure::no_step(outputs))?;
            Ok(ScriptProgram {
                init: find(ctx, "init")?.map(|init| Persistent::save(ctx, init)),
                step: Persistent::save(ctx, step),
                input: Persistent::save(ctx, input),
                input_keys: keys(ctx, inputs)?,
                output_keys: keys(ctx, outputs)?,
            })
        })?;
        Ok(Script {
            name: name.into(),
            source: source.into(),
            inputs: inputs.into(),
            outputs: outputs.into(),
            begun: None,
            program,
            engine,
            failure: None,
        })
    }

    /// Calls `init(t, parameters)`, if the program has one.
    pub fn init(&mut self, t: f64, parameters: &[(String, f64)]) -> Result<(), ScriptError> {
        self.begun = Some((t, parameters.to_vec()));
        let Some(init) = &self.program.init else { return self.answer(Ok(())) };
        let names: Vec<String> = parameters.iter().map(|(name, _)| name.clone()).collect();
        let result = self.call("`init`", |ctx| {
            let object = self.engine.numbers(ctx, "parameter", &names)?;
            for (name, value) in parameters {
                object.set(name, *value)?;
            }
            let _: Value = init.clone().restore(ctx)?.call((t, object))?;
            Ok(())
        });
        self.answer(result)
    }

    /// Calls `step(t, inputs)` and reads the outputs, both in the order given to [`Script::new`].
    ///
    /// After an error `outputs` may hold some new values and some old ones.
    pub fn step(&mut self, t: f64, inputs: &[f64], outputs: &mut [f64]) -> Result<(), ScriptError> {
        assert_eq!((inputs.len(), outputs.len()), (self.inputs.len(), self.outputs.len()));
        let result = self.call("`step`", |ctx| {
            let object = self.program.input.clone().restore(ctx)?;
            for (key, value) in self.program.input_keys.iter().zip(inputs) {
                object.set(key.clone().restore(ctx)?, *value)?;
            }
            let step = self.program.step.clone().restore(ctx)?;
            let returned = step.call((t, object))?;
            self.read(ctx, returned, outputs).map_err(|failure| failure.at(&step))
        });
        self.answer(result)
    }

    /// From now on the program may change these.
    pub(crate) fn offer(&mut self, offer: Arc<Offer>) {
        self.engine.requests.lock().unwrap_or_else(PoisonError::into_inner).begin(offer);
    }

    /// What `model.set` asked for since the last time: the place among what is offered, and the value (SI).
    pub(crate) fn take_changes(&mut self) -> Vec<(usize, f64)> {
        self.engine.requests.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What `console.log` wrote since the last time, a text for each call.
    pub fn take_log(&mut self) -> Vec<String> {
        self.engine.log.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn call<R>(
        &self,
        what: &'static str,
        body: impl for<'js> FnOnce(&Ctx<'js>) -> Result<R, CallFailure>,
    ) -> Result<R, ScriptError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let call = ScriptCall { name: &self.name, source: &self.source, inputs: &self.inputs, what };
        self.engine.call(&call, body)
    }

    /// Keeps the first failure.
    fn answer(&mut self, result: Result<(), ScriptError>) -> Result<(), ScriptError> {
        if let (Err(error), None) = (&result, &self.failure) {
            self.failure = Some(error.clone());
        }
        self.failure.clone().map_or(Ok(()), Err)
    }

    fn read<'js>(
        &self,
        ctx: &Ctx<'js>,
        returned: Value<'js>,
        outputs: &mut [f64],
    ) -> Result<(), CallFailure> {
        if let (Some(value), [output]) = (returned.as_number(), &mut *outputs) {
            *output = finite(&self.outputs[0], value)?;
            return Ok(());
        }
        if returned.is_undefined() && outputs.is_empty() {
            return Ok(());
        }
        let object = match returned.as_object() {
            Some(object) if !(returned.is_array() || returned.is_function() || returned.is_promise()) => {
                object
            }
            _ => return Err(CallFailure::not_outputs(&returned, &self.outputs)),
        };
        let mut missing = None;
        for (index, key) in self.program.output_keys.iter().enumerate() {
            let value: Value = object.get(key.clone().restore(ctx)?)?;
            match value.as_number() {
                Some(number) => outputs[index] = finite(&self.outputs[index], number)?,
                None if value.is_undefined() => missing = missing.or(Some(&self.outputs[index])),
                None => return Err(CallFailure::not_a_number(&self.outputs[index], &value)),
            }
        }
        let mut n_keys = 0;
        for key in object.keys::<Atom>() {
            key?;
            n_keys += 1;
        }
        if missing.is_none() && n_keys <= outputs.len() {
            return Ok(());
        }
        for key in object.keys::<rquickjs::String>() {
            let key = key?.to_string()?;
            if !self.outputs.contains(&key) {
                return Err(CallFailure::unknown_output(&key, &self.outputs));
            }
        }
        missing.map_or(Ok(()), |name| Err(CallFailure::missing_output(name, &self.outputs)))
    }
}

/// The interpreter and what watches over it.
struct ScriptEngine {
    /// Makes an object of numbers that refuses names it does not have.
    numbers: Persistent<Function<'static>>,
    context: Context,
    count: Arc<CallCount>,
    watch: Arc<Mutex<Watch>>,
    log: Arc<Mutex<Log>>,
    /// What `model.set` asked for.
    requests: Arc<Mutex<Requests>>,
    /// Where `Math.random` stands.
    random: Arc<AtomicU64>,
    limits: Limits,
}

/// The parts of the language beyond its core. Absent are `Date`, `performance` and `WeakRef`, which would let in
/// the time of day and the moment of garbage collection.
type Language = (
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

impl ScriptEngine {
    fn new(name: &str, limits: Limits) -> rquickjs::Result<ScriptEngine> {
        let runtime = Runtime::new()?;
        let context = Context::custom::<Language>(&runtime)?;
        let log = Arc::new(Mutex::new(Log::new(limits.log)));
        let requests = Arc::default();
        let random = Arc::new(AtomicU64::new(host::SEED));
        let numbers = context.with(|ctx| {
            Ok::<_, rquickjs::Error>(Persistent::save(&ctx, host::install(&ctx, &log, &random, &requests)?))
        })?;
        // From here on, as the engine itself must not fail half-built.
        let watch = Arc::new(Mutex::new(Watch::new(limits.call)));
        let watching = watch.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || {
            watching.lock().unwrap_or_else(PoisonError::into_inner).is_over()
        })));
        runtime.set_memory_limit(limits.memory.max(1));
        runtime.set_max_stack_size(limits.stack.max(1));
        let count = CallCount::register(name, limits.call);
        Ok(ScriptEngine { numbers, context, count, watch, log, requests, random, limits })
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn numbers<'js>(&self, ctx: &Ctx<'js>, kind: &str, names: &[String]) -> rquickjs::Result<Object<'js>> {
        self.numbers.clone().restore(ctx)?.call((kind, names.to_vec()))
    }

    fn call<R>(
        &self,
        call: &ScriptCall,
        body: impl for<'js> FnOnce(&Ctx<'js>) -> Result<R, CallFailure>,
    ) -> Result<R, ScriptError> {
        let _counted = self.count.enter();
        self.call_within(self.limits.call, call, body)
    }

    /// The same with another limit of time, not seen by a watchdog.
    fn call_within<R>(
        &self,
        limit: Duration,
        call: &ScriptCall,
        body: impl for<'js> FnOnce(&Ctx<'js>) -> Result<R, CallFailure>,
    ) -> Result<R, ScriptError> {
        self.watch().start(limit);
        let result = self.context.with(|ctx| body(&ctx).map_err(|failure| call.explain(self, &ctx, failure)));
        match result {
            Ok(_) if self.context.runtime().is_job_pending() => Err(call.asynchronous()),
            result => result,
        }
    }
}

/// Since when a call runs. Most calls end before the engine checks, and do not read the clock.
struct Watch {
    limit: Duration,
    since: Option<Instant>,
    expired: bool,
}

impl Watch {
    fn new(limit: Duration) -> Watch {
        Watch { limit, since: None, expired: false }
    }

    fn start(&mut self, limit: Duration) {
        *self = Watch::new(limit);
    }

    /// With the same limit; true if it was passed before.
    fn again(&mut self) -> bool {
        let expired = self.expired;
        self.start(self.limit);
        expired
    }

    fn is_over(&mut self) -> bool {
        match self.since {
            None => self.since = Some(Instant::now()),
            Some(since) => self.expired = since.elapsed() >= self.limit,
        }
        self.expired
    }
}

/// A function of the program, however it was declared; `const` and `let` do not show among the globals.
fn find<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Option<Function<'js>>, CallFailure> {
    let value: Value = ctx.eval(format!("typeof {name} === 'undefined' ? undefined : {name}"))?;
    if value.is_undefined() {
        return Ok(None);
    }
    value.as_function().cloned().map(Some).ok_or_else(|| CallFailure::not_a_function(name, &value))
}

fn keys(ctx: &Ctx<'_>, names: &[String]) -> rquickjs::Result<Vec<Persistent<Atom<'static>>>> {
    names.iter().map(|name| Ok(Persistent::save(ctx, Atom::from_str(ctx.clone(), name)?))).collect()
}

fn finite(output: &str, value: f64) -> Result<f64, CallFailure> {
    if value.is_finite() { Ok(value) } else { Err(CallFailure::not_finite(output, value)) }
}
