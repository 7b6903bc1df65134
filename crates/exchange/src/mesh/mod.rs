//! Triangles from files: STL, OBJ, glTF 2.0. Lengths are those of the file, in m unless stated otherwise.

mod gltf;
mod obj;
mod stl;

use std::cell::Cell;
use std::fmt;
use std::path::Path;

use trunnion_files::input::{self, ReadFailure};

pub use trunnion_model::mechanism::Triangle;

/// Larger files, and files that unfold to more triangles, are no parts of a mechanism.
const LARGEST: u64 = 1 << 30;
const MOST_TRIANGLES: usize = 20_000_000;

/// What is wrong with a file.
#[derive(Debug)]
pub enum MeshFault {
    Unreadable(ReadFailure),
    /// A file that may not be read from here, and why.
    Refused(String),
    TooManyTriangles,
    Ending {
        ending: String,
    },
    NotText,
    /// The file is shorter than it says.
    Short {
        needed: u64,
        found: usize,
    },
    /// A line of a text does not say what is expected there.
    Line {
        line: usize,
        expected: &'static str,
    },
    /// A corner that does not exist.
    Corner {
        line: usize,
        corner: i64,
        count: usize,
    },
    Json(serde_json::Error),
    /// A part of a glTF file, such as "accessors[3]", and what is the matter.
    Part {
        part: String,
        reason: &'static str,
    },
    NotANumber {
        triangle: usize,
    },
    Empty,
}

impl fmt::Display for MeshFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(ReadFailure::TooLarge { .. }) => {
                write!(f, "it has more than {} MB, buffers included", LARGEST >> 20)
            }
            Self::Unreadable(unread) => write!(f, "{unread}"),
            Self::Refused(reason) => write!(f, "{reason}"),
            Self::TooManyTriangles => write!(f, "it has more than {MOST_TRIANGLES} triangles"),
            Self::Ending { ending } => {
                write!(f, "`.{ending}` is no mesh that can be read: .stl, .obj, .gltf and .glb can")
            }
            Self::NotText => write!(f, "it is not text in UTF-8"),
            Self::Short { needed, found } => write!(f, "it ends after {found} bytes of {needed}"),
            Self::Line { line, expected } => write!(f, "line {line}: expected {expected}"),
            Self::Corner { line, corner, count } => {
                write!(f, "line {line}: there is no corner {corner} among {count}")
            }
            Self::Json(e) => write!(f, "its JSON is wrong: {e}"),
            Self::Part { part, reason } => write!(f, "`{part}` {reason}"),
            Self::NotANumber { triangle } => write!(f, "triangle {triangle} has a corner that is no number"),
            Self::Empty => write!(f, "there are no triangles in it"),
        }
    }
}

impl std::error::Error for MeshFault {}

/// The triangles of a file, by its ending.
pub fn read(path: &Path) -> Result<Vec<Triangle>, MeshFault> {
    read_where(path, &|_| Ok(()))
}

/// The same; `may_read` is asked for every file that belongs to it, and says why not.
pub fn read_where(
    path: &Path,
    may_read: &dyn Fn(&Path) -> Result<(), String>,
) -> Result<Vec<Triangle>, MeshFault> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    // All files together are bounded, as one is.
    let left = Cell::new(LARGEST);
    let load = |path: &Path| -> Result<Vec<u8>, MeshFault> {
        may_read(path).map_err(MeshFault::Refused)?;
        let bytes = input::bytes(path, left.get()).map_err(MeshFault::Unreadable)?;
        left.set(left.get() - bytes.len() as u64);
        Ok(bytes)
    };
    let triangles = match ending.as_str() {
        "stl" => stl::parse(&load(path)?),
        "obj" => obj::parse(&load(path)?),
        "gltf" | "glb" => gltf::parse(&load(path)?, &|name| load(&path.with_file_name(name))),
        _ => return Err(MeshFault::Ending { ending }),
    };
    checked(triangles?)
}

fn checked(triangles: Vec<Triangle>) -> Result<Vec<Triangle>, MeshFault> {
    let finite = |t: &Triangle| t.iter().flatten().all(|x| x.is_finite());
    match triangles.iter().position(|t| !finite(t)) {
        Some(triangle) => Err(MeshFault::NotANumber { triangle }),
        None if triangles.is_empty() => Err(MeshFault::Empty),
        None => Ok(triangles),
    }
}

/// Little-endian numbers at a place; None beyond the end.
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

fn f32_at(bytes: &[u8], at: usize) -> Option<f64> {
    u32_at(bytes, at).map(|bits| f64::from(f32::from_bits(bits)))
}

fn text(bytes: &[u8]) -> Result<&str, MeshFault> {
    std::str::from_utf8(bytes).map_err(|_| MeshFault::NotText)
}

#[cfg(test)]
mod tests;
