//! Slips of the pen, one in each model: one message each, with the place and what to write.

use crate::program::Folder;

const STRUT: &str = r#"[components]
body   = { type = "mass", m = "150 kg", v0 = "0.333 m/s" }
weight = { type = "gravity" }
strut  = { type = "cylinder_single", A_h = "49.05 cm^2" }
valve  = { type = "restrictor", R = "1e-4 (m^7/kg)^0.5" }
gas    = { type = "accumulator", V0 = "0.427 l", P0 = "3 bar" }
ground = { type = "ground" }

[connect]
"body"       = ["weight", "strut.rod"]
"strut.case" = "ground"
"strut.head" = "valve.a"
"valve.b"    = "gas"

[run]
t_end = "5 s"
"#;

const EQUATIONS: &str = r#"[parameters]
k = "2 1/s"
[variables]
x = { unit = "m", start = "1 m" }
y = { unit = "m" }
[equations]
e = "der(x) = -k*x"
f = "y = 2*x"
[run]
t_end = "1 s"
"#;

const CIRCUIT: &str = r#"[components]
u = { type = "voltage_source", U = "10 V" }
r = { type = "resistor", R = "100 Ohm" }
c = { type = "capacitor", C = "1 uF" }
g = { type = "electric_ground" }
[connect]
"u.p" = "r.p"
"r.n" = "c.p"
"c.n" = ["u.n", "g"]
[run]
t_end = "1 ms"
"#;

/// Each slip makes one message, and it says all of the words.
#[track_caller]
fn slips(model: &str, list: &[(&str, &str, &[&str])]) {
    let folder = Folder::new();
    folder.write("m.toml", model);
    let sound = folder.run(&["check", "m.toml"]);
    assert_eq!(sound.code, 0, "{}", sound.err);
    for (written, slip, words) in list {
        assert!(model.contains(written), "{written}");
        folder.write("m.toml", model.replace(written, slip));
        let answer = folder.bad(&["check", "m.toml"], 1, words);
        let n = answer.err.matches("error[").count();
        assert_eq!(n, 1, "{slip}: {}", answer.err);
        let helps = answer.err.contains("= hint:") || !["M0001", "M0102", "S0012"].contains(&words[0]);
        assert!(
            (answer.err.contains("--> m.toml:") || words[0] == "N0001") && helps,
            "{slip}: {}",
            answer.err
        );
    }
}

#[test]
fn quotes_and_brackets() {
    slips(
        STRUT,
        &[
            ("\"150 kg\"", "150 kg\"", &["M0001", "m.toml:2:31", "a quote is missing", "write \"150 kg\""]),
            ("\"150 kg\"", "\"150 kg", &["M0001", "m.toml:2:31", "a quote is missing", "write \"150 kg\""]),
            ("\"150 kg\"", "150 kg", &["M0001", "m.toml:2:31", "without quotes", "write \"150 kg\""]),
            ("\"150 kg\"", "“150 kg”", &["M0001", "typographic quotes", "write \"150 kg\""]),
            ("\"5 s\"", "\"5 s", &["M0001", "m.toml:16:9", "a quote is missing", "write \"5 s\""]),
            ("\"5 s\"", "'5 s", &["M0001", "m.toml:16:9", "a quote is missing", "write \"5 s\""]),
            ("\"5 s\"", "\"\"\"5 s", &["M0001", "m.toml:16:9", "without end", "write \"\"\""]),
            ("\"mass\", m", "\"mass\" m", &["M0001", "m.toml:2:26", "a comma is missing"]),
            ("\"mass\", m", "\"mass\",, m", &["M0001", "m.toml:2:26", "a comma too many", "remove it"]),
            (
                "\"gravity\" }",
                "\"gravity\"",
                &["M0001", "m.toml:3:10", "`{` without `}`", "write `}` behind"],
            ),
            ("\"strut.rod\"]", "\"strut.rod\"", &["M0001", "m.toml:10:16", "`[` without `]`", "write `]`"]),
            ("[run]", "[run", &["M0001", "m.toml:15:5", "not closed", "write [run]"]),
            (
                "{ type = \"gravity\" }",
                "( type = \"gravity\" )",
                &["M0001", "m.toml:3:10", "parentheses", "{ key"],
            ),
            ("\"5 s\"", "\"5 s\";", &["M0001", "m.toml:16:14", "`;` behind a value"]),
            ("\"5 s\"", "5,5", &["M0001", "m.toml:16:10", "decimals are written with a point"]),
            ("t_end =", "t_end:", &["M0001", "m.toml:16:6", "`:` after a key", "key = value"]),
            ("t_end =", "t_end", &["M0001", "m.toml:16:7", "key with no value", "key = value"]),
            ("t_end =", "t_end ==", &["M0001", "m.toml:16:8", "one `=`"]),
            ("[run]", "// the run\n[run]", &["M0001", "m.toml:15:1", "comments begin with `#`"]),
            ("\"5 s\"", "", &["M0001", "a value is missing"]),
            ("\"5 s\"", "True", &["M0001", "write `true` or `false`"]),
            ("\"5 s\"", ".5", &["M0001", "numbers are written 0.5"]),
        ],
    );
}

