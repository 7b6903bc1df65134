//! Files from others: what a model may read, and what it may show.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::program::{Answer, Folder};

const SECRET: &str = "root:secret:0:0\n";

/// A folder with a secret beside the folder `m` of the model.
fn folder() -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.path("m")).unwrap();
    folder
        .write("secret", SECRET)
        .write("secret.toml", SECRET)
        .write("secret.csv", SECRET)
        .write("secret.js", SECRET);
    folder.write("secret.stl", SECRET);
    folder
}

/// Models that name a file in each way there is.
fn naming(file: &str) -> [(&'static str, String); 6] {
    let run = "[variables]\nx = {}\n[equations]\ne = \"der(x) = 1/1 s\"\n";
    [
        ("toml", format!("[model]\ninclude = \"{file}\"\n{run}")),
        ("toml", format!("[model]\ndefaults = \"{file}\"\n{run}")),
        ("csv", format!("[tables]\nt = {{ file = \"{file}\" }}\n{run}")),
        (
            "js",
            format!(
                "{run}[controllers.c]\nperiod = \"1 s\"\nfile = \"{file}\"\ninputs = {{}}\noutputs = {{ u = \"1\" }}\n"
            ),
        ),
        ("stl", format!("[bodies.b]\nmass = \"1 kg\"\nshapes = [{{ mesh = \"{file}\" }}]\n{run}")),
        ("", format!("[model]\nlibraries = \"{file}\"\n{run}")),
    ]
}

/// Runs, within a minute on a busy machine, and without a word of the secret.
fn quietly(folder: &Folder, arguments: &[&str]) -> Answer {
    let start = Instant::now();
    let answer = folder.run(arguments);
    assert!(start.elapsed() < Duration::from_secs(60), "{arguments:?}");
    assert!(!answer.err.contains("root") && !answer.out.contains("root"), "{answer:?}");
    answer
}

#[cfg(unix)]
#[test]
fn a_model_reads_below_its_folder_only() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    for (ending, _) in naming("") {
        let name = if ending.is_empty() { "secret" } else { &format!("secret.{ending}") };
        let _ = fs::remove_file(folder.path(&format!("m/{name}")));
        symlink(folder.path(name), folder.path(&format!("m/link.{ending}"))).unwrap_or_default();
    }
    symlink("..", folder.path("m/above")).unwrap();
    for (k, (ending, _)) in naming("").into_iter().enumerate() {
        let name = if ending.is_empty() { "secret".to_string() } else { format!("secret.{ending}") };
        let absolute = folder.path(&name).to_string_lossy().into_owned();
        for way in [format!("../{name}"), absolute, format!("link.{ending}"), format!("above/{name}")] {
            folder.write("m/m.toml", &naming(&way)[k].1);
            for command in ["check", "run"] {
                let answer = quietly(&folder, &[command, "m/m.toml"]);
                assert_ne!(answer.code, 0, "{way}");
                assert!(answer.err.contains("lies outside of `m`"), "{way}: {}", answer.err);
                assert!(answer.err.contains("allow it to read"), "{way}: {}", answer.err);
            }
        }
    }
    // The model itself may be a link, and is read where the user names it.
    folder.write("good.toml", "[variables]\nx = {}\n[equations]\ne = \"der(x) = 1/1 s\"\n");
    symlink("../good.toml", folder.path("m/good.toml")).unwrap();
    folder.good(&["check", "m/good.toml"]);
}

#[test]
fn the_user_allows_more() {
    let folder = folder();
    fs::create_dir(folder.path("parts")).unwrap();
    folder.write("parts/p.toml", "[parameters]\nk = 3\n").write("values.toml", "k = 4\n");
    folder.write(
        "m/m.toml",
        "[model]\ninclude = \"../parts/p.toml\"\n[variables]\nx = {}\n[equations]\ne = \"der(x) = k/1 s\"\n",
    );
    folder.bad(&["check", "m/m.toml"], 1, &["M0002", "lies outside"]);
    folder.bad(&["run", "m/m.toml"], 4, &["M0002", "lies outside"]);
    folder.good(&["check", "m/m.toml", "--allow", "parts"]);
    folder.good(&["--allow", "parts", "run", "m/m.toml", "-q"]);
    folder.bad(&["check", "m/m.toml", "--allow", "m"], 1, &["lies outside"]);
    folder.bad(&["check", "m/m.toml", "--allow", "nowhere"], 2, &["no such folder"]);
    // What the user names is read.
    folder.good(&["run", "m/m.toml", "-q", "--allow", "parts", "--defaults", "values.toml"]);
    folder.write(".trunnion", "");
    folder.good(&["check", "m/m.toml"]);
}

#[test]
fn files_of_other_kinds_are_not_quoted() {
    let folder = folder();
    folder.write("m/secret", SECRET).write("m/.env", "ROOT = \"root\"\n");
    for name in ["secret", ".env"] {
        for (_, model) in naming(name) {
            folder.write("m/m.toml", model);
            assert_ne!(quietly(&folder, &["check", "m/m.toml"]).code, 0);
        }
    }
}

