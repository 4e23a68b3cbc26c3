//! The body of the fuzz target `algebra` on seeded inputs.

use cotangent_compile::fuzzing::fuzz_algebra;

#[test]
fn expressions_from_random_bytes_keep_the_laws_of_algebra() {
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut byte = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 56) as u8
    };
    for length in 0..700 {
        let data: Vec<u8> = (0..length % 97).map(|_| byte()).collect();
        fuzz_algebra(&data);
    }
}

/// Every input that was ever found to break a law.
#[test]
fn what_a_fuzzer_found_stays_mended() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/algebra");
    let mut inputs = 0;
    for file in std::fs::read_dir(corpus).unwrap() {
        fuzz_algebra(&std::fs::read(file.unwrap().path()).unwrap());
        inputs += 1;
    }
    assert!(inputs > 0);
}
