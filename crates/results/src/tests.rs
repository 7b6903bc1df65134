//! Files written, killed, cut, damaged and refused.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use super::*;

/// A folder of its own for each test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trunnion-results-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn header() -> Table {
    Table {
        columns: vec![
            Column::new("time", "s", "Time"),
            Column::new("body.x", "mm", "Position, \"up\" positive"),
            Column::new("valve.open", "", ""),
        ],
        metadata: Metadata::from([
            ("model".to_owned(), "hydro-gas strut".to_owned()),
            ("rtol".to_owned(), "1e-6".to_owned()),
        ]),
    }
}

fn row(i: usize) -> [f64; 3] {
    let t = i as f64 * 0.01;
    let x = match i {
        3 => f64::NAN,
        4 => f64::INFINITY,
        5 => f64::NEG_INFINITY,
        6 => -0.0,
        7 => 5e-324,
        _ => 30.0 * (7.0 * t).sin(),
    };
    [t, x, f64::from(i >= 20)]
}

fn write_rows(writer: &mut ResultsWriter, n: usize) {
    for i in 0..n {
        writer.push_row(&row(i)).unwrap();
    }
}

/// All rows bit for bit; NaN is NaN.
fn assert_rows(table: &Table, n: usize) {
    assert_eq!(table.rows(), n);
    for (c, column) in table.columns.iter().enumerate() {
        assert_eq!(
            (&column.name, &column.unit, &column.doc),
            (&header().columns[c].name, &header().columns[c].unit, &header().columns[c].doc)
        );
        for (i, value) in column.values.iter().enumerate() {
            let expected = row(i)[c];
            assert!(value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan(), "{value}");
        }
    }
}

#[test]
fn a_finished_run_reads_back_as_written() {
    let folder = Folder::new("finished");
    for name in ["run.parquet", "run.csv"] {
        let path = folder.file(name);
        let mut writer = ResultsWriter::open(&path, &header()).unwrap();
        write_rows(&mut writer, 5000);
        let more = Metadata::from([("steps".to_owned(), "812".to_owned())]);
        writer.finish("failed: step fell to 1e-14 s\nat t = 0.31 s", more).unwrap();
        let table = read(&path).unwrap();
        assert_rows(&table, 5000);
        assert_eq!(table.ended(), Some("failed: step fell to 1e-14 s\nat t = 0.31 s"));
        assert_eq!(table.metadata["steps"], "812");
        assert_eq!(table.metadata["model"], "hydro-gas strut");
    }
    assert_eq!(folder.names(), ["run.csv", "run.parquet"]);
}

#[test]
fn a_run_without_rows_is_a_result() {
    let folder = Folder::new("no-rows");
    for name in ["run.parquet", "run.csv"] {
        let path = folder.file(name);
        ResultsWriter::open(&path, &header()).unwrap().finish(CANCELLED, Metadata::new()).unwrap();
        let table = read(&path).unwrap();
        assert_rows(&table, 0);
        assert_eq!(table.ended(), Some(CANCELLED));
    }
}

#[test]
fn converting_keeps_everything() {
    let folder = Folder::new("convert");
    let mut writer = ResultsWriter::open(&folder.file("a.parquet"), &header()).unwrap();
    write_rows(&mut writer, 100);
    writer.finish(COMPLETE, Metadata::new()).unwrap();
    let table = read(&folder.file("a.parquet")).unwrap();
    write(&table, &folder.file("b.csv")).unwrap();
    write(&read(&folder.file("b.csv")).unwrap(), &folder.file("c.parquet")).unwrap();
    let again = read(&folder.file("c.parquet")).unwrap();
    assert_rows(&again, 100);
    assert_eq!(again.metadata, table.metadata);
}

