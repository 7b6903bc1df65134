//! Programs that are kept and brought back, by hand and by chance: they go on with the same bits, or are refused.

use proptest::prelude::*;
use trunnion_num::Archive;

use super::{Limits, Script, ScriptError};

fn script(source: &str) -> Result<Script, ScriptError> {
    let mut script = Script::new("c.js", source, &["x".into()], &["u".into()], Limits::default())?;
    script.init(0.0, &[("gain".into(), 2.0), ("period".into(), 0.1)])?;
    Ok(script)
}

fn steps(script: &mut Script, from: usize, to: usize) -> Result<Vec<u64>, ScriptError> {
    let step = |k: usize| {
        let mut u = [0.0];
        script.step(k as f64, &[(k as f64).sin()], &mut u)?;
        Ok(u[0].to_bits())
    };
    (from..to).map(step).collect()
}

/// The steps after a snapshot, without and with it; Err if it was refused.
fn resumed(source: &str) -> Result<(Vec<u64>, Vec<u64>), ScriptError> {
    let mut first = script(source).unwrap_or_else(|e| panic!("{source}: {e}"));
    steps(&mut first, 0, 9).unwrap_or_else(|e| panic!("{source}: {e}"));
    let mut archive = Archive::to_write();
    first.remember(&mut archive)?;
    let mut second = script(source).unwrap();
    let mut archive = Archive::to_read(archive.finish().unwrap());
    second.remember(&mut archive).unwrap_or_else(|e| panic!("{source}: what was kept is refused: {e}"));
    assert!(archive.finish().is_some());
    let go_on = |script: &mut Script| steps(script, 9, 25).unwrap_or_else(|e| panic!("{source}: {e}"));
    Ok((go_on(&mut first), go_on(&mut second)))
}

/// Programs of every kind that has to be kept.
const KEPT: &[&str] = &[
    "let sum = 0; let p; function init(t, q) { p = q; } function step(t, i) { sum += p.gain * i.x; return sum; }",
    "let n = 0; function step(t, i) { n = -n; return Math.random() + (1 / n > 0 ? 1 : 0); }",
    "class Filter { constructor(a) { this.a = a; this.y = 0; } next(x) { return this.y += this.a * (x - this.y); } }
     const all = [new Filter(0.1)]; let extra = null;
     function step(t, i) {
         if (t === 3) { extra = new Filter(0.3); all.push(extra); }
         return all.reduce((x, f) => f.next(x), i.x) + (extra ? extra.y : 0);
     }",
    "class Filter { a = 0.1; y = 0\n next(x) { return this.y += this.a * (x - this.y); } get twice() { return 2 * this.y; } }
     const f = new Filter(); function step(t, i) { return f.next(i.x) + f.twice; }",
    "const ring = new Float64Array(4); const seen = new Map(); let k = 0;
     function step(t, i) {
         ring[k++ % 4] = i.x; seen.set(k % 3, i.x);
         let sum = 0; for (const [key, x] of seen) sum = key + sum * 0.5 + x;
         return sum + ring[0] - ring[2];
     }",
    "const shared = { n: 0 }; let a = shared, b; function step(t, i) { b = b ?? { twin: shared }; a.n += i.x; return b.twin.n; }",
    "let history = []; function step(t, i) { history.unshift(i.x); history.length = Math.min(history.length, 3); return history.at(-1); }",
    "function step(t, i) { step.calls = (step.calls ?? 0) + 1; globalThis.last = (globalThis.last ?? 0) + i.x; return step.calls + globalThis.last; }",
    "let { a, b: [c, ...d], ...e } = { a: 1, b: [2, 3, 4], f: 5 }; function step(t, i) { a += i.x; c += a; d[1] -= c; e.f += d[1]; return a + c + d[1] + e.f; }",
    "let a = 1, b = (2, 3), c = [a, b], d = { c }; var e = 0, f = e; function step(t, i) { a += b; b += i.x; d.c[0] += a; e += 1; f += e; return a + b + c[0] + f; }",
    "let a = 1\nlet b = 2\nconst g = x => x + b\nlet h = g\nfunction step(t, i) { a += h(i.x); b += 0.5; return a }",
    "function idle(t) { return t > 3 ? busy : idle; } const busy = t => t > 6 ? idle : busy; let mode = idle;
     function step(t, i) { mode = mode(t); mode.n = (mode.n ?? 0) + i.x; return (mode === busy ? 10 : 0) + mode.n; }",
    "const x = { n: 0 }; let a = x; function step(t, i) { if (t === 2) a = { n: 1 }; a.n += i.x; return a.n + x.n; }",
    "class A { constructor() { this.n = 0; } next() { return ++this.n; } } class B extends A { next() { return super.next() * 2; } }
     let b = new B(); function step(t, i) { if (t === 4) b = Object.assign(new B(), { n: 100 }); return b.next(); }",
    "class Ring extends Array { last() { return this[this.length - 1]; } } const r = new Ring(); function step(t, i) { r.push(i.x); return r.last() + r.length; }",
    "const o = Object.freeze({ gain: 2, list: [1] }); function step(t, i) { o.list.push(i.x); return o.gain * o.list.length; }",
    "const o = { n: 0, get twice() { return 2 * this.n; }, set twice(x) { this.n = x; } }; function step(t, i) { o.twice = o.n + i.x; return o.twice; }",
    "let last; function step(t, inputs) { const before = last ? last.x : 0; last = inputs; return before; }",
    "let o = { b: 1, a: 2 }; function step(t, i) { if (t === 3) { delete o.b; o.b = 3; } return Object.keys(o).indexOf('b') + o.b; }",
    "const set = new Set(); function step(t, i) { set.add(t % 4); if (set.size > 3) set.clear(); return [...set].reduce((a, b) => 3 * a + b, 0); }",
    "let chain = null; function step(t, i) { chain = { chain, x: i.x }; let n = 0; for (let c = chain; c; c = c.chain) n += c.x; return n; }",
    "function Point(x) { this.x = x; } Point.prototype.move = function (d) { this.x += d; return this.x; };
     let p = new Point(1); function step(t, i) { if (t === 5) p = new Point(7); return p.move(i.x); }",
    "let big = 1n; function step(t, i) { big = big * 3n + 1n; return Number(big % 1000n); }",
    "let hole = [1, , 3]; function step(t, i) { hole[t % 5] = i.x; return hole.length + (1 in hole ? 1 : 0) + hole.reduce((a, b) => a + b, 0); }",
    "let Math2 = Math, x = 0; globalThis.x = 5; function step(t, i) { x += 1; globalThis.x += 2; return x + globalThis.x + Math2.abs(i.x); }",
    "const t = `let q = ${1 + 1} {`; let q = 0; function step(t, i) { q += i.x; return q; }",
];

