//! How far text runs before something in it needs attention, eight bytes at a
//! time. Reading stops at the same bytes that writing has to escape.

const ONES: u64 = u64::from_le_bytes([0x01; 8]);
const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);

/// The number of bytes before the first quote, backslash or control character.
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    // Each term has the high bit of a byte set where that byte is special. A
    // borrow can set further ones, but only above the first true one.
    let marks = |word: u64| {
        zeros(word ^ (ONES * u64::from(b'"')))
            | zeros(word ^ (ONES * u64::from(b'\\')))
            | (word.wrapping_sub(ONES * 0x20) & !word & HIGHS)
    };
    length(bytes, marks, is_special)
}

/// The number of bytes before the first one beyond ASCII.
pub(crate) fn ascii_length(bytes: &[u8]) -> usize {
    length(bytes, |word| word & HIGHS, |byte| !byte.is_ascii())
}

/// The number of bytes before the first one that `stops`; `marks` sets the high
/// bit of the first such byte in a word, and none below it.
fn length(bytes: &[u8], marks: impl Fn(u64) -> u64, stops: impl Fn(u8) -> bool) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let found = marks(u64::from_le_bytes(*word));
        if found != 0 {
            return index * 8 + (found.trailing_zeros() / 8) as usize;
        }
    }
    let tail = rest.iter().position(|&byte| stops(byte));
    words.len() * 8 + tail.unwrap_or(rest.len())
}

fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_and_bytes_agree(bytes in proptest::collection::vec(
            prop_oneof![Just(b'"'), Just(b'\\'), 0x1E_u8..0x24, any::<u8>(), Just(b'a')], 0..40)
        ) {
            let slow = bytes.iter().position(|&byte| is_special(byte));
            prop_assert_eq!(plain_length(&bytes), slow.unwrap_or(bytes.len()));
            let slow = bytes.iter().position(|byte| !byte.is_ascii());
            prop_assert_eq!(ascii_length(&bytes), slow.unwrap_or(bytes.len()));
        }
    }
}
