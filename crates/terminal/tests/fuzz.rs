//! A short run of the fuzz target, with bytes a terminal reacts to.

mod program;

use proptest::prelude::*;

/// Pieces of escape sequences are far likelier to meet than in random bytes.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let escapes = b"\x1b[]P_()?;:0123456789hlmABCDHJKLMPSTXZbcdfgnpqrstu@`!$ \x07\\\r\n\t\x08\x0e\x0f".to_vec();
    let wide: Vec<u8> = "漢é😀\u{200d}\u{fe0f}\u{1f3fd}\u{301}".bytes().collect();
    let byte = prop_oneof![
        4 => prop::sample::select(escapes),
        2 => 0x20_u8..0x7f,
        1 => prop::sample::select(wide),
        1 => any::<u8>(),
    ];
    prop::collection::vec(byte, 0..2000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(data in bytes()) {
        program::run(&data);
    }
}
