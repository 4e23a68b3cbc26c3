//! Simplification, derivatives and both engines on expressions made of random bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cotangent_compile::fuzzing::fuzz_algebra(data));
