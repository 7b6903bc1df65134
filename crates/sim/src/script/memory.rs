//! What a program remembers between two steps, kept in an archive and brought back: its variables with all that can be reached from them,
//! and where its random numbers stand.
//!
//! A program is kept whole or refused. What is kept is brought back into a second copy of the program at once, so that a snapshot that could
//! not be resumed is never written.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use rquickjs::{Array, Context, Ctx, Function, Object, Persistent, Value};
use trunnion_num::Archive;

use super::error::{CallFailure, ScriptCall};
use super::host::{self, Log};
use super::scopes::{Hidden, Scopes, words};
use super::{Language, Script, ScriptError};

impl Script {
    /// Writes or reads all that the steps to come depend on.
    pub fn remember(&mut self, archive: &mut Archive) -> Result<(), ScriptError> {
        let mut random = self.engine.random.load(Ordering::Relaxed);
        archive.word(&mut random);
        if archive.reads() {
            let mut text = String::new();
            archive.text(&mut text);
            self.engine.random.store(random, Ordering::Relaxed);
            // What the archive lacks it tells itself.
            return match archive.reads() {
                true => self.load(&text),
                false => Ok(()),
            };
        }
        let mut text = self.save()?;
        self.again()?.load(&text)?;
        archive.text(&mut text);
        Ok(())
    }

    fn save(&self) -> Result<String, ScriptError> {
        self.with_memory("save", |save| save.call::<_, String>(()))
    }

    fn load(&self, text: &str) -> Result<(), ScriptError> {
        self.with_memory("load", |load| load.call::<_, ()>((text,)))
    }

    /// The program as it was when it started.
    fn again(&self) -> Result<Script, ScriptError> {
        let mut script =
            Script::new(&self.name, &self.source, &self.inputs, &self.outputs, self.engine.limits)?;
        if let Some((t, parameters)) = &self.begun {
            script.init(*t, parameters)?;
        }
        Ok(script)
    }

    fn with_memory<R>(
        &self,
        which: &str,
        body: impl FnOnce(Function<'_>) -> rquickjs::Result<R>,
    ) -> Result<R, ScriptError> {
        // Built-ins as they are before a program runs. The realm has to outlast the call.
        let realm = Context::custom::<Language>(self.engine.context.runtime());
        let make = realm.as_ref().map_err(clone_error).and_then(|realm| {
            realm.with(|ctx| {
                host::install(&ctx, &Arc::new(Mutex::new(Log::new(0))), &Arc::default(), &Arc::default())?;
                Ok(Persistent::save(&ctx, ctx.eval::<Function, _>(include_str!("memory.js"))?))
            })
        });
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let call =
            ScriptCall { name: &self.name, source: &self.source, inputs: &self.inputs, what: "the snapshot" };
        // It looks at some thousand built-ins, on a machine that may be busy.
        self.engine.call_within(10 * self.engine.limits.call, &call, |ctx| {
            let scopes = Scopes::read(&self.source).map_err(hidden)?;
            let make = make.map_err(CallFailure::Engine)?.restore(ctx)?;
            let memory: Object = make.call((self.subject(ctx, scopes)?,))?;
            Ok(body(memory.get(which)?)?)
        })
    }

    /// What memory.js is told about the program.
    fn subject<'js>(&self, ctx: &Ctx<'js>, scopes: Scopes) -> Result<Object<'js>, CallFailure> {
        let subject = Object::new(ctx.clone())?;
        subject.set("global", ctx.globals())?;
        subject.set("words", words(&self.source))?;
        let fixed = Array::new(ctx.clone())?;
        fixed.set(0, self.program.step.clone().restore(ctx)?)?;
        match &self.program.init {
            Some(init) => fixed.set(1, init.clone().restore(ctx)?)?,
            None => fixed.set(1, Value::new_null(ctx.clone()))?,
        }
        fixed.set(2, self.program.input.clone().restore(ctx)?)?;
        subject.set("fixed", fixed)?;
        let host = self.engine.numbers.clone().restore(ctx)?;
        subject.set("given", host.get::<_, Array>("prototypes")?)?;
        subject.set("evaluate", host.get::<_, Function>("evaluate")?)?;
        subject.set("isProxy", Function::new(ctx.clone(), |value: Value<'_>| value.is_proxy())?)?;
        let stateless = Function::new(ctx.clone(), move |text: String| scopes.is_stateless(&text))?;
        subject.set("isStateless", stateless)?;
        Ok(subject)
    }
}

/// A second context did not fit into the memory of the script.
fn clone_error(_: &rquickjs::Error) -> rquickjs::Error {
    rquickjs::Error::Allocation
}

fn hidden(hidden: Hidden) -> CallFailure {
    let (message, hint) = match hidden {
        Hidden::Private => {
            ("a private field `#…` can be seen by no snapshot", "write `this._…` in place of `this.#…`")
        }
        Hidden::Dynamic => (
            "functions made by `eval` or `Function` can be seen by no snapshot",
            "write them out in the program",
        ),
        Hidden::Super => ("`super` outside of a class can be followed by no snapshot", "make it a class"),
        Hidden::Unread => (
            "its functions could not be found for a snapshot",
            "look for a regular expression or text with quotes or brackets, and write it in another way",
        ),
    };
    CallFailure::rules(message.into(), hint.into())
}
