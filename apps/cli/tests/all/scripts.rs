//! Programs of controllers that do not return, leave rests behind, cannot begin, or hide what they remember.

use std::time::{Duration, Instant};

use crate::program::Folder;

/// x follows a controller with this program, sampled every 10 ms.
fn model(program: &str) -> String {
    format!(
        "[variables]\nx = {{ start = 1 }}\n[equations]\ne = \"der(x) = (c.u - x)/(1 s)\"\n[controllers.c]\nperiod = \"10 ms\"\n\
         inputs = {{ x = \"x\" }}\noutputs = {{ u = \"1\" }}\nscript = '''\n{program}\n'''\n[run]\nt_end = \"0.1 s\"\ndt = \"1 ms\"\n"
    )
}

/// Built-ins that do not come back within any time a user waits: the run ends soon after the limit of 1 s, with its rows.
#[test]
fn built_ins_that_never_return_end_the_run() {
    let folder = Folder::new();
    for call in [
        "'a'.repeat(1 << 23).indexOf('a'.repeat(1 << 22) + 'b')",
        "Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)",
        "Array.prototype.join.call({ length: 2 ** 53 - 1 })",
        "Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)",
        "new Array(4294967295).indexOf(1)",
        "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
    ] {
        folder.write("m.toml", model(&format!("function step(t, i) {{ if (t > 0.045) {call}; return 1; }}")));
        let _ = std::fs::remove_file(folder.path("m.csv"));
        let start = Instant::now();
        let answer = folder.bad(&["run", "m.toml", "-o", "m.csv"], 3, &["c:"]);
        // The limit, a second, and what starting the program takes on a busy machine; the calls take hours.
        assert!(start.elapsed() < Duration::from_secs(30), "{call}: {:?} {answer:?}", start.elapsed());
        let text = folder.read("m.csv");
        assert!(text.contains("# ended: failed:"), "{call}: {text}");
        assert!(text.lines().filter(|l| l.starts_with("0.0")).count() >= 45, "{call}: {text}");
        assert!(!folder.path("m.csv.partial").exists());
    }
}

/// A script that catches running out of stack inside the engine leaves objects behind; freeing them must not end the process.
#[test]
fn what_limits_leave_behind_ends_no_process() {
    let folder = Folder::new();
    for program in [
        "function step(t, i) { Error.stackTraceLimit = { valueOf() { throw 1; } }; try { (function f() { f(); })(); } catch (e) { } return 1; }",
        "function step(t, i) { Error.prepareStackTrace = () => { throw 1; }; try { (function f() { f(); })(); } catch (e) { } return 1; }",
        "const all = []; function step(t, i) { try { for (;;) all.push(new Error('x'.repeat(1000))); } catch (e) { } return 1; }",
    ] {
        folder.write("m.toml", model(program));
        for command in ["check", "run", "verify"] {
            let answer = folder.run(&[command, "m.toml"]);
            assert!((0..=4).contains(&answer.code), "{program}: {answer:?}");
        }
    }
}

#[test]
fn check_reads_programs_and_says_that_it_runs_them() {
    let folder = Folder::new();
    for (program, word) in [
        ("function step(t) { return 1 +; }", "syntax error"),
        ("function stop(t) { return 1; }", "no function `step`"),
        ("let a = null; a.b; function step() { return 1; }", "TypeError"),
        ("function init(t, p) { p.gian; } function step() { return 1; }", "no parameter `gian`"),
        ("for (;;); function step() { return 1; }", "does not end"),
    ] {
        folder.write("m.toml", model(program));
        folder.bad(&["check", "m.toml"], 1, &["M0406", "`c` cannot begin", word, "hint"]);
    }
    folder.write("m.toml", model("function step() { return 1; }"));
    let said = folder.good(&["check", "m.toml"]);
    assert!(said.contains("controllers were run up to the end of `init`: c"), "{said}");
}

#[test]
fn live_refuses_hidden_memory_at_its_start() {
    let folder = Folder::new();
    folder.write(
        "m.toml",
        model("const f = (() => { let n = 0; return () => ++n; })(); function step() { return f(); }"),
    );
    let live = ["live", "m.toml", "--no-pace", "--duration", "1000", "--record", "r.csv", "--snapshot", "at"];
    let start = Instant::now();
    folder.bad(&live, 3, &["`f` is a function that may remember"]);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(!folder.path("r.csv").exists() && !folder.path("at").exists());
}
