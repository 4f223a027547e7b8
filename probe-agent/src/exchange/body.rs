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