/// Programs whose memory is out of sight, and what is said of them.
const REFUSED: &[(&str, &str)] = &[
    ("let \\u0061b = 0; function step(t, i) { ab += i.x; return ab; }", "its functions could not be found"),
    (
        "function make() { let s = 0; return x => s += x; } const sum = make(); function step(t, i) { return sum(i.x); }",
        "`sum` is a function that may remember",
    ),
    (
        "class A { #n = 0; next() { return ++this.#n; } } const a = new A(); function step() { return a.next(); }",
        "private field",
    ),
    ("const r = new RegExp('a', 'g'); function step() { return r.test('aa') ? 1 : 0; }", "`r` is a RegExp"),
    (
        "const o = { f: (() => { let n = 0; return () => ++n; })() }; function step() { return o.f(); }",
        "`o.f` is a function that may remember",
    ),
    (
        "let f; function init() { let n = 0; f = () => ++n; } function step() { return f(); }",
        "`f` is a function that may remember",
    ),
    (
        "function step() { Math.n = (Math.n ?? 0) + 1; return Math.n; }",
        "`Math` is a built-in that the program changed",
    ),
    (
        "function step() { Array.prototype.n = (Array.prototype.n ?? 0) + 1; return [].n; }",
        "built-in that the program changed",
    ),
    (
        "function step() { Math.sin = Math.cos; return Math.sin(0); }",
        "`Math.sin` is a built-in that the program changed",
    ),
    (
        "function step() { JSON.n ??= []; JSON.n.push(1); return JSON.n.length; }",
        "built-in that the program changed",
    ),
    (
        "for (let i = 0; i < 3; i++) globalThis['f' + i] = () => ++i; function step() { return f0() + f1(); }",
        "function that may remember",
    ),
    (
        "{ let n = 0; globalThis.f = () => ++n; } function step() { return f(); }",
        "function that may remember",
    ),
    (
        "const make = s => () => ++s; const f = make(0); function step() { return f(); }",
        "`f` is a function that may remember",
    ),
    (
        "class A { n = 0; next = () => ++this.n; } const a = new A(); function step() { return a.next(); }",
        "function that may remember",
    ),
    (
        "function* count() { let n = 0; for (;;) yield ++n; } const g = count(); function step() { return g.next().value; }",
        "no snapshot can keep",
    ),
    (
        "const list = [1, 2, 3], it = list.values(); function step() { return it.next().value ?? 0; }",
        "no snapshot can keep",
    ),
    (
        "let it; function step() { it ??= new Map([[1, 2]]).entries(); return it.next().done ? 1 : 0; }",
        "no snapshot can keep",
    ),
    (
        "const w = new WeakMap(), k = {}; function step() { w.set(k, (w.get(k) ?? 0) + 1); return w.get(k); }",
        "no snapshot can keep",
    ),
    ("const p = new Proxy({ n: 0 }, {}); function step() { return ++p.n; }", "Proxy"),
    (
        "const o = { n: 0, f() { return ++this.n; } }; const f = o.f.bind(o); function step() { return f(); }",
        "function that may remember",
    ),
    (
        "const f = new Function('return globalThis.n = (globalThis.n ?? 0) + 1'); function step() { return f(); }",
        "`eval` or `Function`",
    ),
    ("const s = Symbol(); const o = { [s]: 0 }; function step() { return ++o[s]; }", "symbol"),
    (
        "const a = new Float64Array(2), b = new Float64Array(a.buffer); function step() { return ++b[0]; }",
        "shares its memory",
    ),
    ("const n = new Number(3); function step() { return n + 1; }", "no snapshot can keep"),
    (
        "const e = new Error('x'); function step() { e.n = (e.n ?? 0) + 1; return e.n; }",
        "no snapshot can keep",
    ),
    (
        "var f = function () { var n = 0; return { next() { return ++n; } }; }(); function step() { return f.next(); }",
        "`f.next` is a function that may remember",
    ),
];

