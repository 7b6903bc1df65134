//! What a newcomer meets first: the list of commands, slips in their names, components of a domain, names in pictures.

use clap::CommandFactory;
use trunnion::cli::Cli;
use trunnion_engine::files::library;

use crate::program::Folder;

#[test]
fn help_lists_every_command_in_its_group_with_what_it_says_of_itself() {
    let folder = Folder::new();
    let text = folder.good(&["--help"]);
    for command in Cli::command().get_subcommands() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let line = format!("  {:<12} {about}", command.get_name());
        assert!(text.lines().any(|l| l == line), "no line `{line}` in\n{text}");
    }
    for group in ["Start", "Build", "Run", "Look", "Analyse", "Exchange", "Options:"] {
        assert_eq!(text.lines().filter(|l| *l == group).count(), 1, "{group}");
    }
}

#[test]
fn a_mistyped_command_is_answered_with_the_nearest() {
    let folder = Folder::new();
    for (typed, meant) in [("rnu", "'run'"), ("polt", "'plot'"), ("linearise", "'linearize'")] {
        let answer = folder.run(&[typed]);
        assert!(answer.code == 2 && answer.err.contains(meant), "{answer:?}");
    }
    assert!(!folder.run(&["xyzzy"]).err.contains("similar"));
}

#[test]
fn components_of_a_domain_are_all_listed() {
    let folder = Folder::new();
    for domain in ["hydraulic", "pneumatic", "translational"] {
        let text = folder.good(&["components", domain]);
        let own = library().iter().filter(|d| d.source.name.contains(&format!("/{domain}/")));
        for component in own {
            assert!(text.contains(&format!("\n  {} ", component.name)), "{} in\n{text}", component.name);
        }
    }
}

#[test]
fn two_runs_of_one_model_are_named_by_what_differs() {
    let folder = Folder::new();
    folder.write(
        "m.toml",
        r#"
        [parameters]
        k = "1 1/s"
        [options]
        law = { choices = ["slow", "fast"], default = "slow" }
        [variables]
        x = { unit = "1", start = 1 }
        [[when]]
        option = "law"
        is = "slow"
        equations.decay = "der(x) = -k*x"
        [[when]]
        option = "law"
        is = "fast"
        equations.decay = "der(x) = -2*k*x"
        [run]
        t_end = "1 s"
        plot = ["x"]
        "#,
    );
    let title = |arguments: &[&str]| {
        folder.good(&[&["compare", "m.toml", "--plot", "c.svg"], arguments].concat());
        folder.read("c.svg")
    };
    for (arguments, names) in [
        (vec!["--set-b", "law=fast"], ["slow and fast", ">fast</text>"]),
        (vec!["--set-b", "k=2 1/s"], ["as it is and k=2 1/s", ">k=2 1/s</text>"]),
        (vec!["--solver", "rodas5p", "--solver-b", "tsit45"], ["rodas5p and tsit45", ">tsit45</text>"]),
        (vec!["--rtol", "1e-6", "--rtol-b", "1e-4"], ["rtol 1e-6 and rtol 1e-4", ">rtol 1e-4</text>"]),
    ] {
        let text = title(&arguments);
        // The signal stands on the axis.
        assert!(names.iter().all(|name| text.contains(name)), "{arguments:?}: {names:?}");
        assert!(text.contains(">x</text>"), "{arguments:?}");
    }
}

/// One group of options for all that run models; where a run has an end of its own, `--t-end` is left out.
#[test]
fn commands_that_run_models_take_the_same_options() {
    let ends = ["run", "sweep", "compare", "energy", "reduce", "inverse", "plot", "animate", "live"];
    let others = ["linearize", "modes", "lqr", "response", "verify"];
    let all = Cli::command();
    for name in ends.iter().chain(&others) {
        let command = all.find_subcommand(name).unwrap();
        let has = |option: &str| command.get_arguments().any(|a| a.get_long() == Some(option));
        for option in ["solver", "rtol", "set", "defaults", "units"] {
            assert!(has(option), "`{name}` has no --{option}");
        }
        assert_eq!(has("t-end"), ends.contains(name), "--t-end of `{name}`");
    }
    for name in ["check", "balance", "workspace"] {
        let command = all.find_subcommand(name).unwrap();
        let has = |option: &str| command.get_arguments().any(|a| a.get_long() == Some(option));
        assert!(["set", "defaults", "units"].iter().all(|o| has(o)), "{name}");
    }
}

#[test]
fn the_end_of_a_run_has_a_unit_or_is_in_seconds() {
    let folder = Folder::new();
    folder.good(&["new", "m", "--template", "mechanism"]);
    let last = |end: &str| {
        folder.good(&["run", "m.toml", "--t-end", end, "-o", "m.csv"]);
        let text = folder.read("m.csv");
        text.lines().rev().find_map(|l| l.split(',').next()?.parse::<f64>().ok()).unwrap()
    };
    for (end, seconds) in [("0.5", 0.5), ("500ms", 0.5), ("0.01 min", 0.6)] {
        assert!((last(end) - seconds).abs() < 1e-12, "{end}");
    }
    for end in ["5 bar", "soon", "5 sec"] {
        let hint = "write a time as 5, \"5 s\", \"200 ms\" or \"2 min\"";
        folder.bad(&["run", "m.toml", "--t-end", end], 2, &["--t-end <TIME>", hint]);
    }
    folder.bad(&["run", "m.toml", "--t-end", "-1"], 2, &["the end has to come after 0 s"]);
}
