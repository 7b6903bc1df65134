use super::*;
use proptest::prelude::*;

/// The program of the manual.
fn manual() -> &'static str {
    let text = include_str!("../../../../docs/guides/controllers.md");
    text.split("```js\n").nth(1).and_then(|text| text.split("```").next()).unwrap()
}

fn names(names: &str) -> Vec<String> {
    names.split_whitespace().map(String::from).collect()
}

/// Room enough for any sane program, and short enough for tests.
fn tight() -> Limits {
    Limits { call: Duration::from_millis(100), memory: 8 << 20, ..Limits::default() }
}

/// Inputs `y`, `y_ref`; output `u`.
fn script(source: &str) -> Result<Script, ScriptError> {
    Script::new("pid.js", source, &names("y y_ref"), &names("u"), tight())
}

fn step(script: &mut Script, t: f64, y: f64) -> Result<f64, ScriptError> {
    let mut outputs = [0.0];
    script.step(t, &[y, 1.0], &mut outputs)?;
    Ok(outputs[0])
}

/// The first error on the way from reading to the first step.
fn failure(source: &str) -> ScriptError {
    let run = || {
        let mut script = script(source)?;
        script.init(0.0, &[("gain".into(), 2.0)])?;
        step(&mut script, 0.5, 3.0)
    };
    run().expect_err(source)
}

#[track_caller]
fn check(source: &str, expected: &str) {
    assert_eq!(failure(source).to_string(), expected, "{source}");
}

#[test]
fn the_pid_of_the_manual_equals_the_same_in_rust() {
    let mut script = script(manual()).unwrap();
    script
        .init(
            0.0,
            &names("kp ki kd period u_max").into_iter().zip([2.0, 3.0, 0.1, 1e-3, 10.0]).collect::<Vec<_>>(),
        )
        .unwrap();
    let (mut sum, mut last) = (0.0, 0.0);
    for k in 0..2000 {
        let t = f64::from(k) * 1e-3;
        let y = (3.0 * t).sin();
        let error = 1.0 - y;
        let rate = if k == 0 { 0.0 } else { (error - last) / 1e-3 };
        let u = 2.0 * error + sum + 0.1 * rate;
        let limited = u.clamp(-10.0, 10.0);
        if u == limited {
            sum += 3.0 * error * 1e-3;
        }
        last = error;
        assert_eq!(step(&mut script, t, y).unwrap().to_bits(), limited.to_bits(), "t = {t}");
    }
}

#[test]
fn one_output_may_be_a_bare_number() {
    assert_eq!(step(&mut script("const step = (t, inputs) => t + inputs.y").unwrap(), 0.5, 3.0), Ok(3.5));
    assert_eq!(step(&mut script("let step = () => 7").unwrap(), 0.5, 3.0), Ok(7.0));
}

#[test]
fn outputs_go_by_name_not_by_order() {
    let source = "function step(t, { b, a }) { return { v: b, u: a }; }";
    let mut script = Script::new("c", source, &names("a b"), &names("u v"), tight()).unwrap();
    let mut outputs = [0.0; 2];
    for k in 0..100 {
        let x = f64::from(k);
        script.step(x, &[x, -x], &mut outputs).unwrap();
        assert_eq!(outputs, [x, -x]);
    }
}

#[test]
fn odd_names_and_none_at_all_work() {
    let odd = names("__proto__ toString 7 größe a.b");
    let source = "function step(t, i) { const o = JSON.parse('{}');
        for (const k of Object.keys(i)) Object.defineProperty(o, k, { value: 2 * i[k], enumerable: true });
        return o; }";
    let mut script = Script::new("c", source, &odd, &odd, tight()).unwrap();
    let mut outputs = [0.0; 5];
    script.step(0.0, &[1.0, 2.0, 3.0, 4.0, 5.0], &mut outputs).unwrap();
    assert_eq!(outputs, [2.0, 4.0, 6.0, 8.0, 10.0]);
    for source in ["function step() {}", "function step() { return {}; }"] {
        Script::new("c", source, &[], &[], tight()).unwrap().step(0.0, &[], &mut []).unwrap();
    }
}