#[cfg(unix)]
#[test]
fn pipes_devices_and_endless_files_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    for ending in ["toml", "csv", "js", "stl"] {
        let pipe = folder.path(&format!("m/pipe.{ending}"));
        assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
        symlink("/dev/zero", folder.path(&format!("m/zero.{ending}"))).unwrap();
    }
    for way in ["pipe", "zero"] {
        for (k, (ending, _)) in naming("").into_iter().enumerate().take(5) {
            folder.write("m/m.toml", &naming(&format!("{way}.{ending}"))[k].1);
            let answer = quietly(&folder, &["check", "m/m.toml", "--allow", "/dev"]);
            assert!(answer.err.contains("device, pipe or socket"), "{way}: {}", answer.err);
        }
    }
    for arguments in [["check", "m/pipe.toml"], ["import", "m/pipe.toml"], ["check", "/dev/zero"]] {
        assert_ne!(quietly(&folder, &arguments).code, 0);
    }
    folder.write("m/m.toml", naming("x")[0].1.replace("include = \"x\"", ""));
    let live = ["live", "m/m.toml", "--no-pace", "--duration", "0.01"];
    for option in ["--resume", "--replay"] {
        assert_ne!(quietly(&folder, &[&live[..], &[option, "m/pipe.csv"]].concat()).code, 0);
    }
    assert_ne!(quietly(&folder, &["plot", "m/pipe.csv"]).code, 0);
}

#[cfg(unix)]
#[test]
fn folders_that_link_to_themselves_and_deep_includes_end() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    fs::create_dir(folder.path("m/lib")).unwrap();
    for k in 0..8 {
        symlink(".", folder.path(&format!("m/lib/again{k}"))).unwrap();
    }
    folder.write("m/lib/leak.toml", "title = \"Leak\"\n[parameters]\nk = 1\n");
    folder.write("m/m.toml", &naming("lib")[5].1);
    assert_eq!(quietly(&folder, &["check", "m/m.toml"]).code, 0);
    assert!(quietly(&folder, &["check", "m/lib"]).out.contains("1 component"));
    for k in 0..5000 {
        folder.write(&format!("m/i{k}.toml"), format!("[model]\ninclude = \"i{}.toml\"\n", k + 1));
    }
    let answer = quietly(&folder, &["check", "m/i0.toml"]);
    assert_eq!(answer.code, 1);
    assert!(answer.err.contains("M0003") && answer.err.contains("deep"), "{}", answer.err);
}

#[test]
fn control_characters_are_written_out() {
    let folder = Folder::new();
    let name = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202Eevil";
    let model = format!(
        "[model]\nname = \"{name}\"\ndoc = \"{name}\"\n[parameters]\nk = {{ value = 1, doc = \"{name}\" }}\n\
         [variables]\nx = {{ doc = \"{name}\" }}\n[equations]\n\"{name}\" = \"der(x) = c.u*k/1 s\"\n\
         [controllers.c]\nperiod = \"0.1 s\"\ninputs = {{}}\noutputs = {{ u = \"1\" }}\n\
         script = \"function step(t) {{ console.log('{name}'); return 1; }}\"\n"
    );
    let failing = model.replace("return 1;", &format!("throw new Error('{name}');"));
    let wrong = format!("{model}\n[\"{name}\"]\nx = 1\n");
    folder.write("m.toml", &model).write("failing.toml", failing).write("wrong.toml", wrong);
    folder.write("\u{1b}[2J.toml", &model);
    for arguments in [
        &["check", "m.toml"][..],
        &["run", "m.toml"],
        &["run", "failing.toml"],
        &["check", "wrong.toml"],
        &["equations", "m.toml"],
        &["verify", "m.toml", "--all"],
        &["balance", "m.toml", "--all"],
        &["linearize", "m.toml"],
        &["live", "m.toml", "--no-pace", "--duration", "0.2"],
        &["plot", "m.toml", "--list"],
        &["check", "\u{1b}[2J.toml"],
        &["run", "\u{1b}[2J.toml"],
        &["run", "\u{1b}[3J.toml"],
        &["run", "m.toml", "--set", "\u{1b}[2J=1"],
    ] {
        let answer = folder.run(arguments);
        for c in ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}'] {
            assert!(!answer.out.contains(c) && !answer.err.contains(c), "{arguments:?}: {answer:?}");
        }
    }
    assert!(folder.run(&["run", "m.toml"]).err.contains("\\u{1b}]0;owned"));
}

#[test]
fn meshes_and_robots_that_unfold_are_refused() {
    let folder = folder();
    // Every node has the next one twice: 2^60 of them.
    let nodes: Vec<String> = (0..60).map(|k| format!("{{\"children\": [{0}, {0}]}}", k + 1)).collect();
    let gltf = format!("{{\"scenes\": [{{\"nodes\": [0]}}], \"nodes\": [{}, {{}}]}}", nodes.join(","));
    folder.write("m/shared.gltf", gltf);
    let buffers: Vec<String> = (0..20_000).map(|_| "{\"uri\": \"big.bin\"}".to_string()).collect();
    folder.write("m/repeated.gltf", format!("{{\"buffers\": [{}]}}", buffers.join(",")));
    folder.write("m/big.bin", vec![0_u8; 4 << 20]);
    for (name, word) in [("shared.gltf", "two nodes above it"), ("repeated.gltf", "no triangles")] {
        folder.write("m/m.toml", &naming(name)[4].1);
        let answer = quietly(&folder, &["check", "m/m.toml"]);
        assert!(answer.code == 1 && answer.err.contains(word), "{}", answer.err);
    }
    let attributes: String = (0..100_000).map(|k| format!(" a{k}=\"{k}\"")).collect();
    folder.write("m/r.urdf", format!("<robot name=\"r\"{attributes}><link name=\"a\"/></robot>"));
    let answer = quietly(&folder, &["import", "m/r.urdf"]);
    assert!(answer.code == 1 && answer.err.contains("more than 1000 attributes"), "{}", answer.err);
}
