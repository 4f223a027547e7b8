//! A response's body out of its content coding, never beyond the limit: a
//! small body that unpacks into a huge one stops where a huge one stops.

use std::io::{self, Write as _};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use super::budget::RESPONSE_LIMIT_BYTES;

/// Compressed bytes unpacked at a time. Deflate grows at most 1,032-fold, so
/// one piece adds at most about 1 MiB beyond the limit before it is noticed.
const PIECE_BYTES: usize = 1024;

/// A body that stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    TooLarge,
    Undecodable,
}

/// A body as far as it was read.
pub(super) struct Body {
    decoder: Decoder,
    wire: usize,
    decoded: Vec<u8>,
}

enum Decoder {
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    /// `deflate` before its first byte, which tells which of the two it is.
    Deflate,
    Zlib(Box<ZlibDecoder<Vec<u8>>>),
    Raw(Box<DeflateDecoder<Vec<u8>>>),
}

impl Body {
    /// By the values of `content-encoding`; `None` for a coding that is not
    /// read, or for several.
    pub(super) fn coded<'a>(mut codings: impl Iterator<Item = &'a str>) -> Option<Self> {
        let coding = codings
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        if codings.next().is_some() {
            return None;
        }
        let decoder = match &coding[..] {
            "" | "identity" => Decoder::Plain,
            "gzip" | "x-gzip" => Decoder::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
            "deflate" => Decoder::Deflate,
            _ => return None,
        };
        Some(Self {
            decoder,
            wire: 0,
            decoded: Vec::new(),
        })
    }

    /// Takes what came over the wire and gives what it decodes to. On
    /// [`Stopped::TooLarge`] the body ends one byte beyond the limit.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<&[u8], Stopped> {
        let before = self.decoded.len();
        let room = (RESPONSE_LIMIT_BYTES + 1).saturating_sub(self.wire);
        for piece in chunk[..chunk.len().min(room)].chunks(PIECE_BYTES) {
            self.wire += piece.len();
            self.decoder
                .write(piece, &mut self.decoded)
                .map_err(|_| Stopped::Undecodable)?;
            self.check_size()?;
        }
        Ok(&self.decoded[before..])
    }

    /// The wire has ended; what the decoder still holds belongs to the body.
    pub(super) fn finish(&mut self) -> Result<(), Stopped> {
        // A body of no bytes at all is empty under any coding.
        if self.wire > 0 {
            self.decoder
                .finish(&mut self.decoded)
                .map_err(|_| Stopped::Undecodable)?;
        }
        self.check_size()
    }

    /// The most that this body can hold once it has taken a chunk of this length.
    pub(super) fn most_after(&self, chunk: usize) -> usize {
        match self.decoder {
            Decoder::Plain => (self.decoded.len() + chunk).min(RESPONSE_LIMIT_BYTES + 1),
            _ => RESPONSE_LIMIT_BYTES + 1,
        }
    }

    pub(super) fn decoded(&self) -> &[u8] {
        &self.decoded
    }

    /// Gives up what lies beyond the first `length` decoded bytes.
    pub(super) fn cut(&mut self, length: usize) {
        self.decoded.truncate(length);
    }

    /// The whole, and its size on the wire.
    pub(super) fn into_parts(self) -> (Vec<u8>, usize) {
        (self.decoded, self.wire)
    }

    fn check_size(&mut self) -> Result<(), Stopped> {
        if self.decoded.len() > RESPONSE_LIMIT_BYTES || self.wire > RESPONSE_LIMIT_BYTES {
            self.decoded.truncate(RESPONSE_LIMIT_BYTES + 1);
            return Err(Stopped::TooLarge);
        }
        Ok(())
    }
}