#[test]
fn state_lives_in_the_program_and_only_there() {
    let source = "let n = 0; function init(t, p) { n = p.start; } function step() { return ++n; }";
    let (mut a, mut b) = (script(source).unwrap(), script(source).unwrap());
    a.init(0.0, &[("start".into(), 10.0)]).unwrap();
    assert_eq!([step(&mut a, 0.0, 0.0), step(&mut a, 1.0, 0.0)], [Ok(11.0), Ok(12.0)]);
    assert_eq!(step(&mut b, 0.0, 0.0), Ok(1.0));
}

#[test]
fn a_second_run_draws_the_same_random_numbers() {
    let draw = || {
        let mut script = script("function step() { return Math.random(); }").unwrap();
        (0..1000).map(|k| step(&mut script, f64::from(k), 0.0).unwrap()).collect::<Vec<_>>()
    };
    let drawn = draw();
    assert_eq!(drawn, draw());
    assert!(drawn.iter().all(|x| (0.0..1.0).contains(x)));
    // 1000 draws, mean ½ within four times √(1/12/1000).
    assert!((drawn.iter().sum::<f64>() / 1000.0 - 0.5).abs() < 0.037);
}

#[test]
fn no_clock_no_files_no_timers() {
    let absent =
        "Date performance setTimeout setInterval require fetch process std os WeakRef FinalizationRegistry";
    for name in absent.split_whitespace() {
        let source = format!("function step() {{ return typeof {name} === 'undefined' ? 1 : 0; }}");
        assert_eq!(step(&mut script(&source).unwrap(), 0.0, 0.0), Ok(1.0), "{name}");
    }
    let clock = "there is no clock: use `t`, the simulated time in s";
    check(
        "function step() {\n  return Date.now();\n}",
        &format!("pid.js:2:10: ReferenceError: Date is not defined; {clock}"),
    );
    check(
        "setTimeout(() => 1)",
        "pid.js:1:1: ReferenceError: setTimeout is not defined; there are no timers: `step` is called at every sample",
    );
}

#[test]
fn modules_and_promises_are_refused() {
    check(
        "import fs from 'fs';",
        "pid.js:1:8: syntax error: Unexpected identifier 'fs'; a controller is one file: put the functions it needs into it",
    );
    check(
        "export function step() {}",
        "pid.js:1:1: syntax error: unsupported keyword: export; leave out `export`: `step` and `init` are found by name",
    );
    let later = "leave out promises and `async`: a controller answers at once";
    check(
        "import('fs'); function step() {}",
        &format!("pid.js: the program left work for later, which is never done; {later}"),
    );
    check(
        "function step() { queueMicrotask(() => 1); return 1; }",
        &format!("pid.js: `step` left work for later, which is never done; {later}"),
    );
    check(
        "async function step() { return 1; }",
        "pid.js:1:1: `step` returned a promise; leave out `async`: a controller answers at once",
    );
}

#[test]
fn wrong_syntax_is_placed() {
    check(
        "function step() {\n  return 1 +;\n}",
        "pid.js:2:13: syntax error: unexpected token in expression: ';'",
    );
    check(
        "let größe = 1; let größe = 2;",
        "pid.js:1:30: syntax error: invalid redefinition of lexical identifier",
    );
    check(
        "function step() {",
        "pid.js:1:18: syntax error: the program ends too early; look for a brace or bracket left open",
    );
    check("a\0b", "pid.js:1:2: a NUL byte is no JavaScript; is this a text file?");
}

