//! The structure is as it is drawn, and the documents are true: crates, what they may know, paths and links.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Crates and programs with the crates of ours that each uses; what tests use is left out.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let mut graph = BTreeMap::new();
    for group in ["crates", "apps"] {
        for entry in fs::read_dir(root().join(group)).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            let manifest = read(&format!("{group}/{name}/Cargo.toml"));
            let mut used = BTreeSet::new();
            let mut inside = false;
            for line in manifest.lines() {
                if line.starts_with('[') {
                    inside = line == "[dependencies]";
                }
                let key = line.split(['.', '=', ' ']).next().unwrap_or_default();
                if let Some(other) = key.strip_prefix("trunnion-").filter(|_| inside) {
                    used.insert(format!("crates/{other}"));
                }
            }
            graph.insert(format!("{group}/{name}"), used);
        }
    }
    graph
}

/// Everything that a crate uses, however far.
fn reached(graph: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![from.to_string()];
    while let Some(name) = open.pop() {
        for other in &graph[&name] {
            if found.insert(other.clone()) {
                open.push(other.clone());
            }
        }
    }
    found
}

/// What a crate must not use, and why.
const APART: [(&str, &str, &str); 9] = [
    ("crates/multibody", "crates/network", "they meet through ports only"),
    ("crates/network", "crates/multibody", "they meet through ports only"),
    ("crates/equations", "crates/model", "mathematics has no language"),
    ("crates/sim", "crates/model", "a solver sees a problem, not the language it was written in"),
    ("crates/multibody", "crates/sim", "mechanisms are equations, whoever solves them"),
    ("crates/network", "crates/sim", "bond graphs are equations, whoever solves them"),
    ("crates/engine", "crates/study", "opening a model is not running it"),
    ("crates/study", "crates/draw", "numbers without pictures, for programs that draw nothing"),
    ("crates/draw", "crates/study", "a picture shows what it is given"),
];

#[test]
fn crates_keep_apart_what_is_to_be_apart() {
    let graph = graph();
    for (one, other, why) in APART {
        assert!(!reached(&graph, one).contains(other), "`{one}` must not use `{other}`: {why}");
    }
    for (name, used) in &graph {
        assert!(used.iter().all(|u| u.starts_with("crates/")), "{name} uses a program");
    }
}

/// The table of crates in ARCHITECTURE.md, as the manifests have it.
fn drawn(graph: &BTreeMap<String, BTreeSet<String>>) -> String {
    let depth = |name: &String| {
        fn of(graph: &BTreeMap<String, BTreeSet<String>>, name: &str) -> usize {
            graph[name].iter().map(|used| 1 + of(graph, used)).max().unwrap_or(0)
        }
        of(graph, name)
    };
    let mut order: Vec<&String> = graph.keys().collect();
    order.sort_by_key(|name| (std::cmp::Reverse(depth(name)), name.as_str()));
    let mut text = String::from("```text\n");
    for name in order {
        // What is used by something else that is used is left out.
        let used = &graph[name];
        let direct = used.iter().filter(|u| !used.iter().any(|o| o != *u && reached(graph, o).contains(*u)));
        let names: Vec<&str> = direct.map(|u| u.trim_start_matches("crates/")).collect();
        let arrow = if names.is_empty() { String::new() } else { format!(" ──► {}", names.join(", ")) };
        text += format!("{name:<17}{arrow}").trim_end();
        text.push('\n');
    }
    text + "```\n"
}

#[test]
fn the_graph_of_crates_is_drawn_in_architecture() {
    let (text, graph) = (read("ARCHITECTURE.md"), drawn(&graph()));
    assert!(text.contains(&graph), "ARCHITECTURE.md should have\n\n{graph}");
}

/// Only programs may know these.
const OF_PROGRAMS: [(&str, &str); 7] = [
    ("clap", "arguments"),
    ("println!", "standard output"),
    ("eprint", "standard error"),
    ("stdout()", "standard output"),
    ("stderr()", "standard error"),
    ("process::exit", "exit codes"),
    ("env::var", "the environment"),
];

