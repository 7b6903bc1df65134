//! The table of exit codes in the manual is whole, and every code is given for what it says.

use std::collections::BTreeMap;
use std::path::Path;

use trunnion::failure::exit;

use crate::program::Folder;

const MODEL: &str = r#"
[parameters]
k = "1 1/s"
[variables]
x = { unit = "1", start = 1 }
[equations]
decay = "der(x) = -k*x"
[run]
t_end = "1 s"
[[expect]]
signal = "x"
value  = "exp(-1)"
tol    = 1e-4
"#;

/// Codes of the table, with what they mean.
fn documented() -> BTreeMap<u8, String> {
    let mut pages = vec![];
    crate::documents::pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs"), &mut pages);
    let texts = pages.iter().map(|page| std::fs::read_to_string(page).unwrap());
    let tables: Vec<String> = texts
        .filter_map(|t| Some(t.split("## Exit codes").nth(1)?.split("\n\n").nth(1)?.to_string()))
        .collect();
    let [table] = &tables[..] else { panic!("one page has the table, not {}", tables.len()) };
    let rows = table.lines().filter_map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        Some((cells.next()?.parse().ok()?, cells.next()?.to_string()))
    });
    rows.collect()
}

#[test]
fn the_table_of_exit_codes_has_all_of_them() {
    let known = [exit::GOOD, exit::MODEL, exit::USAGE, exit::RUN, exit::FILES, exit::CANCELLED];
    assert_eq!(documented().keys().copied().collect::<Vec<_>>(), known);
}

#[test]
fn every_exit_code_is_given_for_what_the_table_says() {
    let folder = Folder::new();
    folder.write("good.toml", MODEL);
    folder.write("wrong.toml", MODEL.replace("-k*x", "-q*x"));
    folder.write("missed.toml", MODEL.replace("exp(-1)", "0.5"));
    // It reaches infinity at t = 1 s.
    folder.write("bursts.toml", MODEL.replace("-k*x", "k*x^2").replace("1 s\"", "2 s\""));
    let given: [(u8, &[&str], &str); 13] = [
        (exit::GOOD, &["run", "good.toml"], ""),
        (exit::GOOD, &["--help"], ""),
        (exit::MODEL, &["check", "wrong.toml"], "error[L09]"),
        (exit::MODEL, &["run", "wrong.toml"], "error[L09]"),
        (exit::MODEL, &["verify", "missed.toml"], ""),
        (exit::MODEL, &["compare", "good.toml", "--set-b", "k=2 1/s", "--tol", "1 %"], ""),
        (exit::USAGE, &["rnu", "good.toml"], "similar"),
        (exit::USAGE, &["run", "good.toml", "--t-end", "5 bar"], "it is a pressure"),
        (exit::USAGE, &["run", "good.toml", "--solver", "rodas"], "there is no solver `rodas`"),
        (exit::RUN, &["run", "bursts.toml"], "error"),
        (exit::FILES, &["run", "absent.toml"], "absent.toml"),
        (exit::FILES, &["run", "good.toml", "-o", "no/such/folder.csv"], "folder"),
        (exit::FILES, &["plot", "absent.parquet"], "absent.parquet"),
    ];
    let mut seen = BTreeMap::new();
    for (code, arguments, word) in given {
        let answer = folder.run(arguments);
        assert_eq!(answer.code, i32::from(code), "{arguments:?}: {}{}", answer.out, answer.err);
        assert!(answer.err.contains(word), "{arguments:?}: {}", answer.err);
        seen.insert(code, ());
    }
    #[cfg(unix)]
    assert_eq!(interrupted(&folder), Some(i32::from(exit::CANCELLED)));
    seen.insert(exit::CANCELLED, ());
    assert!(documented().keys().eq(seen.keys()), "{seen:?}");
}

/// What a long run answers to Ctrl-C.
#[cfg(unix)]
fn interrupted(folder: &Folder) -> Option<i32> {
    use std::process::{Command, Stdio};
    folder.write(
        "long.toml",
        MODEL.replace("t_end = \"1 s\"", "t_end = \"1e5 s\"\nsolver = \"rk4\"\nstep = \"1e-3 s\""),
    );
    let mut run =
        folder.command(&["run", "long.toml", "-o", "long.csv"]).stderr(Stdio::null()).spawn().unwrap();
    while !folder.path("long.csv.partial").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    run.wait().unwrap().code()
}