#[test]
fn a_program_goes_on_with_the_same_bits() {
    for source in KEPT {
        match resumed(source) {
            Ok((on, again)) => assert_eq!(on, again, "{source}"),
            Err(error) => panic!("{source}: {error}"),
        }
    }
}

#[test]
fn memory_out_of_sight_is_refused() {
    for (source, expected) in REFUSED {
        let error = resumed(source).err().unwrap_or_else(|| panic!("not refused: {source}")).to_string();
        assert!(error.contains(expected), "{source}: {error}");
    }
}

/// A value that a program may begin with; `depth` bounds how far it nests.
fn literal(depth: u32) -> BoxedStrategy<String> {
    // What hides its memory is rare, so that most programs are kept.
    let leaf = prop_oneof![
        12 => (-9..10).prop_map(|n: i32| n.to_string()),
        6 => Just("-0".to_string()),
        6 => Just("'text'".to_string()),
        6 => Just("null".to_string()),
        6 => Just("undefined".to_string()),
        6 => Just("new Float64Array(3)".to_string()),
        6 => Just("new Cell(1)".to_string()),
        6 => Just("new Heir(2)".to_string()),
        6 => Just("bump".to_string()),
        6 => Just("x => x + 1".to_string()),
        6 => Just("new Map([[1, { n: 2 }]])".to_string()),
        6 => Just("new Set([1, 2])".to_string()),
        1 => Just("make(3)".to_string()),
        1 => Just("(() => { let n = 0; return () => ++n; })()".to_string()),
    ];
    leaf.prop_recursive(depth, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|all| format!("[{}]", all.join(", "))),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|all| {
                let fields: Vec<String> = all.iter().enumerate().map(|(k, v)| format!("k{k}: {v}")).collect();
                format!("{{ {} }}", fields.join(", "))
            }),
            inner.clone().prop_map(|v| format!("Object.freeze({{ v: {v} }})")),
            inner.clone().prop_map(|v| format!("{{ n: 1, v: {v}, next(x) {{ return this.n += x; }} }}")),
            inner.prop_map(|v| format!("{{ get v() {{ return 3; }}, w: {v} }}")),
        ]
    })
    .boxed()
}

/// Declarations at the top level, with the names they make.
fn declaration(k: usize) -> impl Strategy<Value = (String, Vec<String>)> {
    let names = move |n: usize| (0..n).map(|j| format!("v{k}_{j}")).collect::<Vec<_>>();
    (0..8, literal(2), literal(1), literal(1)).prop_map(move |(form, a, b, c)| {
        let n = names(3);
        let (x, y, z) = (&n[0], &n[1], &n[2]);
        let text = match form {
            0 => format!("let {x} = {a}, {y} = {b}, {z} = {c};"),
            1 => format!("const {x} = {a}; var {y} = {b}\nlet {z} = {c}"),
            2 => format!("let {{ a: {x}, b: [{y}, {z} = 1] }} = {{ a: {a}, b: [{b}, {c}] }};"),
            3 => format!("let [{x}, ...{y}] = [{a}, {b}, {c}], {z} = {x};"),
            4 => format!("let {x}, {y} = {b}; globalThis.{z} = {c};"),
            5 => format!("const {{ {x}, ...{y} }} = {{ {x}: {a}, p: {b}, q: {c} }}; let {z} = {y}"),
            6 => format!("let {x} = ({a}, {b}), {y} = [{x}, {x}]\nvar {z} = {{ twin: {y}, own: {c} }};"),
            _ => format!("let {x} = {a}; if ({x}) {{ let inner = 1; var {y} = {b}; }} const {z} = {c};"),
        };
        (text, n)
    })
}

