//! What goes wrong in a program, said with its line, cause and a hint.

use super::ScriptEngine;
use rquickjs::convert::Coerced;
use rquickjs::{Ctx, Function, Value};
use trunnion_equations::nearest::did_you_mean;

pub use crate::script_error::ScriptError;

/// What is being done, for messages.
pub struct ScriptCall<'a> {
    pub name: &'a str,
    pub source: &'a str,
    pub inputs: &'a [String],
    /// `init`, `step` or the program.
    pub what: &'static str,
}

/// A failed call, before the engine is asked for details.
pub enum CallFailure {
    /// An exception waits in the engine, or the engine itself failed.
    Engine(rquickjs::Error),
    /// The program did not keep to the rules.
    Rules { place: Option<(u32, u32)>, message: String, hint: Option<String> },
}

impl From<rquickjs::Error> for CallFailure {
    fn from(error: rquickjs::Error) -> CallFailure {
        CallFailure::Engine(error)
    }
}

impl CallFailure {
    pub fn rules(message: String, hint: String) -> CallFailure {
        CallFailure::Rules { place: None, message, hint: Some(hint) }
    }

    /// The place of a broken rule is where the function stands.
    pub fn at(self, function: &Function<'_>) -> CallFailure {
        match self {
            CallFailure::Rules { message, hint, .. } => {
                let number = |key| function.get::<_, u32>(key).ok();
                CallFailure::Rules { place: number("lineNumber").zip(number("columnNumber")), message, hint }
            }
            engine => engine,
        }
    }

    pub(crate) fn no_step(outputs: &[String]) -> CallFailure {
        let body = return_statement(outputs);
        CallFailure::rules(
            "there is no function `step`".into(),
            format!("add `function step(t, inputs) {{ {body} }}`"),
        )
    }

    pub(crate) fn not_a_function(name: &str, value: &Value<'_>) -> CallFailure {
        let hint = format!("name that something else, or write `function {name}(…) {{ … }}`");
        CallFailure::rules(format!("`{name}` is {}, not a function", kind(value)), hint)
    }

    pub(crate) fn not_outputs(value: &Value<'_>, outputs: &[String]) -> CallFailure {
        let hint = if value.is_promise() {
            "leave out `async`: a controller answers at once".into()
        } else {
            format!("end `step` with `{}`", return_statement(outputs))
        };
        CallFailure::rules(format!("`step` returned {}", kind(value)), hint)
    }

    pub(crate) fn missing_output(name: &str, outputs: &[String]) -> CallFailure {
        let hint = format!("end `step` with `{}`", return_statement(outputs));
        CallFailure::rules(format!("`step` returned no `{name}`"), hint)
    }

    pub(crate) fn unknown_output(name: &str, outputs: &[String]) -> CallFailure {
        CallFailure::rules(format!("there is no output `{name}`"), suggest(name, outputs, "outputs"))
    }

    pub fn not_a_number(output: &str, value: &Value<'_>) -> CallFailure {
        let hint = match value.as_bool() {
            Some(_) => "write `condition ? 1 : 0`".into(),
            None => "outputs are numbers in SI units".into(),
        };
        CallFailure::rules(format!("output `{output}` is {}, not a number", kind(value)), hint)
    }

    pub fn not_finite(output: &str, value: f64) -> CallFailure {
        let (value, hint) = if value.is_nan() {
            ("NaN", "look for 0/0, a root of a negative number, or a variable that was never set")
        } else {
            ("infinite", "look for a division by zero, or limit the output")
        };
        CallFailure::rules(format!("output `{output}` is {value}"), hint.into())
    }
}

fn return_statement(outputs: &[String]) -> String {
    let fields: Vec<String> = outputs.iter().map(|name| format!("{name}: …")).collect();
    if fields.is_empty() { "return {};".into() } else { format!("return {{ {} }};", fields.join(", ")) }
}

/// The name that was probably meant, or all there are.
pub(crate) fn suggest(name: &str, known: &[String], kinds: &str) -> String {
    let all = || match known {
        [] => format!("there are no {kinds}"),
        known => format!("{kinds}: `{}`", known.join("`, `")),
    };
    did_you_mean(name, known.iter().map(String::as_str)).unwrap_or_else(all)
}

