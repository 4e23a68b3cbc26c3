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

#[test]
fn what_a_fuzzer_found_stays_mended() {
    fuzz_algebra(&[0xff, 0x7d, 0xad, 0xca, 0x2b, 0xdd]);
}