#[test]
fn a_killed_run_leaves_its_rows_and_an_old_result_stays() {
    let folder = Folder::new("killed");
    for name in ["run.parquet", "run.csv"] {
        let path = folder.file(name);
        fs::write(&path, "the result of yesterday").unwrap();
        let mut writer = ResultsWriter::open(&path, &header()).unwrap();
        write_rows(&mut writer, 40);
        drop(writer);
        assert_eq!(fs::read_to_string(&path).unwrap(), "the result of yesterday");
        let table = read(&partial_path(&path)).unwrap();
        assert_rows(&table, 40);
        assert_eq!(table.ended(), Some(UNFINISHED));
        fs::remove_file(&path).unwrap();
        let error = read(&path).unwrap_err();
        assert!(error.hint().unwrap().contains(".partial, which can be read as it is"), "{error}");
    }
}

#[test]
fn a_partial_file_cut_anywhere_reads_up_to_the_last_whole_row() {
    let folder = Folder::new("cut");
    for name in ["run.parquet", "run.csv"] {
        let partial = partial_path(&folder.file(name));
        let mut writer = ResultsWriter::open(&folder.file(name), &header()).unwrap();
        let head = fs::metadata(&partial).unwrap().len();
        write_rows(&mut writer, 12);
        drop(writer);
        let bytes = fs::read(&partial).unwrap();
        let mut last = 0;
        for len in head as usize..=bytes.len() {
            fs::write(&partial, &bytes[..len]).unwrap();
            let table = read(&partial).unwrap();
            assert_rows(&table, table.rows());
            assert!(table.rows() == last || table.rows() == last + 1);
            last = table.rows();
        }
        assert_eq!(last, 12);
        // Cut inside the header nothing is left to read, which is said.
        fs::write(&partial, &bytes[..head as usize / 2]).unwrap();
        assert!(matches!(read(&partial), Err(ResultsError::Content { .. })));
    }
}

#[test]
fn rows_reach_the_file_before_the_end() {
    let folder = Folder::new("flushed");
    let path = folder.file("run.parquet");
    let mut writer = ResultsWriter::open(&path, &header()).unwrap();
    write_rows(&mut writer, 200_000);
    assert!(read(&writer.partial()).unwrap().rows() > 150_000);
    writer.flush().unwrap();
    assert_eq!(read(&writer.partial()).unwrap().rows(), 200_000);
    assert!(!path.exists());
}

#[test]
fn a_destination_that_cannot_be_written_is_refused_at_once() {
    let folder = Folder::new("refused");
    let check = |path: &Path, message: &str, hint: &str| {
        let error = ResultsWriter::open(path, &header()).err().expect("refused");
        let (text, advice) = (error.to_string(), error.hint().unwrap_or_default());
        assert!(text.contains(message) && advice.contains(hint), "{text}\n{advice}");
    };
    check(&folder.file("nowhere/run.csv"), "No such file", "nowhere is missing");
    check(&folder.file("run.xlsx"), "cannot tell the format", ".parquet or .csv");
    check(&folder.file("run"), "cannot tell the format", ".parquet or .csv");
    fs::create_dir(folder.file("folder.csv")).unwrap();
    check(&folder.file("folder.csv"), "is a folder", "folder.csv/run.parquet");
    let old = folder.file("old.parquet");
    fs::write(&old, "").unwrap();
    let mut permissions = fs::metadata(&old).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&old, permissions).unwrap();
    check(&old, "read-only", "another name");
    fs::write(folder.file("file"), "").unwrap();
    check(&folder.file("file/run.csv"), "Not a directory", "");
    let running = ResultsWriter::open(&folder.file("run.csv"), &header()).unwrap();
    check(&folder.file("run.csv"), "another run is writing", "wait");
    drop(running);
    let mut twice = header();
    twice.columns[2].name = "time".into();
    assert!(matches!(ResultsWriter::open(&folder.file("a.csv"), &twice), Err(ResultsError::Content { .. })));
    assert!(matches!(
        ResultsWriter::open(&folder.file("a.csv"), &Table::default()),
        Err(ResultsError::Content { .. })
    ));
}