#[test]
fn thrown_errors_are_placed_where_the_program_threw() {
    check(
        "function limit(u) {\n  if (u > 2) throw new Error('too fast');\n}\nfunction step(t, { y }) {\n  return limit(y);\n}",
        "pid.js:2:24: too fast",
    );
    check(
        "let a;\nfunction step(t, i) {\n  const b = 2 * i.y;\n  return b + a.x;\n}",
        "pid.js:4:14: TypeError: cannot read property 'x' of undefined",
    );
    check(
        "function step() { return nowhere(1); }",
        "pid.js:1:26: ReferenceError: nowhere is not defined; declare it first: `let nowhere = …;`",
    );
    check(
        "function step(t, i) { return y; }",
        "pid.js:1:30: ReferenceError: y is not defined; write `inputs.y`",
    );
    check(
        "function init() { [1].map(x => { throw new TypeError('no'); }); } function step() {}",
        "pid.js:1:44: TypeError: no",
    );
    check(
        "throw 3",
        "pid.js: the program threw 3; `throw new Error(\"…\")` would tell the line, and a message",
    );
    check(
        "function step() { throw { a: 1 }; }",
        "pid.js: `step` threw [object Object]; `throw new Error(\"…\")` would tell the line, and a message",
    );
    check(
        "function step() { throw null; }",
        "pid.js: `step` used more than 8 MiB of memory and was stopped; look for an array or text that grows with every call, or for `throw null`",
    );
    check("function step() { throw new Error('\\ud800'); }", "pid.js:1:29: no message");
    check(
        "function step() { throw { toString() { for (;;); } }; }",
        "pid.js: `step` threw an object; `throw new Error(\"…\")` would tell the line, and a message",
    );
    check(
        "function step() { const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { for (;;); } }); throw e; }",
        "pid.js: x",
    );
    check(
        "Error.prepareStackTrace = () => { for (;;); }; function step() { throw new Error('x'); }",
        "pid.js: `step` ran for more than 0.1 s and was stopped; look for a loop that does not end",
    );
}

#[test]
fn misspelt_names_are_refused() {
    check(
        "function step(t, inputs) {\n  return inputs.y_reff;\n}",
        "pid.js:2:10: there is no input `y_reff`; did you mean `y_ref`?",
    );
    check(
        "function step(t, { speed }) { return speed; }",
        "pid.js:1:1: there is no input `speed`; inputs: `y`, `y_ref`",
    );
    check(
        "function init(t, parameters) { parameters.gian; } function step() { return 1; }",
        "pid.js:1:32: there is no parameter `gian`; did you mean `gain`?",
    );
    check(
        "function step(t, inputs) { inputs.z = 1; return 1; }",
        "pid.js:1:28: TypeError: object is not extensible",
    );
    check("function step() { return { U: 1 }; }", "pid.js:1:1: there is no output `U`; did you mean `u`?");
    check(
        "function step() { return { u: 1, other: 2 }; }",
        "pid.js:1:1: there is no output `other`; outputs: `u`",
    );
    let json = "function step(t, i) { console.log(i, String(i), 'y' in i, 'z' in i); return 1; }";
    let mut script = script(json).unwrap();
    step(&mut script, 0.0, 3.0).unwrap();
    assert_eq!(script.take_log(), ["{\"y\":3,\"y_ref\":1} [object Object] true false"]);
}

#[test]
fn wrong_outputs_are_refused() {
    check("function step() {}", "pid.js:1:1: `step` returned nothing; end `step` with `return { u: … };`");
    check(
        "function step() { return {}; }",
        "pid.js:1:1: `step` returned no `u`; end `step` with `return { u: … };`",
    );
    check(
        "function step() { return { u: undefined }; }",
        "pid.js:1:1: `step` returned no `u`; end `step` with `return { u: … };`",
    );
    check(
        "function step() { return { u: NaN }; }",
        "pid.js:1:1: output `u` is NaN; look for 0/0, a root of a negative number, or a variable that was never set",
    );
    check(
        "function step() { return 1 / 0; }",
        "pid.js:1:1: output `u` is infinite; look for a division by zero, or limit the output",
    );
    check(
        "function step() { return { u: true }; }",
        "pid.js:1:1: output `u` is a truth value, not a number; write `condition ? 1 : 0`",
    );
    check(
        "function step() { return { u: '1' }; }",
        "pid.js:1:1: output `u` is a text, not a number; outputs are numbers in SI units",
    );
    check(
        "function step() { return 1n; }",
        "pid.js:1:1: `step` returned no number; end `step` with `return { u: … };`",
    );
    check(
        "function step() { return [1]; }",
        "pid.js:1:1: `step` returned an array; end `step` with `return { u: … };`",
    );
    check(
        "function step() { return step; }",
        "pid.js:1:1: `step` returned a function; end `step` with `return { u: … };`",
    );
    check(
        "function step() { return new Proxy({}, { ownKeys() { throw new Error('mine'); } }); }",
        "pid.js:1:64: mine",
    );
    check(
        "function init() {}",
        "pid.js: there is no function `step`; add `function step(t, inputs) { return { u: … }; }`",
    );
    check(
        "let step = 3;",
        "pid.js: `step` is a number, not a function; name that something else, or write `function step(…) { … }`",
    );
}

