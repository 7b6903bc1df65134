//! `trunnion examples`: what is built in, and copies of it to work with.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::usage_hint;
use crate::output::say;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_engine::examples::{
    example_about, example_files, example_models, example_name, example_text, find_example,
};
use trunnion_files::write_whole;

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
        (Some(name), None) => say(example_text(find_example(name)?).trim_end()),
        (Some(name), Some(folder)) => copy(&[find_example(name)?], folder)?,
        (None, Some(folder)) => copy(&example_models(), folder)?,
    }
    Ok(())
}

fn list() {
    let all = example_models();
    let folders: BTreeSet<&str> = all.iter().map(|path| example_name(path).0).collect();
    for (k, folder) in folders.iter().enumerate() {
        if k > 0 {
            say("");
        }
        say(if folder.is_empty() { "examples" } else { folder });
        let mut table = Listing::new([("", Align::Left), ("", Align::Left)]);
        for path in all.iter().filter(|path| example_name(path).0 == *folder) {
            table.push([format!("  {}", example_name(path).1), example_about(path)]);
        }
        table.lines().iter().skip(1).for_each(say);
    }
    say("\ntrunnion examples NAME shows one, trunnion examples NAME --copy DIR copies it");
}

/// Nothing is overwritten.
fn copy(paths: &[&str], folder: &Path) -> Result<(), Failure> {
    let files = example_files(paths);
    let mut targets = files.iter().filter(|f| !f.mark).map(|f| folder.join(&f.target));
    if let Some(taken) = targets.find(|path| path.symlink_metadata().is_ok()) {
        let message = format!("`{}` is there already", taken.display());
        return Err(usage_hint(message, "copy into another folder"));
    }
    for file in &files {
        let path = folder.join(&file.target);
        if let Some(parent) = path.parent() {
            create_folder(parent)?;
        }
        write_whole(&path, file.text.as_bytes())?;
        if !file.mark {
            say(format_args!("wrote {}", path.display()));
        }
    }
    Ok(())
}

fn create_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|cause| trunnion_files::FileError::Create { path: folder.to_owned(), cause }.into())
}
