//! What is on the disk stays: inputs, models, yesterday's results, the rows of killed runs, what links lead to.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::Folder;

/// A model that is made of every kind of file.
fn machine() -> Folder {
    let folder = Folder::new();
    folder.write(
        "m.toml",
        r#"
        [model]
        include  = "part.toml"
        defaults = "values.toml"
        [variables]
        x = { unit = "m", start = "1 m" }
        [equations]
        e = "der(x) = (c.u - lift(x/1 m) - k)*1 m/1 s"
        [tables]
        lift = { file = "lift.csv", x = "a", y = "b" }
        [controllers.c]
        period  = "10 ms"
        file    = "c.js"
        inputs  = { x = "x" }
        outputs = { u = "1" }
        [bodies.block]
        m      = "1 kg"
        shapes = [{ mesh = "block.stl" }]
        [joints]
        slides = { type = "prismatic", axis = "x", parent = "world", child = "block" }
        [run]
        t_end = "0.1 s"
        "#,
    );
    folder
        .write("part.toml", "[inputs]\npush = { start = 0 }\n[parameters]\nk = 1\n")
        .write("values.toml", "k = 2\n");
    folder.write("lift.csv", "a,b\n0,0\n1,1\n").write("c.js", "function step(t, i) { return i.x; }\n");
    folder.write("block.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n");
    folder
}

const INPUTS: [&str; 6] = ["m.toml", "part.toml", "values.toml", "lift.csv", "c.js", "block.stl"];

/// Runs what has to be refused, and leave every file as it was.
#[track_caller]
fn refused(folder: &Folder, arguments: &[&str], words: &[&str]) {
    let before: Vec<Vec<u8>> = INPUTS.iter().map(|name| fs::read(folder.path(name)).unwrap()).collect();
    let answer = folder.run(arguments);
    assert!(answer.code == 4 || answer.code == 2, "{arguments:?}: {answer:?}");
    for word in words {
        assert!(answer.err.contains(word), "{arguments:?}: {}", answer.err);
    }
    for (name, text) in INPUTS.iter().zip(before) {
        assert_eq!(fs::read(folder.path(name)).unwrap(), text, "{arguments:?} changes {name}");
    }
}

#[test]
fn no_command_replaces_what_it_reads() {
    let folder = machine();
    folder.good(&["run", "m.toml", "-q"]);
    let absolute = folder.path("m.toml").to_string_lossy().into_owned();
    for input in INPUTS.iter().copied().chain(["./m.toml", &absolute]) {
        refused(&folder, &["run", "m.toml", "--stats", input], &["this command reads it", "another name"]);
        for option in ["--snapshot", "--inputs"] {
            let live = ["live", "m.toml", "--no-pace", "--duration", "0.01", option, input];
            refused(&folder, &live, &["this command reads it"]);
        }
        refused(&folder, &["equations", "m.toml", "-o", input], &["this command reads it"]);
    }
    refused(&folder, &["run", "m.toml", "-o", "lift.csv"], &["lift.csv", "this command reads it"]);
    let live = ["live", "m.toml", "--no-pace", "--duration", "0.01", "--record", "lift.csv"];
    refused(&folder, &live, &["this command reads it"]);
    // Another model, or component, is none of the outputs either.
    folder.write("other.toml", "[model]\nname = \"other\"\n");
    folder.bad(&["run", "m.toml", "--stats", "other.toml"], 4, &["it is a model or component"]);
    assert!(folder.read("other.toml").contains("name = \"other\""));
    // Nor is what the command reads besides.
    folder.good(&["run", "m.toml", "-q", "-o", "r.csv"]);
    folder.bad(&["convert", "r.csv", "r.csv"], 4, &["this command reads it"]);
    let live = ["live", "m.toml", "--no-pace", "--duration", "0.01"];
    folder.good(&[&live[..], &["--inputs", "in.csv", "--snapshot", "at"]].concat());
    folder.bad(&[&live[..], &["--replay", "in.csv", "--inputs", "in.csv"]].concat(), 4, &["reads it"]);
    folder.bad(&[&live[..], &["--resume", "at", "--snapshot", "at"]].concat(), 4, &["reads it"]);
    // Two outputs need two places.
    folder.bad(&["run", "m.toml", "-o", "x.csv", "--stats", "./x.csv"], 4, &["another output"]);
}

#[test]
fn an_import_replaces_neither_the_robot_nor_its_meshes() {
    let folder = machine();
    let robot = "<robot name=\"r\"><link name=\"a\"><visual><geometry><mesh filename=\"block.stl\"/></geometry></visual></link></robot>";
    folder.write("r.urdf", robot);
    for out in ["r.urdf", "block.stl"] {
        refused(&folder, &["import", "r.urdf", "-o", out], &["this command reads it"]);
        assert_eq!(folder.read("r.urdf"), robot);
    }
    folder.good(&["import", "r.urdf", "-o", "r.toml"]);
}

#[test]
fn a_run_that_gets_nowhere_leaves_the_result_before() {
    let folder = Folder::new();
    let model = |start: &str| {
        format!(
            "[variables]\nx = {{ start = {start} }}\n[equations]\ne = \"der(x) = sqrt(x)/1 s\"\n[run]\nt_end = \"1 s\"\n"
        )
    };
    for name in ["r.csv", "r.parquet"] {
        folder.write("m.toml", model("1"));
        folder.good(&["run", "m.toml", "-o", name, "-q"]);
        let yesterday = fs::read(folder.path(name)).unwrap();
        folder.write("m.toml", model("-1"));
        let answer = folder.run(&["run", "m.toml", "-o", name]);
        assert_eq!(answer.code, 3, "{answer:?}");
        assert!(answer.err.contains("stays in") && !answer.out.contains("rows in"), "{answer:?}");
        assert_eq!(fs::read(folder.path(name)).unwrap(), yesterday);
        assert!(!folder.path(&format!("{name}.partial")).exists());
    }
}