#[test]
fn endless_loops_are_stopped_wherever_they_are() {
    for (source, what) in [
        ("for (;;);", "the program"),
        ("function init() { while (true) {} } function step() {}", "`init`"),
        ("function step() { for (;;); }", "`step`"),
        ("function step() { try { for (;;); } finally { for (;;); } }", "`step`"),
        ("function step() { for (;;) try { for (;;); } catch { } }", "`step`"),
        ("const f = () => f; function step() { let g = f; for (;;) g = g(); }", "`step`"),
        ("function step() { return { get u() { for (;;); } }; }", "`step`"),
        ("function step() { return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1); }", "`step`"),
        ("function step() { return /(a+)+$/.test('a'.repeat(40) + 'b'); }", "`step`"),
        ("function step() { console.log({ toJSON() { for (;;); } }); }", "`step`"),
        ("function* all() { for (;;) yield 1; } function step() { return [...all()]; }", "`step`"),
    ] {
        let error = failure(source);
        let stopped = format!("{what} ran for more than 0.1 s and was stopped");
        // Growing without end may meet the memory limit first.
        assert!(error.message == stopped || error.message.contains("MiB"), "{source}: {error}");
        assert_eq!(error.line, Some(1), "{source}");
    }
}

#[test]
fn memory_is_bounded() {
    for source in [
        "const all = []; for (;;) all.push({});",
        "const all = []; for (;;) all.push('x'.repeat(1000) + all.length);",
        "function step() { return 'x'.repeat(1 << 28); }",
        "function step() { return new Array(1e9).fill(0); }",
        "function step() { return new Float64Array(1e8); }",
        "const all = new Map(); function step() { for (let i = 0; ; i++) all.set(i, [i]); }",
        "let chain = null; for (;;) chain = { chain };",
        "const all = []; for (;;) try { for (;;) all.push([all]); } catch { }",
    ] {
        let error = failure(source);
        let bounded = error.message.contains("used more than 8 MiB") || error.message.contains("0.1 s");
        assert!(bounded, "{source}: {error}");
    }
}

#[test]
fn any_memory_limit_ends_in_an_error_or_in_a_result() {
    // The engine has to survive running out at every point, and to go away cleanly afterwards.
    for kilobytes in (0..600).step_by(7) {
        let limits = Limits { memory: kilobytes << 10, ..tight() };
        let source = "const all = []; function step(t, i) { all.push({ t, ...i }, [t], 'x' + t, /x/g); return all.length; }";
        let Ok(mut script) = Script::new("c", source, &names("a b"), &names("u"), limits) else { continue };
        let mut outputs = [0.0];
        while script.step(outputs[0], &[1.0, 2.0], &mut outputs).is_ok() {}
    }
}

#[test]
fn deep_nesting_is_refused() {
    for source in [
        "function f() { return f() + 1; } f();",
        "function step() { return JSON.parse('['.repeat(1e6)); }",
        "function step() { return step(); }",
        "let a = []; for (let i = 0; i < 3e4; i++) a = [a]; function step() { return JSON.stringify(a); }",
        &"(".repeat(100_000),
        &"[".repeat(100_000),
        &"a => ".repeat(100_000),
    ] {
        let error = failure(source);
        assert!(error.message.ends_with("nest too deep"), "{}: {error}", &source[..source.len().min(80)]);
    }
}

