//! Results on their way to a file: rows gather in blocks made beforehand, another thread writes them.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use crate::request_error::LiveRequestError;
use trunnion_engine::Failure;
use trunnion_results::{Metadata, ResultsWriter, Table};

/// Rows in a block, and blocks: some seconds at 1 kHz before the run waits for the disk.
const ROWS: usize = 256;
const BLOCKS: usize = 32;

pub struct Recorder {
    width: usize,
    block: Vec<f64>,
    full: Sender<Vec<f64>>,
    empty: Receiver<Vec<f64>>,
    thread: JoinHandle<Result<ResultsWriter, Failure>>,
}

impl Recorder {
    /// Opens the file at once, so that one that cannot be written is refused before the run.
    pub fn open(path: &Path, header: &Table) -> Result<Self, Failure> {
        let mut writer = ResultsWriter::open(path, header)?;
        let width = header.columns.len();
        let (full, to_write) = channel::<Vec<f64>>();
        let (give_back, empty) = channel();
        for _ in 0..BLOCKS {
            let _ = give_back.send(Vec::with_capacity(ROWS * width));
        }
        let thread = thread::spawn(move || {
            for mut block in to_write {
                for row in block.chunks_exact(width) {
                    writer.push_row(row)?;
                }
                block.clear();
                let _ = give_back.send(block);
            }
            Ok(writer)
        });
        Ok(Recorder { width, block: Vec::with_capacity(ROWS * width), full, empty, thread })
    }

    /// Waits only if the disk is seconds behind.
    pub fn push(&mut self, row: impl IntoIterator<Item = f64>) {
        self.block.extend(row);
        if self.block.len() >= ROWS * self.width {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        // A thread that has failed gives nothing back; `finish` tells why.
        let next = self.empty.recv().unwrap_or_default();
        let _ = self.full.send(std::mem::replace(&mut self.block, next));
    }

    /// Writes what is left; the number of rows.
    pub fn finish(mut self, ended: &str) -> Result<u64, Failure> {
        self.hand_over();
        drop(self.full);
        let written = self.thread.join().unwrap_or_else(|_| Err(LiveRequestError::RecordingLost.into()));
        let writer = written?;
        let rows = writer.rows();
        writer.finish(ended, Metadata::new())?;
        Ok(rows)
    }
}
