//! What a program remembers between two steps, kept in an archive and brought back: its variables, and where its random
//! numbers stand.

use rquickjs::{Ctx, Function, Object, Value};
use trunnion_num::Archive;

use super::error::Trouble;
use super::variables::{Hidden, Variable, variables};
use super::{Script, ScriptError};

impl Script {
    /// Writes or reads all that the steps to come depend on.
    pub fn remember(&mut self, archive: &mut Archive) -> Result<(), ScriptError> {
        let mut random = self.engine.random.get();
        archive.word(&mut random);
        if archive.reads() {
            let mut text = String::new();
            archive.text(&mut text);
            self.engine.random.set(random);
            // What the archive lacks it tells itself.
            return match archive.reads() {
                true => self.with_memory("load", |load| load.call::<_, ()>((text,))),
                false => Ok(()),
            };
        }
        let saved = self.with_memory("save", |save| save.call::<_, String>(()));
        saved.map(|mut text| archive.text(&mut text))
    }

    fn with_memory<R>(
        &self,
        which: &str,
        body: impl FnOnce(Function<'_>) -> rquickjs::Result<R>,
    ) -> Result<R, ScriptError> {
        self.call("the snapshot", |ctx| {
            let known = variables(&self.source).map_err(hidden)?;
            let memory: Object = memory(ctx, &known)?;
            Ok(body(memory.get(which)?)?)
        })
    }
}

fn hidden(hidden: Hidden) -> Trouble {
    let (message, hint) = match hidden {
        Hidden::Private => {
            ("a private field `#…` can be seen by no snapshot", "write `this._…` in place of `this.#…`")
        }
        Hidden::Unread => (
            "its variables could not be found for a snapshot",
            "look for a regular expression or text with quotes or brackets, and write it in another way",
        ),
    };
    Trouble::rules(message.into(), hint.into())
}

/// The functions `save` and `load` of a program with these variables.
fn memory<'js>(ctx: &Ctx<'js>, known: &[Variable]) -> Result<Object<'js>, Trouble> {
    let mut known = known.to_vec();
    for name in ctx.globals().keys::<String>() {
        // `globalThis.count = 0`; `console` is ours.
        let name = name?;
        if name != "console" && !known.iter().any(|v| v.name == name) {
            known.push(Variable { name, literal: false });
        }
    }
    let exists = |v: &&Variable| {
        // A name that is none, or one never given a value, throws.
        let found = ctx.eval::<Value, _>(v.name.as_str()).is_ok();
        if !found {
            drop(ctx.catch());
        }
        found
    };
    let known: Vec<&Variable> = known.iter().filter(exists).collect();
    let names: Vec<String> = known.iter().map(|v| v.name.clone()).collect();
    let cases = |line: &dyn Fn(&Variable) -> String| known.iter().map(|v| line(v)).collect::<String>();
    let reads = cases(&|v| format!("case '{0}': return {0};", v.name));
    // Constants throw at run time, which is told.
    let writes = cases(&|v| format!("case '{0}': {0} = value; return;", v.name));
    let literal = cases(&|v| format!("case '{}': return {};", v.name, v.literal));
    let access: Object = ctx.eval(format!(
        "({{ read: Object.assign(name => {{ switch (name) {{ {reads} }} }}, \
         {{ literal: name => {{ switch (name) {{ {literal} }} }} }}), \
         write: (name, value) => {{ switch (name) {{ {writes} default: globalThis[name] = value; }} }} }})"
    ))?;
    let make: Function = ctx.eval(include_str!("memory.js"))?;
    Ok(make.call((names, access.get::<_, Function>("read")?, access.get::<_, Function>("write")?))?)
}

#[cfg(test)]
mod tests {
    use super::super::Limits;
    use super::*;

    fn script(source: &str) -> Script {
        let mut script =
            Script::new("c.js", source, &["x".into()], &["u".into()], Limits::default()).unwrap();
        script.init(0.0, &[("gain".into(), 2.0), ("period".into(), 0.1)]).unwrap();
        script
    }

    fn steps(script: &mut Script, from: usize, to: usize) -> Vec<u64> {
        let step = |k: usize| {
            let mut u = [0.0];
            script.step(k as f64, &[(k as f64).sin()], &mut u).unwrap();
            u[0].to_bits()
        };
        (from..to).map(step).collect()
    }

    fn resumed(source: &str) -> (Vec<u64>, Vec<u64>) {
        let mut first = script(source);
        steps(&mut first, 0, 9);
        let mut archive = Archive::to_write();
        first.remember(&mut archive).unwrap();
        let mut second = script(source);
        let mut archive = Archive::to_read(archive.finish().unwrap());
        second.remember(&mut archive).unwrap();
        assert!(archive.finish().is_some());
        (steps(&mut first, 9, 20), steps(&mut second, 9, 20))
    }

    #[test]
    fn a_program_goes_on_with_the_same_bits() {
        let programs = [
            "let sum = 0; let p; function init(t, q) { p = q; } function step(t, i) { sum += p.gain * i.x; return sum; }",
            "let n = 0; function step(t, i) { n = -n; return Math.random() + (1 / n > 0 ? 1 : 0); }",
            "class Filter { constructor(a) { this.a = a; this.y = 0; } next(x) { return this.y += this.a * (x - this.y); } }
             const all = [new Filter(0.1)]; let extra = null;
             function step(t, i) {
                 if (t === 3) { extra = new Filter(0.3); all.push(extra); }
                 return all.reduce((x, f) => f.next(x), i.x) + (extra ? extra.y : 0);
             }",
            "const ring = new Float64Array(4); const seen = new Map(); let k = 0;
             function step(t, i) {
                 ring[k++ % 4] = i.x; seen.set(k % 3, i.x);
                 let sum = 0; for (const [key, x] of seen) sum = key + sum * 0.5 + x;
                 return sum + ring[0] - ring[2];
             }",
            "const shared = { n: 0 }; let a = shared, b; function step(t, i) { b = b ?? { twin: shared }; a.n += i.x; return b.twin.n; }",
            "let history = []; function step(t, i) { history.unshift(i.x); history.length = Math.min(history.length, 3); return history.at(-1); }",
            "function step(t, i) { step.calls = (step.calls ?? 0) + 1; globalThis.last = (globalThis.last ?? 0) + i.x; return step.calls + globalThis.last; }",
        ];
        for source in programs {
            let (on, again) = resumed(source);
            assert_eq!(on, again, "{source}");
        }
    }

    #[test]
    fn memory_out_of_sight_is_refused() {
        let check = |source: &str, expected: &str| {
            let mut script = script(source);
            steps(&mut script, 0, 2);
            let error = script.remember(&mut Archive::to_write()).unwrap_err().to_string();
            assert!(error.contains(expected), "{source}: {error}");
        };
        check(
            "function make() { let s = 0; return x => s += x; } const sum = make(); function step(t, i) { return sum(i.x); }",
            "`sum` is a function that may remember",
        );
        check(
            "class A { #n = 0; next() { return ++this.#n; } } const a = new A(); function step() { return a.next(); }",
            "private field",
        );
        check(
            "const r = new RegExp('a', 'g'); function step() { return r.test('aa') ? 1 : 0; }",
            "`r` is a RegExp",
        );
    }
}