#[test]
fn after_an_error_the_error_stays() {
    let mut script =
        script("let n = 0; function step() { if (++n == 2) throw new Error('two'); return n; }").unwrap();
    assert_eq!(step(&mut script, 0.0, 0.0), Ok(1.0));
    let error = step(&mut script, 0.25, 0.0).unwrap_err();
    assert_eq!(error.to_string(), "pid.js:1:54: two");
    assert_eq!(step(&mut script, 0.5, 0.0), Err(error.clone()));
    assert_eq!(script.init(0.0, &[]), Err(error));
}

#[test]
fn logs_are_collected_and_bounded() {
    let source = "function step(t) { console.log('t', t, { a: [1, NaN] }, null, undefined, true); console.warn('w'); return 1; }";
    let mut script = script(source).unwrap();
    step(&mut script, 0.5, 0.0).unwrap();
    assert_eq!(script.take_log(), ["t 0.5 {\"a\":[1,\"NaN\"]} null undefined true", "w"]);
    assert!(script.take_log().is_empty());
    for k in 0..10_000 {
        step(&mut script, f64::from(k), 0.0).unwrap();
    }
    let log = script.take_log();
    assert!(log.iter().map(String::len).sum::<usize>() < tight().log + 40, "{}", log.len());
    assert!(log.last().unwrap().ends_with(" more lines"), "{log:?}");
    step(&mut script, 0.5, 0.0).unwrap();
    assert_eq!(script.take_log().len(), 2);
}

#[test]
fn long_runs_keep_within_memory_and_time() {
    // Garbage, cycles included, is collected; the time limit counts from the start of each call.
    let limits = Limits { call: Duration::from_millis(20), memory: 2 << 20, ..Limits::default() };
    let source = "function step(t, { y }) { const a = { y }; a.self = a; let s = 0; for (const x of [1, 2, 3]) s += x * y; return { u: s }; }";
    let mut script = Script::new("c", source, &names("y"), &names("u"), limits).unwrap();
    let mut outputs = [0.0];
    for k in 0..100_000 {
        script.step(f64::from(k), &[2.0], &mut outputs).unwrap();
    }
    assert_eq!(outputs, [12.0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: prop::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(source in "\\PC{0,80}") {
        let _ = script(&source);
    }

    #[test]
    fn any_edit_of_a_program_runs_or_is_refused(at in 0..1_000_usize, length in 0..8_usize, new in "[a-z0-9(){};=+ .]{0,4}") {
        let mut text: Vec<char> = manual().chars().collect();
        let at = at % text.len();
        text.splice(at..(at + length).min(text.len()), new.chars());
        if let Ok(mut script) = script(&text.into_iter().collect::<String>()) {
            let _ = script.init(0.0, &[]);
            let _ = step(&mut script, 0.0, 1.0);
        }
    }
}

/// What an engine takes it gives back, unless its limits left something inside.
#[cfg(target_os = "linux")]
#[test]
fn engines_are_freed() {
    let pages = || -> f64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let run = |n: usize| {
        for _ in 0..n {
            let mut script = script(manual()).unwrap();
            let names = names("kp ki kd period u_max");
            script.init(0.0, &names.into_iter().map(|name| (name, 1.0)).collect::<Vec<_>>()).unwrap();
            step(&mut script, 0.0, 0.5).unwrap();
        }
    };
    run(20);
    let before = pages();
    run(200);
    // Leaked, 200 engines would take some 50 MB.
    assert!(4096.0 * (pages() - before) < 10e6, "{} pages", pages() - before);
}

/// Programs that run out of stack or memory inside the engine, and catch it, can be dropped.
#[test]
fn what_limits_leave_behind_is_given_up() {
    for source in [
        "function step() { Error.stackTraceLimit = { valueOf() { throw 1; } }; try { (function f() { f(); })(); } catch (e) { } return 1; }",
        "const all = []; function step() { try { for (;;) all.push([all]); } catch { } all.length = 0; return 1; }",
    ] {
        let mut script = script(source).unwrap();
        for k in 0..3 {
            let _ = step(&mut script, f64::from(k), 0.0);
        }
        drop(script);
    }
}
