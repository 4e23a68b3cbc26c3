//! Any bytes to a system and its derivatives: no panic, a reason for every refusal.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cotangent_model::fuzzing::fuzz_model(data));
