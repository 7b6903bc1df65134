//! An image as bytes, written and read by the same code, so that both cannot disagree.
//!
//!   "TRNIMAGE"   version (4 bytes)   length of what follows the checksum (8)   checksum (8)   content
//!
//! All numbers have their least byte first. In the content whole numbers take one byte for each seven bits, the least first; floating-point
//! numbers keep their eight bytes; a list begins with its length. The checksum is FNV-1a of 64 bits: it finds damage, it proves no origin.
//! Nothing is trusted: a list grows as its members are read, never by its length, and indices are checked (`check.rs`) before a run.

use std::fmt;

use super::Image;

const MAGIC: [u8; 8] = *b"TRNIMAGE";
/// Of the format: another number, other fields.
const VERSION: u32 = 2;
const HEAD: usize = 28;

/// Why bytes are no image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// They begin otherwise.
    NoImage,
    /// Written by another version of the program.
    Version { found: u32, expected: u32 },
    /// Bytes are missing, or there are more than there should be.
    Length,
    /// A byte has changed.
    Checksum,
    /// What was read cannot be: the part that is wrong.
    Content(&'static str),
}

impl fmt::Display for ImageError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::NoImage => write!(out, "these bytes are no image of a model"),
            ImageError::Version { found, expected } => {
                write!(out, "the image has format {found}, this program reads format {expected}")
            }
            ImageError::Length => write!(out, "the image is incomplete, or followed by something else"),
            ImageError::Checksum => write!(out, "the image is damaged: its checksum does not fit"),
            ImageError::Content(part) => write!(out, "the image contradicts itself in its {part}"),
        }
    }
}

impl std::error::Error for ImageError {}

/// FNV-1a, 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

impl Image {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut codec = Codec { bytes: vec![], next: None, refused: false };
        self.clone().code(&mut codec);
        let content = codec.bytes;
        let mut bytes = Vec::with_capacity(HEAD + content.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(checksum(&content).to_le_bytes());
        bytes.extend(content);
        bytes
    }

    /// Read, and checked so far that no run of it can reach beyond its arrays.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ImageError> {
        let (head, content) = bytes.split_at_checked(HEAD).ok_or(ImageError::NoImage)?;
        if head[..8] != MAGIC {
            return Err(ImageError::NoImage);
        }
        let word = |from: usize| head[from..from + 8].iter().rev().fold(0, |w, &b| w << 8 | u64::from(b));
        let found = word(8) as u32;
        if found != VERSION {
            return Err(ImageError::Version { found, expected: VERSION });
        }
        if word(12) != content.len() as u64 {
            return Err(ImageError::Length);
        }
        if word(20) != checksum(content) {
            return Err(ImageError::Checksum);
        }
        let mut codec = Codec { bytes: content.to_vec(), next: Some(0), refused: false };
        let mut image = Image::default();
        image.code(&mut codec);
        if codec.refused || codec.next != Some(codec.bytes.len()) {
            return Err(ImageError::Content("lists"));
        }
        image.checked()
    }
}

/// What can be written and read. A codec that writes takes a copy, one that reads replaces the value.
pub(super) trait Coded: Default {
    fn code(&mut self, codec: &mut Codec);
}

pub(super) struct Codec {
    bytes: Vec<u8>,
    /// Next byte to read; None: writing.
    next: Option<usize>,
    refused: bool,
}

impl Codec {
    pub fn reads(&self) -> bool {
        self.next.is_some()
    }

    /// What was read cannot be. Nothing is read from then on.
    pub fn refuse(&mut self) {
        self.refused = true;
    }

    pub fn byte(&mut self, byte: &mut u8) {
        match &mut self.next {
            None => self.bytes.push(*byte),
            Some(_) if self.refused => *byte = 0,
            Some(next) => match self.bytes.get(*next) {
                Some(read) => (*byte, *next) = (*read, *next + 1),
                None => self.refused = true,
            },
        }
    }

    pub fn number(&mut self, number: &mut f64) {
        let mut bytes = number.to_le_bytes();
        bytes.iter_mut().for_each(|b| self.byte(b));
        *number = f64::from_le_bytes(bytes);
    }

    pub fn flag(&mut self, flag: &mut bool) {
        let mut byte = u8::from(*flag);
        self.byte(&mut byte);
        *flag = byte == 1;
        self.refused |= byte > 1;
    }

    /// Seven bits to a byte, the eighth where more follow.
    pub fn count(&mut self, count: &mut usize) {
        if !self.reads() {
            let mut left = *count as u64;
            while left >= 0x80 {
                self.byte(&mut (left as u8 | 0x80));
                left >>= 7;
            }
            return self.byte(&mut (left as u8));
        }
        let (mut value, mut byte) = (0_u64, 0);
        for shift in (0..63).step_by(7) {
            self.byte(&mut byte);
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 || self.refused {
                break;
            }
        }
        self.refused |= byte >= 0x80;
        *count = if self.refused { 0 } else { value as usize };
    }

    pub fn index(&mut self, index: &mut u32) {
        let mut count = *index as usize;
        self.count(&mut count);
        match u32::try_from(count) {
            Ok(read) => *index = read,
            Err(_) => self.refuse(),
        }
    }

    /// One of so many kinds, by number.
    pub fn kind(&mut self, number: usize, kinds: usize) -> usize {
        let mut byte = number as u8;
        self.byte(&mut byte);
        self.refused |= usize::from(byte) >= kinds;
        if self.refused { 0 } else { byte.into() }
    }
}

impl<T: Coded> Coded for Vec<T> {
    fn code(&mut self, codec: &mut Codec) {
        let mut length = self.len();
        codec.count(&mut length);
        if !codec.reads() {
            return self.iter_mut().for_each(|member| member.code(codec));
        }
        self.clear();
        for _ in 0..length {
            let mut member = T::default();
            member.code(codec);
            if codec.refused {
                return self.clear();
            }
            self.push(member);
        }
    }
}

impl<T: Coded> Coded for Option<T> {
    fn code(&mut self, codec: &mut Codec) {
        let mut there = self.is_some();
        codec.flag(&mut there);
        if codec.reads() {
            *self = there.then(T::default);
        }
        if let Some(value) = self {
            value.code(codec);
        }
    }
}

impl<A: Coded, B: Coded> Coded for (A, B) {
    fn code(&mut self, codec: &mut Codec) {
        self.0.code(codec);
        self.1.code(codec);
    }
}

impl Coded for f64 {
    fn code(&mut self, codec: &mut Codec) {
        codec.number(self);
    }
}

impl Coded for usize {
    fn code(&mut self, codec: &mut Codec) {
        codec.count(self);
    }
}

impl Coded for bool {
    fn code(&mut self, codec: &mut Codec) {
        codec.flag(self);
    }
}

impl Coded for String {
    fn code(&mut self, codec: &mut Codec) {
        let mut bytes = std::mem::take(self).into_bytes();
        let mut length = bytes.len();
        codec.count(&mut length);
        if codec.reads() {
            bytes.clear();
            for _ in 0..length {
                let mut byte = 0;
                codec.byte(&mut byte);
                if codec.refused {
                    return;
                }
                bytes.push(byte);
            }
        } else {
            bytes.iter_mut().for_each(|byte| codec.byte(byte));
        }
        match String::from_utf8(bytes) {
            Ok(text) => *self = text,
            Err(_) => codec.refuse(),
        }
    }
}

impl<const N: usize> Coded for [f64; N]
where
    [f64; N]: Default,
{
    fn code(&mut self, codec: &mut Codec) {
        self.iter_mut().for_each(|x| codec.number(x));
    }
}
