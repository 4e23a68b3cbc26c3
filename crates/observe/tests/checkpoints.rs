//! Checkpoints keep bits, and what is not a whole checkpoint is recognised.

mod common;

use common::{bits, files};
use cotangent_observe::{Checkpoint, CheckpointError};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::{TempDir, tempdir};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Header {
    model: String,
    steps: u64,
    step_size: f64,
}

fn example(numbers: Vec<f64>) -> Checkpoint<Header> {
    Checkpoint { header: Header { model: "ring\n".into(), steps: u64::MAX, step_size: 0.1 + 0.2 }, numbers }
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    (folder, path)
}

fn read(path: &Path) -> CheckpointError {
    Checkpoint::<Header>::read(path).unwrap_err()
}

fn said(path: &Path) -> String {
    read(path).to_string().replace(&path.display().to_string(), "P")
}

#[test]
fn the_format_is_the_documented_one() {
    let (_folder, path) = place();
    example(vec![1.0]).write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let header = r#"{"model":"ring\n","steps":18446744073709551615,"step_size":0.30000000000000004}"#;
    let mut expected = format!("cotangent-checkpoint 1\n{} 1\n{header}\n", header.len()).into_bytes();
    expected.extend([0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
    expected.extend(crc32fast::hash(&expected).to_le_bytes());
    assert_eq!(bytes, expected);
}

#[test]
fn a_checkpoint_replaces_an_older_one_and_leaves_nothing_else() {
    let (folder, path) = place();
    example(vec![1.0, 2.0]).write(&path).unwrap();
    example(vec![3.0]).write(&path).unwrap();
    assert_eq!(Checkpoint::read(&path).unwrap(), example(vec![3.0]));
    assert_eq!(files(folder.path()), ["run.checkpoint"]);
}

#[test]
fn what_is_no_checkpoint_is_said_to_be_none() {
    let (_folder, path) = place();
    for content in ["", "t,x\n0.0,1.0\n", "cotangent", "cotangent-checkpoint"] {
        fs::write(&path, content).unwrap();
        assert_eq!(said(&path), "`P` is not a checkpoint of Cotangent");
    }
    fs::remove_file(&path).unwrap();
    assert!(said(&path).starts_with("cannot read the checkpoint `P`: "));
    fs::create_dir(&path).unwrap();
    assert!(said(&path).starts_with("cannot read the checkpoint `P`: "));
}

#[test]
fn a_newer_format_is_said_to_be_newer() {
    let (_folder, path) = place();
    fs::write(&path, "cotangent-checkpoint 7\nanything").unwrap();
    assert_eq!(said(&path), "the checkpoint `P` has format 7; this version of Cotangent reads formats up to 1");
    fs::write(&path, "cotangent-checkpoint 0\nanything").unwrap();
    assert!(matches!(read(&path), CheckpointError::Damaged { .. }));
}

#[test]
fn every_truncation_is_recognised() {
    let (_folder, path) = place();
    example(vec![1.0, f64::NAN, 3.0]).write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    for cut in 0..bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        match read(&path) {
            CheckpointError::NotACheckpoint { .. } => assert!(cut < 21),
            CheckpointError::Truncated { found, needed, .. } => {
                assert!(cut >= 21 && found == cut as u64 && needed > found && needed <= bytes.len() as u64);
            }
            other => panic!("cut at {cut}: {other}"),
        }
    }
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let (found, needed) = (bytes.len() - 1, bytes.len());
    assert_eq!(said(&path), format!("the checkpoint `P` is cut off: it has {found} bytes and should have {needed}"));
}

#[test]
fn every_changed_byte_is_recognised() {
    let (_folder, path) = place();
    example(vec![1.0, f64::NAN, 3.0]).write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut bad = bytes.clone();
            bad[at] ^= change;
            fs::write(&path, &bad).unwrap();
            read(&path);
        }
    }
    let mut bad = bytes.clone();
    bad[bytes.len() - 10] ^= 4;
    fs::write(&path, &bad).unwrap();
    assert_eq!(said(&path), "the checkpoint `P` is damaged: its checksum does not agree with its content");
    fs::write(&path, [&bytes[..], b"x"].concat()).unwrap();
    assert!(matches!(read(&path), CheckpointError::Damaged { .. }));
}

#[test]
fn a_header_of_another_kind_is_refused() {
    let (_folder, path) = place();
    Checkpoint { header: vec![1, 2], numbers: vec![] }.write(&path).unwrap();
    assert!(said(&path).starts_with("the checkpoint `P` belongs to something else: "), "{}", said(&path));
}

#[test]
fn a_header_that_would_be_lost_is_refused_and_the_older_checkpoint_stays() {
    let (_folder, path) = place();
    example(vec![1.0]).write(&path).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let mut lost = example(vec![]);
        lost.header.step_size = bad;
        let error = lost.write(&path).unwrap_err();
        assert!(matches!(error, CheckpointError::Unkeepable { .. }), "{error}");
    }
    assert_eq!(Checkpoint::read(&path).unwrap(), example(vec![1.0]));
}

#[test]
fn lengths_beyond_any_file_are_no_reason_to_panic() {
    let (_folder, path) = place();
    for lengths in ["18446744073709551615 1", "1 18446744073709551615", "1", "", " ", "-1 2", "1 2 3", "99 99"] {
        fs::write(&path, format!("cotangent-checkpoint 1\n{lengths}\n{{}}\n12345678")).unwrap();
        assert!(
            matches!(read(&path), CheckpointError::Damaged { .. } | CheckpointError::Truncated { .. }),
            "{lengths}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn all_bits_are_kept(words: Vec<u64>, model: String, steps: u64, step_size in any::<f64>()) {
        prop_assume!(step_size.is_finite());
        let (_folder, path) = place();
        let numbers: Vec<f64> = words.iter().map(|&w| f64::from_bits(w)).collect();
        let checkpoint = Checkpoint { header: Header { model, steps, step_size }, numbers };
        checkpoint.write(&path).unwrap();
        let back = Checkpoint::<Header>::read(&path).unwrap();
        prop_assert_eq!(&back.header, &checkpoint.header);
        prop_assert_eq!(bits(&back.numbers), words);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>, version in 0u8..3) {
        let (_folder, path) = place();
        let start = format!("cotangent-checkpoint {version}\n");
        fs::write(&path, [start.as_bytes(), &bytes].concat()).unwrap();
        prop_assert!(Checkpoint::<Header>::read(&path).is_err());
    }
}