#[test]
fn a_row_of_the_wrong_length_is_refused() {
    let folder = Folder::new("row");
    let mut writer = ResultsWriter::open(&folder.file("run.csv"), &header()).unwrap();
    let error = writer.push_row(&[1.0]).unwrap_err();
    assert!(error.to_string().contains("a row of 1 values was given for 3 columns"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_what_was_there_stays() {
    let folder = Folder::new("full");
    let path = folder.file("run.parquet");
    let mut writer = ResultsWriter::open(&path, &header()).unwrap();
    write_rows(&mut writer, 10);
    writer.flush().unwrap();
    writer.redirect(OpenOptions::new().write(true).open("/dev/full").unwrap());
    write_rows(&mut writer, 10);
    let error = writer.finish(COMPLETE, Metadata::new()).unwrap_err();
    assert!(error.to_string().contains("No space left"), "{error}");
    let hint = error.hint().unwrap();
    assert!(hint.contains("free some space") && hint.contains("is kept in"), "{hint}");
    assert_rows(&read(&partial_path(&path)).unwrap(), 10);
    assert_eq!(folder.names(), ["run.parquet.partial"]);
}

/// Space that was short for a moment leaves a hole, so the result must not pass for a complete one.
#[cfg(target_os = "linux")]
#[test]
fn lost_rows_make_a_failed_result() {
    let folder = Folder::new("lost");
    for name in ["run.parquet", "run.csv"] {
        let path = folder.file(name);
        let mut writer = ResultsWriter::open(&path, &header()).unwrap();
        write_rows(&mut writer, 10);
        writer.flush().unwrap();
        let file = writer.redirect(OpenOptions::new().write(true).open("/dev/full").unwrap());
        writer.push_row(&row(10)).unwrap();
        assert!(writer.flush().is_err());
        writer.redirect(file.unwrap());
        assert!(writer.push_row(&row(11)).is_err());
        writer.finish(COMPLETE, Metadata::new()).unwrap();
        let table = read(&path).unwrap();
        assert_rows(&table, 10);
        assert_eq!(table.ended(), Some("failed: rows could not be written (no storage space)"));
    }
}

/// Rows without end do not fill the disk; those before the limit are kept.
#[test]
fn a_result_is_bounded() {
    let folder = Folder::new("bounded");
    let path = folder.file("run.parquet");
    let mut writer = ResultsWriter::open(&path, &header()).unwrap();
    let refused = (0..1_000_000).find_map(|i| writer.push_row(&row(i)).err()).expect("a limit");
    assert!(refused.hint().unwrap().contains("is kept in"), "{refused}");
    drop(writer);
    let size = fs::metadata(partial_path(&path)).unwrap().len();
    assert!((MOST_BYTES..MOST_BYTES + (1 << 20)).contains(&size), "{size}");
}

#[test]
fn garbage_is_refused_with_a_reason() {
    let folder = Folder::new("garbage");
    let noise: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    for (name, bytes) in [
        ("a.parquet", &noise[..]),
        ("b.parquet", b""),
        ("c.parquet", b"PAR1PAR1"),
        ("d.csv", &noise[..]),
        ("e.csv", b""),
        ("f.parquet.partial", &noise[..]),
        ("g.parquet.partial", b"{}\n"),
        ("h.csv.partial", &noise[..]),
    ] {
        fs::write(folder.file(name), bytes).unwrap();
        let error = read(&folder.file(name)).expect_err(name);
        assert!(matches!(error, ResultsError::Content { .. }), "{error}");
    }
    assert!(matches!(read(&folder.file("none.csv")), Err(ResultsError::NotFound { partial: None, .. })));
    assert!(matches!(read(&folder.0), Err(ResultsError::Extension { .. })));
}

/// Any single damaged byte gives an error or a table, never a panic.
#[test]
fn a_damaged_parquet_file_never_panics() {
    let folder = Folder::new("damaged");
    let path = folder.file("run.parquet");
    let mut writer = ResultsWriter::open(&path, &header()).unwrap();
    write_rows(&mut writer, 50);
    writer.finish(COMPLETE, Metadata::new()).unwrap();
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        for damage in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= damage;
            fs::write(&path, &bytes).unwrap();
            let _ = read(&path);
        }
    }
    for len in 0..whole.len() {
        File::create(&path).and_then(|mut file| std::io::Write::write_all(&mut file, &whole[..len])).unwrap();
        assert!(read(&path).is_err());
    }
}

/// Header of the table above with two further names of `body.x`.
fn with_aliases() -> Table {
    let mut header = header();
    header.columns[2].held = true;
    let alias =
        |name: &str| Column { same_as: Some("body.x".into()), ..Column::new(name, "mm", "Of the rod") };
    header.columns.insert(1, alias("strut.rod.x"));
    header.columns.push(alias("rod.x"));
    header
}

fn with_alias_values(i: usize) -> [f64; 5] {
    let [t, x, open] = row(i);
    [t, x, x, open, x]
}

#[test]
fn further_names_are_stored_once_and_all_are_read() {
    let folder = Folder::new("aliases");
    for name in ["run.parquet", "run.csv"] {
        let path = folder.file(name);
        let mut writer = ResultsWriter::open(&path, &with_aliases()).unwrap();
        (0..500).for_each(|i| writer.push_row(&with_alias_values(i)).unwrap());
        writer.flush().unwrap();
        let check = |table: &Table| {
            assert_eq!((table.columns.len(), table.rows()), (5, 500));
            let main = table.column("body.x").unwrap();
            assert!(main.same_as.is_none());
            for alias in ["strut.rod.x", "rod.x"] {
                let found = table.column(alias).unwrap();
                assert_eq!((found.same_as.as_deref(), found.unit.as_str()), (Some("body.x"), "mm"));
                assert_eq!(found.doc, "Of the rod");
                assert!(found.values.iter().zip(&main.values).all(|(a, b)| aliases::is_same(*a, *b)));
                assert_eq!(found.extremes, main.extremes);
            }
            assert!(table.column("valve.open").unwrap().held && !main.held);
        };
        check(&read(&writer.partial()).unwrap());
        let extremes = Extremes { min: (0.0, -3.0), max: (1.0, 4.0) };
        let more = extremes_entry([("body.x", extremes)]).into_iter().collect();
        writer.finish(COMPLETE, more).unwrap();
        let table = read(&path).unwrap();
        check(&table);
        assert_eq!(table.column("rod.x").unwrap().extremes, Some(extremes));
        let other = folder.file(if name.ends_with("csv") { "other.parquet" } else { "other.csv" });
        write(&table, &other).unwrap();
        check(&read(&other).unwrap());
    }
    let text = fs::read_to_string(folder.file("run.csv")).unwrap();
    assert!(
        text.contains("# alias rod.x: body.x\n")
            && text.contains("\ntime [s],strut.rod.x [mm],body.x [mm],valve.open,rod.x [mm]\n"),
        "{text}"
    );
}

#[test]
fn a_further_name_that_has_other_values_is_told_or_stored() {
    let folder = Folder::new("alias-differs");
    let mut writer = ResultsWriter::open(&folder.file("run.csv"), &with_aliases()).unwrap();
    let mut values = with_alias_values(1);
    values[4] += 1.0;
    let error = writer.push_row(&values).unwrap_err().to_string();
    assert!(error.contains("`rod.x` was to be another name of `body.x`"), "{error}");
    let mut header = with_aliases();
    header.columns[1].same_as = Some("nothing".into());
    let error = ResultsWriter::open(&folder.file("other.csv"), &header).err().unwrap().to_string();
    assert!(error.contains("`strut.rod.x` is another name of `nothing`"), "{error}");
    // A table in which one of them was changed since, as to another unit, keeps both.
    let mut table = with_aliases();
    table.columns.iter_mut().enumerate().for_each(|(k, c)| c.values = vec![with_alias_values(1)[k]; 3]);
    table.columns[4].values = vec![7.0; 3];
    write(&table, &folder.file("table.parquet")).unwrap();
    let again = read(&folder.file("table.parquet")).unwrap();
    assert_eq!(again.column("rod.x").unwrap().values, [7.0; 3]);
    assert_eq!(again.column("strut.rod.x").unwrap().same_as.as_deref(), Some("body.x"));
}
