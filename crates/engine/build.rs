//! Puts the component library and the examples into the program, so that it works from any folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    let mut out = String::from("pub static FILES: &[(&str, &str)] = &[\n");
    for folder in ["library", "examples"] {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
        let mut files = Vec::new();
        walk(&root.join(folder), &mut files)?;
        files.sort();
        for file in files {
            let name = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
            println!("cargo::rerun-if-changed={}", file.display());
            writeln!(out, "    ({name:?}, include_str!({:?})),", file.display().to_string())?;
        }
    }
    out.push_str("];\n");
    reduction_sources(&root)?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("embedded.rs"), out)?;
    Ok(())
}

/// Tells what the reduction of elastic parts is compiled from, so that no part of other sources is taken from a cache. FNV-1a, 64 bits.
fn reduction_sources(root: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut files = vec![root.join("Cargo.lock")];
    for folder in ["crates/elastic/src", "crates/engine/src", "crates/num/src"] {
        sources(&root.join(folder), &mut files)?;
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        hash = fs::read(&file)?.iter().fold(hash, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    }
    println!("cargo::rustc-env=TRUNNION_REDUCTION={hash:016x}");
    Ok(())
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Text files only: models, components, scripts, tables, meshes, icons.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let wanted =
            |e: &std::ffi::OsStr| ["toml", "js", "robot", "csv", "svg", "md", "msh"].iter().any(|w| e == *w);
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(wanted) {
            files.push(path);
        }
    }
    Ok(())
}