#[test]
fn sections_components_and_ports() {
    slips(
        STRUT,
        &[
            ("[connect]", "[connection]", &["M0102", "m.toml:9:2", "did you mean `connect`?"]),
            ("[components]", "[component]", &["M0102", "m.toml:1:2", "did you mean `components`?"]),
            ("[run]", "[simulation]", &["M0102", "m.toml:15:2", "did you mean `run`?"]),
            ("[run]", "[nonsense]", &["M0102", "m.toml:15:2", "there are", "`run`"]),
            ("[components]", "[model.parameters]\na = 1\n[components]", &["M0101", "write [parameters]"]),
            ("[run]", "[components]\n[run]", &["M0105", "m.toml:15:2", "under one heading"]),
            (
                "weight =",
                "body = \"mass\"\nweight =",
                &["M0105", "`body` is defined twice", "m.toml:2:1", "m.toml:3:1"],
            ),
            ("ground = { type = \"ground\" }\n", "", &["M0304", "add `ground = { type = \"ground\" }`"]),
            ("\"restrictor\"", "\"restricter\"", &["M0301", "did you mean `restrictor`?"]),
            ("\"mass\"", "\"Mass\"", &["M0301", "did you mean `mass`?"]),
            ("\"strut.rod\"", "\"strut.rood\"", &["M0304", "has no port `rood`", "did you mean `rod`?"]),
            ("\"valve.b\"", "\"valve\"", &["M0304", "which port of `valve`?", "write \"valve.a\""]),
            ("\"gas\"\n", "\"gsa\"\n", &["M0304", "did you mean `gas`?"]),
            ("\"gas\"\n", "\"body\"\n", &["M0305", "a hydraulic port cannot meet a translational one"]),
            ("{ type = \"gravity\" }", "{ }", &["M0106", "component `weight` needs `type`"]),
        ],
    );
}

#[test]
fn values() {
    slips(
        STRUT,
        &[
            ("\"150 kg\"", "\"150\"", &["M0107", "expected a mass, found a plain number", "add a unit"]),
            ("\"150 kg\"", "\"150 N\"", &["M0107", "expected a mass, found a force", "in kg"]),
            ("\"150 kg\"", "\"150 kgs\"", &["L03", "unknown unit `kgs`", "did you mean `kg`?"]),
            ("\"0.333 m/s\"", "\"0,333 m/s\"", &["L04", "decimals are written with a point"]),
            ("\"150 kg\"", "true", &["M0103", "has to be a number", "\"… kg\""]),
            ("\"150 kg\"", "[150, \"kg\"]", &["M0103", "found a list", "\"12 kg\""]),
            ("\"150 kg\"", "\"-150 kg\"", &["M0108", "above 0 kg", "this is -150 kg"]),
            ("\"0.427 l\"", "0", &["M0108", "`V0` of `gas` has to be above 0 m^3"]),
            ("m = \"150 kg\"", "mass = \"150 kg\"", &["M0303", "no parameter `mass`", "did you mean `m`?"]),
            ("\"5 s\"", "\"five\"", &["L09", "unknown name `five`"]),
            ("\"5 s\"", "\"5 kg\"", &["M0107", "expected a time, found a mass"]),
            ("t_end", "tend", &["M0101", "did you mean `t_end`?"]),
            ("t_end = \"5 s\"", "t_end = \"5 s\"\nsolver = \"rodas55\"", &["M0112", "rodas5p"]),
        ],
    );
}

