//! The whole state of a live run in a file: one line of JSON that says what it belongs to, then its memory as 64-bit words.

use std::path::Path;

use serde_json::{Value, json};
use trunnion_num::Archive;
use trunnion_sim::live::LiveRun;

use crate::request_error::{LiveRequestError, SnapshotFault};
use trunnion_engine::Failure;
use trunnion_engine::project::Project;
use trunnion_files::{input, write_whole};

const FORMAT: &str = "trunnion snapshot 1";
/// No state is larger.
const LARGEST: u64 = 4 << 30;
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The bytes of a snapshot of `live`.
pub fn take(live: &mut LiveRun, project: &Project, period: f64) -> Result<Vec<u8>, Failure> {
    let mut archive = Archive::to_write();
    let kept = live.remember(&mut archive);
    kept.map_err(|message| Failure::Run { message, hint: None })?;
    let words = archive.finish().unwrap_or_default();
    let head = json!({
        "format": FORMAT,
        "version": VERSION,
        "model": project.name,
        "model_hash": project.hash,
        "time_s": live.t(),
        "period_s": period,
        "words": words.len(),
        "check": format!("{:016x}", check(&words)),
    });
    let mut bytes = format!("{head}\n").into_bytes();
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    Ok(bytes)
}

pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Ok(write_whole(path, bytes)?)
}

/// Puts `live`, which has just begun, where the snapshot was taken.
pub fn resume(path: &Path, live: &mut LiveRun, project: &Project, period: f64) -> Result<(), Failure> {
    let refused = |fault: SnapshotFault| {
        Failure::from(LiveRequestError::Snapshot { file: path.display().to_string(), fault })
    };
    let bytes =
        input::bytes(path, LARGEST).map_err(|unread| trunnion_files::FileError::read(path, unread))?;
    let Some((head, words)) = parse(&bytes) else {
        return Err(refused(SnapshotFault::NotASnapshot));
    };
    let text = |key: &str| head[key].as_str().unwrap_or_default().to_string();
    if text("version") != VERSION {
        return Err(refused(SnapshotFault::Version { theirs: text("version"), ours: VERSION.into() }));
    }
    if text("model_hash") != project.hash {
        let (theirs, ours) = (text("model"), project.name.clone());
        return Err(refused(match theirs == ours {
            true => SnapshotFault::ModelChanged { model: ours },
            false => SnapshotFault::OtherModel { theirs, ours },
        }));
    }
    if head["period_s"].as_f64() != Some(period) {
        let rate = head["period_s"].as_f64().map_or(f64::NAN, |p| 1.0 / p);
        return Err(refused(SnapshotFault::Rate { rate }));
    }
    let mut archive = Archive::to_read(words);
    let taken = live.remember(&mut archive);
    taken.map_err(|message| Failure::Run { message, hint: None })?;
    match archive.finish() {
        Some(_) => Ok(()),
        None => Err(refused(SnapshotFault::DoesNotFit)),
    }
}

/// The head and the words, if they are whole.
fn parse(bytes: &[u8]) -> Option<(Value, Vec<u64>)> {
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let head: Value = serde_json::from_slice(&bytes[..end]).ok()?;
    let (words, rest) = bytes[end + 1..].as_chunks::<8>();
    let words: Vec<u64> = words.iter().map(|w| u64::from_le_bytes(*w)).collect();
    let whole = rest.is_empty() && head["words"].as_u64() == Some(words.len() as u64);
    let same = head["check"].as_str() == Some(&format!("{:016x}", check(&words)));
    (head["format"] == FORMAT && whole && same).then_some((head, words))
}

/// FNV-1a over words.
fn check(words: &[u64]) -> u64 {
    words
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |h, w| (h ^ w).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17))
}