/// x' = 1 with so many rows that it takes some seconds.
const LONG: &str = "[inputs]\npush = { start = 0 }\n[variables]\nx = {}\n[equations]\ne = \"der(x) = (1 + push)/1 s\"\n[run]\nt_end = \"1000000 s\"\ndt = \"1 ms\"\n";

/// Starts the program, waits until `ready`, and kills it.
fn kill_when(folder: &Folder, arguments: &[&str], ready: impl Fn() -> bool) {
    let mut child = folder
        .command(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !ready() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(ready(), "{arguments:?}");
}

#[test]
fn the_rows_of_a_killed_run_are_not_replaced_unasked() {
    let folder = Folder::new();
    folder.write("m.toml", LONG);
    let size = |name: &str| fs::metadata(folder.path(name)).map_or(0, |about| about.len());
    for name in ["r.csv", "r.parquet"] {
        let partial = format!("{name}.partial");
        kill_when(&folder, &["run", "m.toml", "-o", name, "-q"], || size(&partial) > 100_000);
        let left = fs::read(folder.path(&partial)).unwrap();
        let short = ["run", "m.toml", "-o", name, "-q", "--t-end", "1"];
        folder.bad(&short, 4, &[&partial, "killed run", "trunnion convert"]);
        assert!(fs::read(folder.path(&partial)).unwrap() == left);
        folder.good(&["convert", &partial, "kept.csv"]);
        assert!(folder.read("kept.csv").lines().count() > 1000);
        fs::remove_file(folder.path(&partial)).unwrap();
        folder.good(&short);
        assert!(!folder.path(&partial).exists());
    }
}

#[test]
fn inputs_of_a_killed_live_run_are_there() {
    let folder = Folder::new();
    folder.write("m.toml", LONG);
    let changes: String =
        (1..2000).map(|k| format!("{},push,{}\n", f64::from(k) * 1e-3, f64::from(k) * 0.5)).collect();
    folder.write("in.csv", format!("time,input,value\n{changes}"));
    let live = ["live", "m.toml", "--replay", "in.csv", "--inputs", "kept.csv", "--duration", "1000"];
    let lines = || fs::read_to_string(folder.path("kept.csv.partial")).map_or(0, |text| text.lines().count());
    kill_when(&folder, &live, || lines() > 50);
    let kept = folder.read("kept.csv.partial");
    for (k, line) in kept.lines().skip(2).enumerate().take(40) {
        assert_eq!(line, changes.lines().nth(k).unwrap());
    }
    folder.bad(&live, 4, &["kept.csv.partial", "killed run"]);
    // It repeats what was done; a line that was cut is left out.
    folder.write("kept.csv.partial", &kept[..kept.len() - 2]);
    folder.good(&["live", "m.toml", "--no-pace", "--replay", "kept.csv.partial", "--duration", "0.02"]);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_when_writing() {
    use std::os::unix::fs::symlink;
    let folder = machine();
    folder.write("precious.txt", "precious");
    let link = |name: &str, to: &str| {
        let _ = fs::remove_file(folder.path(name));
        symlink(to, folder.path(name)).unwrap();
    };
    for (name, arguments) in [
        ("r.csv", &["run", "m.toml", "-o", "r.csv"][..]),
        ("r.csv.partial", &["run", "m.toml", "-o", "r.csv"]),
        ("s.json", &["run", "m.toml", "--stats", "s.json"]),
        ("e.txt", &["equations", "m.toml", "-o", "e.txt"]),
        ("at", &["live", "m.toml", "--no-pace", "--duration", "0.01", "--snapshot", "at"]),
        ("in.csv", &["live", "m.toml", "--no-pace", "--duration", "0.01", "--inputs", "in.csv"]),
        ("g.svg", &["plot", "m.toml", "-y", "x", "-o", "g.svg"]),
        ("new.toml", &["reduce", "m.toml", "-o", "new.toml"]),
    ] {
        link(name, "precious.txt");
        let answer = folder.run(arguments);
        assert_eq!(folder.read("precious.txt"), "precious", "{arguments:?}");
        assert!(fs::symlink_metadata(folder.path(name)).unwrap().is_symlink(), "{arguments:?}");
        if name != "new.toml" {
            assert_ne!(answer.code, 0, "{arguments:?}");
        }
        fs::remove_file(folder.path(name)).unwrap();
    }
    // Names of temporary files that can be guessed lead nowhere.
    for name in ["e.txt.tmp", "r.csv.tmp", "r.parquet.tmp"] {
        link(name, "precious.txt");
    }
    folder.good(&["equations", "m.toml", "-o", "e.txt"]);
    folder.good(&["run", "m.toml", "-o", "r.csv", "-q"]);
    folder.good(&["run", "m.toml", "-o", "r.parquet", "-q"]);
    assert_eq!(folder.read("precious.txt"), "precious");
    // The streams of the process are links as well.
    assert!(folder.good(&["equations", "m.toml", "-o", "/dev/stdout"]).contains("der(x)"));
    folder.good(&["run", "m.toml", "-q", "--stats", "/dev/null", "-o", "r.csv"]);
    assert!(Path::new("/dev/null").exists());
}