#[test]
fn equations() {
    slips(
        EQUATIONS,
        &[
            (
                "y = 2*x",
                "y = y + 1 m",
                &["S0012", "(f) has no solution", "`y` cancels out, and 0 = 1 is left"],
            ),
            ("y = 2*x", "y = y", &["S0012", "(f) says nothing", "0 = 0 is left"]),
            ("y = 2*x", "0*y = 1 m", &["S0005", "(f) contains no unknown"]),
            (
                "y = 2*x\"",
                "y = 2*x\"\ng = \"y = 3*x\"",
                &["S0004", "(g) fixes `x`, which is integrated already"],
            ),
            ("f = \"y = 2*x\"\n", "", &["S0001", "`y` appears in no equation"]),
            ("f =", "e =", &["M0105", "`e` is defined twice"]),
            ("y = 2*x", "y == 2*x", &["L07", "write `=` instead of `==`"]),
            ("y = 2*x", "y := 2*x", &["L01", "write `=`"]),
            ("y = 2*x", "2*x", &["L07", "an equation needs a `=`", "write `left = right`"]),
            ("y = 2*x", "y = 2*(x", &["L04", "close the parenthesis"]),
            ("y = 2*x", "y = 2x", &["L03", "to multiply, write `2*x`"]),
            ("y = 2*x", "y = x**2/1 m", &["L01", "write `^`"]),
            ("y = 2*x", "y = 2*xx", &["L09", "declare `xx`"]),
            ("y = 2*x", "y = sinn(x/1 m)*1 m", &["L10", "did you mean `sin`?"]),
            ("y = 2*x", "y = foobar(x/1 m)*1 m", &["L10", "unknown function `foobar`"]),
            ("y = 2*x", "y = x^2", &["L13", "expected a length, found an area"]),
            ("der(x)", "x'", &["L01", "der(…)"]),
            ("der(x)", "ddt(x)", &["L10", "write `der`"]),
            ("\"y = 2*x\"", "y = 2*x", &["M0001", "write \"y = 2*x\""]),
            ("\"y = 2*x\"", "[\"y = 2*x\"]", &["M0103", "an equation in a string"]),
        ],
    );
}

#[test]
fn circuits() {
    slips(
        CIRCUIT,
        &[
            (
                "[\"u.n\", \"g\"]",
                "\"u.n\"",
                &["N0006", "nothing fixes the potential of `u`, `r` and `c`", "type = \"electric_ground\""],
            ),
            ("\"electric_ground\"", "\"ground\"", &["M0305", "for electric ports it is `electric_ground`"]),
            ("\"r.p\"", "[\"r.p\", \"u.n\"]", &["N0001", "`u`", "`g`"]),
        ],
    );
}

/// Signs that are no letters do not shift the places of messages.
#[test]
fn ends_of_lines_tabs_and_byte_order_marks() {
    let folder = Folder::new();
    let wrong = STRUT.replace("150 kg", "150 kgs");
    for text in [wrong.replace('\n', "\r\n"), format!("\u{feff}{wrong}"), wrong.replace("m = ", "m =\t")] {
        folder.write("m.toml", text);
        folder.bad(&["check", "m.toml"], 1, &["m.toml:2:36", "unknown unit `kgs`", "1 error\n"]);
    }
}

/// The state that a start value was given for in vain, and what it follows from.
#[test]
fn start_values_that_do_not_fit() {
    let folder = Folder::new();
    let two = "[components]\na = { type = \"mass\", m = \"1 kg\", v0 = \"1 m/s\" }\n\
         b = { type = \"mass\", m = \"2 kg\", v0 = \"3 m/s\" }\n[connect]\n\"a\" = \"b\"\n[run]\nt_end = \"1 s\"\n";
    folder.write("m.toml", two);
    let answer = folder.run(&["check", "m.toml"]);
    assert!(answer.err.contains("S0007") && answer.err.contains("it follows from `"), "{}", answer.err);
    folder.write("m.toml", STRUT.replace("\"valve.b\"    = \"gas\"\n", ""));
    let answer = folder.run(&["check", "m.toml"]);
    assert!(answer.err.contains("S0007") && answer.err.contains(") alone fixes it"), "{}", answer.err);
}

