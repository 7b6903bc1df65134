//! The memory of a run as a list of 64-bit words, written and read by the same code, so that both cannot disagree.
//!
//! Whoever has memory gives every part of it to an archive in one order. An archive that writes takes a copy of each, one that
//! reads replaces it. Numbers keep their bits. What does not fit (another length, a list that ends early) is remembered as a
//! misfit and told by `finish`; nothing is read from then on.

#[derive(Debug, Default)]
pub struct Archive {
    words: Vec<u64>,
    /// Next word to read; None: writing.
    next: Option<usize>,
    misfit: bool,
}

impl Archive {
    pub fn to_write() -> Self {
        Archive::default()
    }

    pub fn to_read(words: Vec<u64>) -> Self {
        Archive { words, next: Some(0), misfit: false }
    }

    pub fn reads(&self) -> bool {
        self.next.is_some() && !self.misfit
    }

    /// What the archive read does not belong here.
    pub fn refuse(&mut self) {
        self.misfit = true;
    }

    /// The words, if all were taken that were there.
    pub fn finish(self) -> Option<Vec<u64>> {
        let all = self.next.is_none_or(|next| next == self.words.len());
        (all && !self.misfit).then_some(self.words)
    }

    pub fn word(&mut self, word: &mut u64) {
        match &mut self.next {
            None => self.words.push(*word),
            Some(_) if self.misfit => {}
            Some(next) => match self.words.get(*next) {
                Some(read) => (*word, *next) = (*read, *next + 1),
                None => self.misfit = true,
            },
        }
    }

    pub fn number(&mut self, number: &mut f64) {
        let mut word = number.to_bits();
        self.word(&mut word);
        *number = f64::from_bits(word);
    }

    pub fn flag(&mut self, flag: &mut bool) {
        let mut word = u64::from(*flag);
        self.word(&mut word);
        *flag = word != 0;
    }

    pub fn sign(&mut self, sign: &mut i8) {
        let mut word = *sign as u64;
        self.word(&mut word);
        *sign = (word as i64).signum() as i8;
    }

    pub fn count(&mut self, count: &mut usize) {
        let mut word = *count as u64;
        self.word(&mut word);
        *count = word as usize;
    }

    /// A list whose length the model fixes.
    pub fn numbers(&mut self, numbers: &mut [f64]) {
        self.length(numbers.len());
        numbers.iter_mut().for_each(|number| self.number(number));
    }

    pub fn flags(&mut self, flags: &mut [bool]) {
        self.length(flags.len());
        flags.iter_mut().for_each(|flag| self.flag(flag));
    }

    pub fn signs(&mut self, signs: &mut [i8]) {
        self.length(signs.len());
        signs.iter_mut().for_each(|sign| self.sign(sign));
    }

    /// Numbers below `n`.
    pub fn places(&mut self, places: &mut [u32], n: usize) {
        self.length(places.len());
        for place in places {
            let mut word = u64::from(*place);
            self.word(&mut word);
            self.misfit |= word >= n as u64;
            *place = if self.misfit { *place } else { word as u32 };
        }
    }

    pub fn text(&mut self, text: &mut String) {
        let mut bytes = std::mem::take(text).into_bytes();
        let mut length = bytes.len();
        self.count(&mut length);
        if self.reads() && length > 8 * self.words.len() {
            return self.refuse();
        }
        bytes.resize(length.next_multiple_of(8), 0);
        for eight in bytes.as_chunks_mut::<8>().0 {
            let mut word = u64::from_le_bytes(*eight);
            self.word(&mut word);
            *eight = word.to_le_bytes();
        }
        bytes.truncate(length);
        match String::from_utf8(bytes) {
            Ok(read) => *text = read,
            Err(_) => self.refuse(),
        }
    }

    fn length(&mut self, length: usize) {
        let mut word = length as u64;
        self.word(&mut word);
        self.misfit |= word != length as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(archive: &mut Archive, x: &mut f64, list: &mut [f64], text: &mut String, side: &mut i8) {
        archive.number(x);
        archive.numbers(list);
        archive.text(text);
        archive.sign(side);
    }

    #[test]
    fn what_was_written_is_read() {
        let mut archive = Archive::to_write();
        visit(&mut archive, &mut -0.0, &mut [1.5, f64::NAN], &mut "Zustand α".into(), &mut -1);
        let words = archive.finish().unwrap();
        let (mut x, mut list, mut text, mut side) = (1.0, [0.0; 2], String::new(), 0);
        let mut archive = Archive::to_read(words.clone());
        visit(&mut archive, &mut x, &mut list, &mut text, &mut side);
        assert_eq!(archive.finish(), Some(words));
        assert_eq!((x.to_bits(), list[0], list[1].is_nan()), ((-0.0_f64).to_bits(), 1.5, true));
        assert_eq!((text.as_str(), side), ("Zustand α", -1));
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let mut archive = Archive::to_write();
        archive.numbers(&mut [1.0, 2.0]);
        let words = archive.finish().unwrap();
        let check = |words: Vec<u64>, length: usize| {
            let mut archive = Archive::to_read(words);
            archive.numbers(&mut vec![0.0; length]);
            archive.finish().is_some()
        };
        assert!(check(words.clone(), 2));
        assert!(!check(words.clone(), 3));
        assert!(!check(words[..2].to_vec(), 2));
        assert!(!check([&words[..], &[0]].concat(), 2));
    }
}