/// What lasts as long as the process, below the programs: the file, the word after `static`, and why several users in one process do
/// not meet there.
const OF_THE_PROCESS: [(&str, &str, &str); 3] = [
    ("crates/files/src/input.rs", "READ", "empty until a program whose process is one command asks for it"),
    (
        "crates/results/src/writer.rs",
        "ALL",
        "weak references that only a watchdog which ends the process reads",
    ),
    (
        "crates/sim/src/script/watch.rs",
        "ALL",
        "weak references that only a watchdog which ends the process reads",
    ),
];

/// The text of a file without its tests and comments, and the names of the files of tests among all.
fn code(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_string();
    code.lines().filter(|l| !l.trim_start().starts_with("//")).map(String::from).collect()
}

/// Source files of all crates, tests aside.
fn crate_sources() -> Vec<PathBuf> {
    let mut files = vec![];
    sources(&root().join("crates"), &mut files);
    files.retain(|f| {
        f.strip_prefix(root().join("crates")).unwrap().components().nth(1).unwrap().as_os_str() == "src"
    });
    let tests: Vec<PathBuf> = files
        .iter()
        .flat_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            let names =
                text.split("#[cfg(test)]\nmod ").skip(1).filter_map(|r| r.lines().next()?.strip_suffix(';'));
            let beside = |name: &str| [format!("{name}.rs"), format!("{name}/mod.rs")];
            let folders = [file.parent().unwrap().to_path_buf(), file.with_extension("")];
            let paths = names.flat_map(beside).flat_map(|name| folders.clone().map(|f| f.join(&name)));
            paths.collect::<Vec<_>>()
        })
        .collect();
    files.retain(|f| !tests.contains(f));
    files
}

/// A hint names what to change in the model or in the request: another program has no such commands and flags.
#[test]
fn only_programs_know_commands_and_flags() {
    let is_flag = |rest: &str| rest.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    for file in crate_sources() {
        for line in code(&file) {
            assert!(!line.contains("`trunnion "), "{}: commands belong to programs: {line}", file.display());
            let strings = line.split('"').skip(1).step_by(2);
            let flags = strings.filter(|s| s.split("--").skip(1).any(is_flag));
            assert_eq!(flags.count(), 0, "{}: flags belong to programs: {line}", file.display());
        }
    }
}

/// Nothing that changes lasts as long as the process, but what is listed with its reason.
#[test]
fn only_programs_keep_what_lasts_as_long_as_the_process() {
    let mut found = vec![];
    for file in crate_sources() {
        let name = file.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        for line in code(&file) {
            let line = line.trim_start();
            let declared = line.trim_start_matches("pub ").trim_start_matches("pub(crate) ");
            let Some(rest) = declared.strip_prefix("static ") else {
                assert!(!line.starts_with("thread_local!"), "{name}: {line}");
                continue;
            };
            // A table that is made once is no state.
            let changes = ["Mutex", "RwLock", "Atomic", "Cell", "OnceLock", "static mut"];
            if changes.iter().any(|word| declared.contains(word)) {
                found.push((name.clone(), rest.split(':').next().unwrap_or_default().to_string()));
            }
        }
    }
    let listed = OF_THE_PROCESS.map(|(file, word, _)| (file.to_string(), word.to_string()));
    found.sort();
    assert_eq!(found, listed);
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|e| e == "rs") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn only_programs_know_arguments_streams_and_exit_codes() {
    for name in graph().keys().filter(|name| name.starts_with("crates/")) {
        let mut files = vec![];
        sources(&root().join(name).join("src"), &mut files);
        let texts: Vec<String> = files.iter().map(|f| fs::read_to_string(f).unwrap()).collect();
        let tests: Vec<&str> = texts
            .iter()
            .flat_map(|text| text.split("#[cfg(test)]\nmod ").skip(1))
            .filter_map(|rest| rest.lines().next()?.strip_suffix(';'))
            .collect();
        let is_test = |file: &Path| file.file_stem().is_some_and(|s| tests.iter().any(|t| s == *t));
        for (file, text) in files.iter().zip(&texts).filter(|(file, _)| !is_test(file)) {
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for line in text.lines().filter(|l| !l.trim_start().starts_with("//")) {
                for (word, what) in OF_PROGRAMS {
                    assert!(!line.contains(word), "{}: {what} belong to programs: {line}", file.display());
                }
            }
        }
    }
}

