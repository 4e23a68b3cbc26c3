//! Where nothing can be written is said before anything is computed.

mod common;

use common::files;
use cotangent_observe::{Columns, TableWriter, checkpoint};
use cotangent_scalar::Cancel;
use std::fs;
use std::path::Path;
use tempfile::tempdir;

fn table(path: &Path) -> String {
    TableWriter::create(path, Columns::default()).unwrap_err().to_string()
}

fn checkpoint(path: &Path) -> String {
    checkpoint::check_destination(path).unwrap_err().to_string()
}

#[test]
fn the_ending_of_the_name_must_be_that_of_a_table() {
    for name in ["run.txt", "run", ".csv", "run.csv.gz", "", "..", "/", "run.csv.", "npz"] {
        let expected =
            format!("cannot write `{name}`: the name of a table ends in `.csv` (text) or `.npz` (NumPy arrays)");
        assert_eq!(table(Path::new(name)), expected);
    }
    let folder = tempdir().unwrap();
    TableWriter::create(&folder.path().join("RUN.CSV"), Columns::default()).unwrap().finish(&Cancel::new()).unwrap();
    assert_eq!(files(folder.path()), ["RUN.CSV"]);
}

#[test]
fn folders_and_missing_folders_are_refused_by_name() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("results.csv");
    fs::create_dir(&path).unwrap();
    let expected = format!("cannot write `{}`: it is a folder; give the name of a file", path.display());
    assert_eq!(table(&path), expected);
    assert_eq!(checkpoint(&path), expected);
    let missing = folder.path().join("missing");
    let path = missing.join("run.npz");
    let expected =
        format!("cannot write `{}`: there is no folder `{}`; create it first", path.display(), missing.display());
    assert_eq!(table(&path), expected);
    assert_eq!(checkpoint(&path), expected);
    assert_eq!(checkpoint(Path::new("..")), "cannot write `..`: it is a folder; give the name of a file");
    assert!(checkpoint(Path::new("")).starts_with("cannot write ``: "));
}

#[test]
fn a_file_as_folder_a_name_too_long_and_a_zero_byte_are_refused() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.join("run.csv"), folder.path().join("x".repeat(300) + ".csv"), folder.path().join("a\0.csv")] {
        assert!(table(&path).starts_with("cannot write `"), "{}", table(&path));
        assert!(checkpoint(&path).starts_with("cannot write `"));
    }
    assert_eq!(files(folder.path()), ["file"]);
}

#[test]
fn a_write_protected_file_is_not_replaced() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.csv");
    fs::write(&path, "precious").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let expected = format!("cannot write `{}`: the file there is write-protected", path.display());
    assert_eq!(table(&path), expected);
    assert_eq!(checkpoint(&path), expected);
    assert_eq!(files(folder.path()), ["run.csv"]);
}

#[test]
fn a_good_destination_of_a_checkpoint_is_left_as_it_is() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    checkpoint::check_destination(&path).unwrap();
    assert!(files(folder.path()).is_empty());
    fs::write(&path, "precious").unwrap();
    checkpoint::check_destination(&path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    assert_eq!(files(folder.path()), ["run.checkpoint"]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_link_stays_a_link_and_its_target_is_replaced() {
        let folder = tempdir().unwrap();
        let store = folder.path().join("store");
        fs::create_dir(&store).unwrap();
        fs::write(store.join("real.csv"), "old").unwrap();
        let link = folder.path().join("link.csv");
        symlink(store.join("real.csv"), &link).unwrap();
        TableWriter::create(&link, Columns::default()).unwrap().finish(&Cancel::new()).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(store.join("real.csv")).unwrap(), "\n");
        assert_eq!(files(&store), ["real.csv"]);
    }

    #[test]
    fn devices_and_links_to_nowhere_are_refused() {
        let folder = tempdir().unwrap();
        let null = folder.path().join("null.csv");
        symlink("/dev/null", &null).unwrap();
        assert_eq!(table(&null), format!("cannot write `{}`: it is not an ordinary file", null.display()));
        let nowhere = folder.path().join("nowhere.csv");
        symlink(folder.path().join("missing/run.csv"), &nowhere).unwrap();
        assert!(table(&nowhere).starts_with("cannot write `"));
    }

    #[test]
    fn a_replaced_file_hands_on_its_permissions() {
        for name in ["run.csv", "run.npz"] {
            let folder = tempdir().unwrap();
            let path = folder.path().join(name);
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            TableWriter::create(&path, Columns::default()).unwrap().finish(&Cancel::new()).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
