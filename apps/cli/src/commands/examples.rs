//! `trunnion examples`: what is built in, and copies of it to work with.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use trunnion_model::{Files, load};

use crate::output::say;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_engine::files::{Embedded, FILES, MARK, library};
use trunnion_files::write_whole;
use trunnion_results::nearest;

#[derive(Args, Debug)]
pub struct ExamplesArgs {
    /// One example, by file name or path: show it, or copy it alone
    pub name: Option<String>,
    /// Copy into this folder, with the files it refers to; nothing is overwritten
    #[arg(long, value_name = "DIR")]
    pub copy: Option<PathBuf>,
}

pub fn execute(args: &ExamplesArgs) -> Result<(), Failure> {
    match (&args.name, &args.copy) {
        (None, None) => list(),
        (Some(name), None) => say(text(find(name)?).trim_end()),
        (Some(name), Some(folder)) => copy(&[find(name)?], folder)?,
        (None, Some(folder)) => copy(&models(), folder)?,
    }
    Ok(())
}

/// Paths of all models: what has a [model] of its own.
fn models() -> Vec<&'static str> {
    let is_model = |text: &str| text.lines().any(|line| line.trim() == "[model]");
    let inside = FILES.iter().filter(|(path, _)| path.starts_with("examples/") && path.ends_with(".toml"));
    inside.filter(|(_, text)| is_model(text)).map(|(path, _)| *path).collect()
}

fn text(path: &str) -> &'static str {
    FILES.iter().find(|(name, _)| *name == path).map_or("", |(_, text)| *text)
}

/// The folder below examples/, and the name without folder and ending.
fn parts(path: &str) -> (&str, &str) {
    let inner = path.strip_prefix("examples/").unwrap_or(path);
    let inner = inner.strip_suffix(".toml").unwrap_or(inner);
    inner.rsplit_once('/').unwrap_or(("", inner))
}

fn list() {
    let all = models();
    let folders: BTreeSet<&str> = all.iter().map(|path| parts(path).0).collect();
    for (k, folder) in folders.iter().enumerate() {
        if k > 0 {
            say("");
        }
        say(if folder.is_empty() { "examples" } else { folder });
        let mut table = Listing::new([("", Align::Left), ("", Align::Left)]);
        for path in all.iter().filter(|path| parts(path).0 == *folder) {
            table.push([format!("  {}", parts(path).1), about(path)]);
        }
        table.lines().iter().skip(1).for_each(say);
    }
    say("\ntrunnion examples NAME shows one, trunnion examples NAME --copy DIR copies it");
}

/// Longer first sentences are cut.
const WIDEST: usize = 100;

/// The first sentence of its doc.
fn about(path: &str) -> String {
    let doc = load(&Embedded, path, &[], library()).map(|m| m.doc).unwrap_or_default();
    let paragraph = doc.trim().split("\n\n").next().unwrap_or_default().split_whitespace();
    let mut text = String::new();
    for word in paragraph {
        if text.chars().count() + word.chars().count() >= WIDEST {
            text.push('…');
            break;
        }
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(word);
        if word.ends_with(['.', ':', ';']) {
            break;
        }
    }
    text.trim_end_matches([':', ';']).to_string()
}

fn find(name: &str) -> Result<&'static str, Failure> {
    let all = models();
    let wanted = name.strip_suffix(".toml").unwrap_or(name);
    let wanted = wanted.strip_prefix("examples/").unwrap_or(wanted);
    // By name, or by as much of its folders as the user gives.
    let fits = |path: &&&str| format!("/{path}").ends_with(&format!("/{wanted}.toml"));
    let found: Vec<&&str> = all.iter().filter(fits).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let near = nearest(wanted, all.iter().map(|path| parts(path).1));
            let hint = match near.first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`trunnion examples` lists them".into(),
            };
            Err(Failure::usage_hint(format!("there is no example `{name}`"), hint))
        }
        several => {
            let names: Vec<String> =
                several.iter().map(|path| format!("`{}/{}`", parts(path).0, parts(path).1)).collect();
            Err(Failure::usage_hint(
                format!("several examples are called `{name}`"),
                format!("choose {}", names.join(" or ")),
            ))
        }
    }
}

/// Each with everything it was read from, folders below examples/ kept where one refers to another.
fn copy(paths: &[&str], folder: &Path) -> Result<(), Failure> {
    let mut files: BTreeSet<String> = BTreeSet::new();
    for path in paths {
        files.insert(path.to_string());
        files.extend(used(path));
    }
    // The deepest folder that holds all of them becomes the target.
    let common = files.iter().map(|f| f.rsplit_once('/').map_or("", |(d, _)| d)).reduce(shared).unwrap_or("");
    let target = |file: &str| folder.join(file.strip_prefix(common).unwrap_or(file).trim_start_matches('/'));
    if let Some(taken) = files.iter().map(|f| target(f)).find(|path| path.symlink_metadata().is_ok()) {
        let message = format!("`{}` is there already", taken.display());
        return Err(Failure::usage_hint(message, "copy into another folder"));
    }
    if files.iter().any(|file| target(file).parent() != Some(folder)) {
        // One folder reads what is in another.
        create_folder(folder)?;
        write_whole(&folder.join(MARK), MARKED.as_bytes())?;
    }
    for file in &files {
        let path = target(file);
        if let Some(parent) = path.parent() {
            create_folder(parent)?;
        }
        write_whole(&path, text(file).as_bytes())?;
        say(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

/// What stands in the mark of a project.
const MARKED: &str = "# Models below this folder may read each other's files.\n";

fn create_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|cause| trunnion_files::Error::Create { path: folder.to_owned(), cause }.into())
}

/// Other files under examples/ that a model refers to: includes, scripts, and libraries of its own.
fn used(path: &str) -> Vec<String> {
    let Ok(model) = load(&Embedded, path, &[], library()) else { return vec![] };
    let read = model.sources.iter().map(|s| s.name.to_string());
    let mut files: Vec<String> =
        read.filter(|name| name.starts_with("examples/") && Embedded.read(name).is_ok()).collect();
    let scripts = model.flat.tasks.iter().map(|t| t.origin.file.to_string());
    files.extend(scripts.filter(|name| name.starts_with("examples/") && Embedded.read(name).is_ok()));
    files
}

/// The folders two paths have in common.
fn shared<'a>(a: &'a str, b: &'a str) -> &'a str {
    let mut end = 0;
    for (x, y) in a.split('/').zip(b.split('/')) {
        if x != y {
            break;
        }
        end += x.len() + 1;
    }
    &a[..end.saturating_sub(1).min(a.len())]
}