/// Lines of a file that can still be read as one idea.
const LONGEST: usize = 500;

#[test]
fn no_file_is_too_long() {
    let mut files = vec![];
    for folder in ["crates", "apps", "benches"] {
        sources(&root().join(folder), &mut files);
    }
    assert!(files.len() > 400, "{}", files.len());
    for file in files {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= LONGEST, "{} has {lines} lines: split it by its ideas", file.display());
    }
}

/// Source lines of the command line, tests aside.
const MOST_LINES: usize = 5000;

#[test]
fn the_command_line_is_thin() {
    let mut files = vec![];
    sources(&root().join("apps/cli/src"), &mut files);
    let lines: usize = files.iter().map(|f| fs::read_to_string(f).unwrap().lines().count()).sum();
    assert!(lines < MOST_LINES, "apps/cli has {lines} lines; what it does belongs into a crate");
}

#[test]
fn architecture_names_every_crate_and_only_paths_that_exist() {
    let text = read("ARCHITECTURE.md");
    for name in graph().keys() {
        assert!(text.contains(&format!("`{name}`")), "ARCHITECTURE.md does not name {name}");
    }
    for path in text.split('`').skip(1).step_by(2).filter(|p| p.contains('/') && !p.contains(' ')) {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names `{path}`, which does not exist");
    }
}

/// Every page below docs/.
fn manual() -> Vec<PathBuf> {
    let (mut pages, mut open) = (vec![], vec![root().join("docs")]);
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            match path.is_dir() {
                true => open.push(path),
                false if path.extension().is_some_and(|e| e == "md") => pages.push(path),
                false => {}
            }
        }
    }
    assert!(pages.len() > 20, "{pages:?}");
    pages
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut pages: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .iter()
        .map(|p| root().join(p))
        .collect();
    pages.extend(manual());
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or("");
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let path = page.parent().unwrap().join(target);
            assert!(path.exists(), "{} links to `{link}`, which does not exist", page.display());
        }
    }
}

#[test]
fn every_picture_is_shown_on_a_page() {
    let pages = manual().into_iter().chain([root().join("README.md")]);
    let text: String = pages.map(|p| fs::read_to_string(p).unwrap()).collect();
    for folder in ["pictures", "pictures/examples"] {
        for entry in fs::read_dir(root().join("docs").join(folder)).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            let is_picture = name.ends_with(".svg") || name.ends_with(".png");
            assert!(
                !is_picture || text.contains(&format!("{folder}/{name}")),
                "no page shows {folder}/{name}"
            );
        }
    }
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents = read("docs/README.md");
    let docs = root().join("docs");
    for page in manual() {
        let name = page.strip_prefix(&docs).unwrap().to_string_lossy().into_owned();
        // The pages of references have a table of their own.
        let below = name.starts_with("explanation/references/") && !name.ends_with("README.md");
        assert!(
            name == "README.md" || below || contents.contains(&format!("({name})")),
            "docs/README.md does not list {name}"
        );
    }
}

/// Each row names a file, and before it the name that stands there, if there is one.
#[test]
fn the_glossary_names_what_is_in_the_code() {
    let page = read("docs/reference/glossary.md");
    let rows: Vec<&str> = page.lines().filter(|l| l.starts_with("| ") && l.contains("crates/")).collect();
    assert!(rows.len() > 40, "{} rows", rows.len());
    for row in rows {
        let code = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or_default();
        let words: Vec<&str> = code.split('`').skip(1).step_by(2).collect();
        let (path, names) = words.split_last().unwrap_or_else(|| panic!("no file in: {row}"));
        let text = read(path);
        let has =
            |name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        names.iter().for_each(|name| assert!(has(name), "`{name}` is not in {path}: {row}"));
    }
}

#[test]
fn the_readme_shows_both_commands() {
    let first: String = read("README.md").lines().take(20).collect::<Vec<_>>().join("\n");
    assert!(first.contains("make run") && first.contains("make test"));
}