/// What happens in a step, to the names there are.
fn action(names: Vec<String>) -> impl Strategy<Value = String> {
    (0..62, prop::sample::select(names.clone()), prop::sample::select(names), literal(1), 0..9).prop_map(
        |(form, a, b, value, when)| {
            // The last two hide something, or put it where no snapshot looks.
            let act = match if form < 60 { form % 14 } else { form - 46 } {
                0 => format!("{a} = {value}"),
                1 => format!("{a} = {b}"),
                2 => format!("{a} = {{ old: {a}, x: i.x }}"),
                3 => format!("{a} += i.x"),
                4 => format!("{a}.added = {b}"),
                5 => format!("{a}.push({b})"),
                6 => format!("{a}.n = ({a}.n ?? 0) + i.x"),
                7 => format!("delete {a}.k0"),
                8 => format!("{a}.k0 = {value}"),
                9 => format!("{a}[1] = t"),
                10 => format!("globalThis.g{when} = {b}"),
                11 => format!("bump.count = (bump.count ?? 0) + 1; Cell.last = {b}"),
                12 => format!("Object.prototype.{a}_x = 1; delete Object.prototype.{a}_x"),
                13 => format!("Object.setPrototypeOf({a}, {b})"),
                14 => format!("{a} = () => {b}"),
                _ => format!("Math.{a} = {b}"),
            };
            format!("if (t % 9 === {when}) attempt(() => {{ {act}; }});")
        },
    )
}

/// A program that sums up all it remembers at every step.
fn program() -> impl Strategy<Value = String> {
    let declarations = (declaration(0), declaration(1), declaration(2));
    declarations.prop_flat_map(|((a, m), (b, n), (c, o))| {
        let names = [m, n, o].concat();
        let actions = prop::collection::vec(action(names.clone()), 1..7);
        actions.prop_map(move |actions| {
            let sum: Vec<String> = names.iter().map(|n| format!("measure(typeof {n} === 'undefined' ? 0 : {n}, 0)")).collect();
            format!(
                "class Cell {{ constructor(n) {{ this.n = n; }} next(x) {{ return this.n += x; }} }}
                 class Heir extends Cell {{ m = 1; next(x) {{ return super.next(2 * x); }} }}
                 function bump(x) {{ return x + 1; }}
                 const make = s => x => s += x;
                 function attempt(f) {{ try {{ f(); }} catch (e) {{ }} }}
                 {a}\n{b}\n{c}
                 function measure(v, depth) {{
                     if (typeof v === 'number') return v;
                     if (typeof v === 'string') return v.length;
                     if (v === null || v === undefined || depth > 4) return 0.25;
                     if (typeof v === 'boolean') return 0.125;
                     let sum = typeof v === 'function' ? 1.5 : 0.5;
                     if (typeof v === 'function' && v.length < 2 && v !== Cell && v !== Heir && v !== bump) attempt(() => {{ const r = v(depth); if (typeof r === 'number') sum += r; }});
                     if (v instanceof Cell) sum += v.next(0.5);
                     if (v instanceof Map || v instanceof Set) for (const x of v.values()) sum = 0.5 * sum + measure(x, depth + 1);
                     for (const key of Object.keys(v)) sum = 0.75 * sum + key.length + measure(v[key], depth + 1);
                     return sum;
                 }}
                 function step(t, i) {{
                     {}
                     const all = {} + (bump.count ?? 0) + measure(Cell.last, 2) + measure(globalThis.g3, 2);
                     return Number.isFinite(all) ? all : 0.0625;
                 }}",
                actions.join("\n"),
                sum.join(" * 0.5 + "),
            )
        })
    })
}

/// Random programs with every way to declare, nest, share and hide: resumed to the last bit, or refused.
#[test]
fn random_programs_are_kept_whole_or_refused() {
    let config = ProptestConfig {
        cases: 300,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    };
    let seed = proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha);
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(config, seed);
    let (kept, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let run = runner.run(&program(), |source| {
        // Programs that fail by themselves say nothing.
        let whole = script(&source).and_then(|mut s| steps(&mut s, 0, 25));
        prop_assume!(whole.is_ok());
        match resumed(&source) {
            Ok((on, again)) => {
                prop_assert_eq!(on, again, "{}", source);
                kept.set(kept.get() + 1);
            }
            Err(_) => refused.set(refused.get() + 1),
        }
        Ok(())
    });
    if let Err(error) = run {
        panic!("{error}");
    }
    assert!(kept.get() > 30 && refused.get() > 30, "{} kept, {} refused", kept.get(), refused.get());
}