fn kind(value: &Value<'_>) -> &'static str {
    match value {
        v if v.is_undefined() => "nothing",
        v if v.is_null() => "null",
        v if v.is_bool() => "a truth value",
        v if v.is_number() => "a number",
        v if v.is_string() => "a text",
        v if v.is_array() => "an array",
        v if v.is_function() => "a function",
        v if v.is_promise() => "a promise",
        v if v.is_object() => "an object",
        _ => "no number",
    }
}

impl ScriptCall<'_> {
    fn error(&self, message: String, hint: Option<String>) -> ScriptError {
        ScriptError { name: self.name.into(), line: None, column: None, message, hint }
    }

    pub(crate) fn no_engine(&self, error: &rquickjs::Error) -> ScriptError {
        self.error(format!("the JavaScript engine did not start: {error}"), None)
    }

    pub(crate) fn nul(&self, at: usize) -> ScriptError {
        let before = &self.source[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        let error = self.error("a NUL byte is no JavaScript".into(), Some("is this a text file?".into()));
        ScriptError { line: Some(line as u32), column: Some(column as u32), ..error }
    }

    pub(crate) fn asynchronous(&self) -> ScriptError {
        let hint = "leave out promises and `async`: a controller answers at once";
        self.error(format!("{} left work for later, which is never done", self.what), Some(hint.into()))
    }

    /// Asks the engine what happened. That may run code of the program (`toString`), so the limits stay on.
    pub fn explain(&self, engine: &ScriptEngine, ctx: &Ctx<'_>, failure: CallFailure) -> ScriptError {
        let expired = engine.watch().again();
        match failure {
            CallFailure::Engine(rquickjs::Error::Exception) => {
                let thrown = Thrown::read(ctx, &ctx.catch());
                let (line, column) = thrown.place(self.name, self.source).unzip();
                let (message, hint) = self.words(engine, &thrown, expired, line);
                ScriptError { line, column, ..self.error(message, hint) }
            }
            CallFailure::Engine(error) => self.error(format!("{} failed: {error}", self.what), None),
            CallFailure::Rules { place, message, hint } => {
                let (line, column) = place.unzip();
                ScriptError { line, column, ..self.error(message, hint) }
            }
        }
    }

    fn words(
        &self,
        engine: &ScriptEngine,
        thrown: &Thrown,
        expired: bool,
        line: Option<u32>,
    ) -> (String, Option<String>) {
        let hinted = |message: String, hint: &str| (message, Some(hint.to_string()));
        let what = self.what;
        match (thrown.class.as_str(), thrown.message.as_str()) {
            _ if expired => {
                let seconds = engine.watch().limit.as_secs_f64();
                let message = format!("{what} ran for more than {seconds} s and was stopped");
                hinted(message, "look for a loop that does not end")
            }
            ("RangeError", "Maximum call stack size exceeded") => hinted(
                format!("calls in {what} nest too deep"),
                "look for a function that calls itself for ever",
            ),
            // The engine throws null if there is no room left for an error.
            ("", "null") | ("InternalError", "out of memory") => {
                let megabytes = engine.limits.memory as f64 / f64::from(1 << 20);
                let message = format!("{what} used more than {megabytes} MiB of memory and was stopped");
                hinted(message, "look for an array or text that grows with every call, or for `throw null`")
            }
            ("", thrown) => hinted(
                format!("{what} threw {thrown}"),
                "`throw new Error(\"…\")` would tell the line, and a message",
            ),
            ("Error", message) => (message.into(), thrown.hint.clone()),
            ("SyntaxError", message) if message.ends_with(": ''") => hinted(
                "syntax error: the program ends too early".into(),
                "look for a brace or bracket left open",
            ),
            ("SyntaxError", message) => {
                let text = line.and_then(|line| self.source.lines().nth(line as usize - 1)).unwrap_or("");
                let hint = match text.split_whitespace().next() {
                    Some("export") => Some("leave out `export`: `step` and `init` are found by name"),
                    Some("import") => Some("a controller is one file: put the functions it needs into it"),
                    _ => None,
                };
                (format!("syntax error: {message}"), hint.map(String::from))
            }
            (class, message) => {
                let hint = message.strip_suffix(" is not defined").map(|word| self.undefined(word));
                (format!("{class}: {message}"), thrown.hint.clone().or(hint))
            }
        }
    }

    fn undefined(&self, word: &str) -> String {
        match word {
            "Date" | "performance" => "there is no clock: use `t`, the simulated time in s".into(),
            "setTimeout" | "setInterval" => "there are no timers: `step` is called at every sample".into(),
            "require" | "fetch" | "process" | "window" | "document" => {
                "a controller reaches no files, network or browser: hand it what it needs as inputs".into()
            }
            _ if self.inputs.iter().any(|input| input == word) => format!("write `inputs.{word}`"),
            _ => format!("declare it first: `let {word} = …;`"),
        }
    }
}

/// What can be learnt from a thrown value.
struct Thrown {
    /// `TypeError` and the like; empty if something else than an error was thrown.
    class: String,
    message: String,
    stack: String,
    hint: Option<String>,
}

impl Thrown {
    fn read(ctx: &Ctx<'_>, value: &Value<'_>) -> Thrown {
        let Some(error) = value.as_exception() else {
            let text = match value.get::<Coerced<String>>() {
                Ok(Coerced(text)) => text,
                Err(_) => kind(value).into(),
            };
            ctx.catch();
            return Thrown { class: String::new(), message: text, stack: String::new(), hint: None };
        };
        let text = |key: &str| {
            let text: rquickjs::Result<Option<Coerced<String>>> = error.get(key);
            // What reading it threw is of no interest.
            text.inspect_err(|_| drop(ctx.catch())).ok().flatten().map(|Coerced(text)| text)
        };
        Thrown {
            class: text("name").filter(|name| !name.is_empty()).unwrap_or_else(|| "Error".into()),
            message: text("message")
                .filter(|message| !message.is_empty())
                .unwrap_or_else(|| "no message".into()),
            stack: text("stack").unwrap_or_default(),
            hint: text("hint"),
        }
    }

    /// Line and column of the innermost place in the program: `at f (pid.js:12:5)` or, as it is read, `at pid.js:12:5`.
    fn place(&self, name: &str, source: &str) -> Option<(u32, u32)> {
        let place = |frame: &str| {
            let mut parts = frame.trim_end_matches(')').rsplitn(3, ':');
            let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            parts.next()?.ends_with(name).then_some((line, column))
        };
        self.stack.lines().find_map(place).map(|(line, column)| (line, past_spaces(source, line, column)))
    }
}

/// The engine places a call at the space before its name.
fn past_spaces(source: &str, line: u32, column: u32) -> u32 {
    let text = source.lines().nth(line.saturating_sub(1) as usize).unwrap_or("");
    let rest = text.chars().skip(column.saturating_sub(1) as usize);
    let spaces = rest.take_while(|c| c.is_whitespace()).count();
    column + spaces as u32
}
