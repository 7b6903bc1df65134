//! Finite element meshes from files: Gmsh (.msh 2.2 and 4.1, text) and bulk data of Nastran. Units are those of the file.
//!
//! A file is first looked at, then read: of one that is no mesh only the beginning is read, whatever its size.

mod gmsh;
mod gmsh_groups;
mod gmsh_kinds;
mod nastran;

use std::cell::Cell;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use trunnion_files::input::{self, ReadFailure};
use trunnion_model::mechanism::FeMesh;
use trunnion_model::{Diagnostic, Source, Span};

/// The file cannot be read, or is no mesh.
const UNREADABLE: &str = "M0541";
/// A line does not say what is expected there.
const MALFORMED: &str = "M0542";
/// Something is named that is not in the file, or is there twice.
const ABSENT: &str = "M0543";
/// Something that finite elements here cannot do.
const UNSUPPORTED: &str = "M0544";

/// All files of a mesh together.
const LARGEST: u64 = 1 << 30;
/// What is looked at before the rest is read.
const HEAD: usize = 64 << 10;
/// Errors that are listed.
const LISTED: usize = 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum MeshFormat {
    Gmsh,
    Nastran,
}

type MeshResult<T> = Result<T, Box<Diagnostic>>;

/// Whether a file may be read; if not, why.
pub type MayRead<'a> = &'a dyn Fn(&Path) -> Result<(), String>;

/// Loads the files of one mesh, within bounds that hold for all of them together.
struct FeFiles<'a> {
    may_read: MayRead<'a>,
    left: Cell<u64>,
}

fn unreadable(path: &Path, reason: &str, hint: &str) -> Box<Diagnostic> {
    let message = format!("cannot read the mesh `{}`: {reason}", path.display());
    Box::new(Diagnostic::error(UNREADABLE, message).hint(hint))
}

impl FeFiles<'_> {
    fn load(&self, path: &Path, format: MeshFormat) -> MeshResult<Arc<Source>> {
        const PATHS: &str = "paths are relative to the file that names them";
        (self.may_read)(path).map_err(|reason| unreadable(path, &reason, PATHS))?;
        let failed = |unread: ReadFailure| unreadable(path, &unread.to_string(), PATHS);
        let mut file = input::open(path).map_err(failed)?;
        let mut bytes = vec![];
        let system = |cause: std::io::Error| failed(ReadFailure::from(cause));
        file.by_ref().take(HEAD as u64).read_to_end(&mut bytes).map_err(system)?;
        if let Err((reason, hint)) = format.recognise(&bytes) {
            return Err(unreadable(path, reason, hint));
        }
        let left = self.left.get();
        let rest = (left + 1).saturating_sub(bytes.len() as u64);
        file.take(rest).read_to_end(&mut bytes).map_err(system)?;
        if bytes.len() as u64 > left {
            let reason = format!("it has more than {} MB, included files among them", LARGEST >> 20);
            return Err(unreadable(path, &reason, "use a coarser mesh"));
        }
        self.left.set(left - bytes.len() as u64);
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if format == MeshFormat::Nastran && text.contains('\t') {
            text = nastran::without_tabs(&text);
        }
        Ok(Source::new(&path.to_string_lossy(), text))
    }
}

impl MeshFormat {
    fn of(path: &Path) -> MeshResult<Self> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        match ending.as_str() {
            "msh" => Ok(MeshFormat::Gmsh),
            "bdf" | "nas" | "dat" => Ok(MeshFormat::Nastran),
            _ => Err(unreadable(
                path,
                &format!("`.{ending}` is no mesh of finite elements"),
                ".msh of Gmsh and .bdf, .nas and .dat of Nastran can be read",
            )),
        }
    }

    /// Whether a file that begins like this may be such a mesh; if not, why and what to do.
    fn recognise(self, head: &[u8]) -> Result<(), (&'static str, &'static str)> {
        match self {
            MeshFormat::Gmsh => gmsh::recognise(head),
            MeshFormat::Nastran => nastran::recognise(head),
        }
    }
}

/// The mesh in a file, by its ending; everything that is wrong with it.
pub fn read_where(path: &Path, may_read: MayRead<'_>) -> Result<FeMesh, Vec<Diagnostic>> {
    let files = FeFiles { may_read, left: Cell::new(LARGEST) };
    read(path, &|path, format| files.load(path, format))
}

/// The same of texts that are not on disk.
pub fn read_texts(
    path: &Path,
    text: &dyn Fn(&Path) -> Result<String, String>,
) -> Result<FeMesh, Vec<Diagnostic>> {
    read(path, &|path, _| {
        let text = text(path).map_err(|reason| unreadable(path, &reason, "name a text that is there"))?;
        Ok(Source::new(&path.to_string_lossy(), nastran::without_tabs(&text)))
    })
}

fn read(
    path: &Path,
    load: &dyn Fn(&Path, MeshFormat) -> MeshResult<Arc<Source>>,
) -> Result<FeMesh, Vec<Diagnostic>> {
    let one = |error: Box<Diagnostic>| vec![*error];
    let format = MeshFormat::of(path).map_err(one)?;
    let source = load(path, format).map_err(one)?;
    match format {
        MeshFormat::Gmsh => gmsh::parse(&source).map_err(one),
        MeshFormat::Nastran => nastran::parse(&source, &|path| load(path, MeshFormat::Nastran)),
    }
}

/// An error at a stretch of a file.
fn fault(
    source: &Arc<Source>,
    range: std::ops::Range<usize>,
    code: &'static str,
    message: impl Into<String>,
    label: impl Into<String>,
    hint: &str,
) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message).at(&Span::new(source, range), label).hint(hint))
}

#[cfg(test)]
mod tests;
