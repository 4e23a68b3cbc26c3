//! Any bytes through the parser: no panic, every error in its place, `parse∘print = id`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cotangent_model::fuzzing::fuzz_parse(data));
