//! What a user waits for before anything runs: commands on large models, the whole process, against what they may take.
//! Growth is t ∝ n^growth from a third of the size.

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Masses, springs and dampers in a row: three states each.
fn masses(n: usize) -> String {
    let mut text = String::from("[components]\nwall = { type = \"ground\" }\n");
    for i in 0..n {
        let _ = writeln!(text, "m{i} = {{ type = \"mass\", m = \"1 kg\" }}");
        let _ = writeln!(text, "s{i} = {{ type = \"spring_damper\", k = \"1 kN/m\", c = \"2 N s/m\" }}");
    }
    text.push_str("[connect]\n\"wall\" = \"s0.a\"\n");
    for i in 0..n {
        let next = if i + 1 < n { format!(", \"s{}.a\"", i + 1) } else { String::new() };
        let _ = writeln!(text, "\"m{i}\" = [\"s{i}.b\"{next}]");
    }
    text + "[run]\nt_end = \"1 s\"\n"
}

/// Bars on hinges about y and z in turn.
fn bars(n: usize) -> String {
    let mut text = String::from("[bodies]\n");
    (0..n).for_each(|i| _ = writeln!(text, "b{i} = {{ m = \"1 kg\", rod = \"0.5 m\" }}"));
    text.push_str("[joints]\n");
    for i in 0..n {
        let parent = if i == 0 { "world".into() } else { format!("b{}.end", i - 1) };
        let axis = if i % 2 == 0 { "y" } else { "z" };
        let _ = writeln!(
            text,
            "j{i} = {{ type = \"revolute\", parent = \"{parent}\", child = \"b{i}\", axis = \"{axis}\" }}"
        );
    }
    text + "[run]\nt_end = \"0.1 s\"\n"
}

fn seconds(command: &str, model: String) -> f64 {
    let path = std::env::temp_dir().join(format!("trunnion_{command}_{}.toml", std::process::id()));
    std::fs::write(&path, model).unwrap_or_else(|e| panic!("{e}"));
    let begin = Instant::now();
    let status =
        Command::new(env!("CARGO_BIN_EXE_trunnion")).arg(command).arg(&path).stdout(Stdio::null()).status();
    let took = begin.elapsed().as_secs_f64();
    let _ = std::fs::remove_file(&path);
    assert!(status.is_ok_and(|s| s.success()));
    took
}

fn main() {
    println!("{:<34} {:>8} {:>8} {:>8}", "", "s", "aim", "growth");
    let row = |name: &str, command: &str, model: fn(usize) -> String, n: usize, aim: f64| {
        let (third, whole) = (seconds(command, model(n / 3)), seconds(command, model(n)));
        println!("{name:<34} {whole:>8.2} {aim:>8.0} {:>8.2}", (whole / third).ln() / 3.0_f64.ln());
    };
    row("check, 3000 states", "check", masses, 1000, 3.0);
    row("modes, 900 states", "modes", masses, 300, 10.0);
    row("check, chain of 1000 bodies", "check", bars, 1000, 5.0);
}