const CONTROLLED: &str = "[variables]\nx = { start = 0 }\n[equations]\ne = \"der(x) = c.u/1 s\"\n\
     [controllers.c]\nperiod = \"0.1 s\"\ninputs = { y = \"x\" }\noutputs = { u = \"1\" }\n";

/// The line of a program in a file, with the place under it.
#[test]
fn programs_in_files() {
    let folder = Folder::new();
    folder.write("m.toml", format!("{CONTROLLED}file = \"pid.js\"\n[run]\nt_end = \"1 s\"\n"));
    let cases: [(&str, &str, &str, &[&str]); 7] = [
        (
            "check",
            "let a = 1;\nfunction step(t, inputs) { return { u: a +* 2 }; }\n",
            "M0406",
            &["pid.js:2:43"],
        ),
        (
            "check",
            "const a = 1;\nconst b = a.c.d;\nfunction step() { return { u: 1 }; }\n",
            "M0406",
            &["pid.js:2:"],
        ),
        (
            "check",
            "function init() { gain(); }\nfunction step() { return { u: 1 }; }\n",
            "M0406",
            &["pid.js:1:19", "^^^^"],
        ),
        (
            "run",
            "function law(e) {\n  return e.gain.size;\n}\nfunction step(t, inputs) {\n  return { u: law(inputs) };\n}\n",
            "M0414",
            &["pid.js:2:", "return e.gain.size;", "^"],
        ),
        (
            "run",
            "function step(t) {\n  if (t > 0.45) throw new Error(\"enough\");\n  return { u: 1 };\n}\n",
            "M0414",
            &["pid.js:2:", "enough", "t = 0.5 s", "throw new Error"],
        ),
        (
            "run",
            "function step(t) {\n  return { v: 1 };\n}\n",
            "M0414",
            &["pid.js:1:", "no output `v`", "outputs: `u`"],
        ),
        (
            "run",
            "function step(t) {\n  return { u: y };\n}\n",
            "M0414",
            &["pid.js:2:15", "write `inputs.y`", "^"],
        ),
    ];
    for (command, program, code, words) in cases {
        folder.write("pid.js", program);
        let rc = if command == "check" { 1 } else { 3 };
        let answer = folder.bad(&[command, "m.toml"], rc, words);
        assert!(answer.err.contains(&format!("error[{code}]: the controller `c`")), "{}", answer.err);
        assert_eq!(answer.err.matches("error[").count(), 1, "{}", answer.err);
    }
    folder.write("pid.js", "function step(t) {\n  return { u: y };\n}\n");
    let answer = folder.run(&["run", "m.toml", "-q"]);
    let told = &answer.err[answer.err.find("error").unwrap_or(0)..];
    insta::assert_snapshot!(told.trim(), @r"
    error[M0414]: the controller `c` fails at t = 0 s: ReferenceError: y is not defined
     --> pid.js:2:15
    2 |   return { u: y };
      |               ^
      = hint: write `inputs.y`
    ");
}

/// A program in the text of a model: the place is that of the model.
#[test]
fn programs_in_models() {
    let folder = Folder::new();
    let program =
        "script = \"\"\"\nfunction step(t, inputs) {\n  return { u: inputs.y + gain };\n}\n\"\"\"\n";
    folder.write("m.toml", format!("{CONTROLLED}{program}[run]\nt_end = \"1 s\"\n"));
    folder.bad(&["run", "m.toml"], 3, &["M0414", "m.toml:11:26", "return { u: inputs.y + gain };", "^^^^"]);
    let line = "script = \"function step(t, inputs) { return { u: \\\"a\\\" + gain }; }\"\n";
    folder.write("m.toml", format!("{CONTROLLED}{line}[run]\nt_end = \"1 s\"\n"));
    let answer = folder.bad(&["run", "m.toml"], 3, &["M0414", "m.toml:9:"]);
    let lines: Vec<&str> = answer.err.lines().collect();
    let at = lines.iter().position(|l| l.contains('^')).unwrap();
    let column = lines[at].find('^').unwrap();
    assert_eq!(&lines[at - 1][column..column + 4], "gain", "{}", answer.err);
}