impl Decoder {
    fn write(&mut self, piece: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        if let (Self::Deflate, Some(first)) = (&self, piece.first()) {
            // RFC 9110 section 8.4.1.2 means the zlib format; some send the
            // bare one. Compression method 8 marks zlib (RFC 1950, section 2.2).
            *self = if first & 0x0f == 8 {
                Self::Zlib(Box::new(ZlibDecoder::new(Vec::new())))
            } else {
                Self::Raw(Box::new(DeflateDecoder::new(Vec::new())))
            };
        }
        let written = match self {
            Self::Plain | Self::Deflate => {
                out.extend_from_slice(piece);
                return Ok(());
            }
            // What can be decoded is given at once: a stream may be left open behind it.
            Self::Gzip(decoder) => decoder.write_all(piece).and_then(|()| decoder.flush()),
            Self::Zlib(decoder) => decoder.write_all(piece).and_then(|()| decoder.flush()),
            Self::Raw(decoder) => decoder.write_all(piece).and_then(|()| decoder.flush()),
        };
        out.append(self.output());
        written
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let finished = match self {
            Self::Plain | Self::Deflate => return Ok(()),
            Self::Gzip(decoder) => decoder.try_finish(),
            Self::Zlib(decoder) => decoder.try_finish(),
            Self::Raw(decoder) => decoder.try_finish(),
        };
        out.append(self.output());
        finished
    }

    fn output(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Zlib(decoder) => decoder.get_mut(),
            Self::Raw(decoder) => decoder.get_mut(),
            Self::Plain | Self::Deflate => unreachable!("asked of a decoder that holds output"),
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    fn encode(coding: usize, plain: &[u8]) -> (&'static str, Vec<u8>) {
        fn all<W: io::Write>(mut encoder: W, plain: &[u8]) -> W {
            encoder.write_all(plain).unwrap();
            encoder
        }
        let (level, out) = (Compression::fast(), Vec::new());
        match coding {
            0 => ("", plain.to_vec()),
            1 => (
                "gzip",
                all(GzEncoder::new(out, level), plain).finish().unwrap(),
            ),
            2 => (
                "deflate",
                all(ZlibEncoder::new(out, level), plain).finish().unwrap(),
            ),
            _ => (
                "deflate",
                all(DeflateEncoder::new(out, level), plain)
                    .finish()
                    .unwrap(),
            ),
        }
    }

    fn read(coding: &str, wire: &[u8], chunk: usize) -> Result<Vec<u8>, Stopped> {
        let mut body = Body::coded(std::iter::once(coding)).unwrap();
        let mut given = Vec::new();
        for chunk in wire.chunks(chunk) {
            given.extend_from_slice(body.push(chunk)?);
        }
        body.finish()?;
        let (decoded, size) = body.into_parts();
        assert_eq!(size, wire.len());
        assert!(decoded.starts_with(&given));
        Ok(decoded)
    }

    proptest! {
        #[test]
        fn a_body_is_what_it_was_however_it_was_coded_and_cut(
            plain in proptest::collection::vec(any::<u8>(), 0..5_000),
            coding in 0_usize..4,
            chunk in 1_usize..3_000,
        ) {
            let (name, wire) = encode(coding, &plain);
            prop_assert_eq!(read(name, &wire, chunk), Ok(plain));
        }

        #[test]
        fn a_body_cut_short_is_noticed(
            plain in proptest::collection::vec(any::<u8>(), 1..2_000),
            coding in 1_usize..4,
            cut in any::<proptest::sample::Index>(),
        ) {
            let (name, wire) = encode(coding, &plain);
            // At least one byte is there: a body of none is empty under any coding.
            let wire = &wire[..=cut.index(wire.len() - 1)];
            prop_assert_eq!(read(name, wire, 700), Err(Stopped::Undecodable));
        }

        #[test]
        fn no_bytes_break_a_decoder(
            wire in proptest::collection::vec(any::<u8>(), 0..3_000),
            coding in prop_oneof![Just("gzip"), Just("deflate"), Just("")],
        ) {
            let _ = read(coding, &wire, 100);
        }
    }

    proptest! {
        // Each case is two mebibytes and more.
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn no_bytes_decode_beyond_the_limit(
            head in proptest::collection::vec(any::<u8>(), 0..200),
            filler: u8,
            coding in 0_usize..4,
        ) {
            let plain = [head, vec![filler; RESPONSE_LIMIT_BYTES + 1]].concat();
            let (name, wire) = encode(coding, &plain);
            let mut body = Body::coded(std::iter::once(name)).unwrap();
            prop_assert_eq!(body.push(&wire).map(<[u8]>::len), Err(Stopped::TooLarge));
            prop_assert_eq!(body.decoded(), &plain[..=RESPONSE_LIMIT_BYTES]);
        }
    }
}
