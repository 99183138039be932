//! Finds the files of an index, brings them up to date, and does without where that cannot be.

use super::chunk::Chunk;
use super::head::{Head, mark, mix, mtime};
use super::lines::lines;
use super::merge::merge;
use super::sample::{Counter, Form, Sample, size};
use super::segment::{Segment, damaged};
use super::state::State;
use crate::fs;
use crate::lesson::{Lesson, MAX_LINE};
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How much may be done to bring an index up to date.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of the store that are compiled at most; the rest waits for the next time.
    pub bytes: u64,
    /// A first file of at most so many bytes may be written anew, to take in the other.
    pub fold: u64,
    /// Whether files are written at all.
    pub keep: bool,
    /// How long another process that does the same is waited for.
    pub wait: Duration,
}

impl Limits {
    /// What a command may do.
    pub const ALL: Self = Self { bytes: u64::MAX, fold: u64::MAX, keep: true, wait: Duration::from_secs(60) };
    /// What a hook may do: some tenths of a second.
    pub const HOOK: Self = Self { bytes: 8 << 20, fold: 32 << 20, keep: true, wait: Duration::from_millis(300) };
    /// Everything in memory: for files that are no store of ours.
    pub const MEMORY: Self = Self { bytes: u64::MAX, fold: 0, keep: false, wait: Duration::ZERO };
}

/// Where the lessons lie whose words are counted, in bytes from the start of the store.
const COUNTED: u64 = 8 << 20;

/// A first file below this is always written anew rather than followed by another.
const SMALL: u64 = 64 << 10;

/// The second file holds at most this part of what the first one does.
const PART: u32 = 4;

/// The segments of a store; `None` where there is no store.
pub fn open(path: &Path, form: &Form, limits: &Limits) -> io::Result<Option<State>> {
    let store = match fs::open(path) {
        Ok(store) => store,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let meta = store.metadata()?;
    let files = Files { form, limits, main: path.with_extension("idx"), meta, tail: path.with_extension("tail.idx") };
    let mut state = State { segments: if limits.keep { files.segments(&store) } else { Vec::new() }, store };
    if files.is_fresh(&state) {
        return Ok(Some(state));
    }
    if limits.keep
        && let Ok(_lock) = fs::lock(&path.with_extension("idx.lock"), limits.wait)
    {
        // Another may have done it meanwhile.
        state.segments = files.segments(&state.store);
        if files.extend(&mut state, true).is_ok() {
            return Ok(Some(state));
        }
        state.segments = files.segments(&state.store);
    }
    match files.extend(&mut state, false) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData && !state.segments.is_empty() => {
            state.segments.clear();
            files.extend(&mut state, false)?;
        }
        other => other?,
    }
    Ok(Some(state))
}

struct Files<'f> {
    form: &'f Form,
    limits: &'f Limits,
    main: PathBuf,
    meta: Metadata,
    tail: PathBuf,
}

impl Files<'_> {
    /// The files that are of this store.
    fn segments(&self, store: &File) -> Vec<Segment> {
        let of = |path: &Path| Segment::open(path).ok().filter(|segment| segment.head.form == self.form.version);
        let Some(main) = of(&self.main).filter(|main| main.head.base == 0 && main.head.first == 0) else { return Vec::new() };
        let goes_on =
            |tail: &Segment| (tail.head.base, tail.head.first, tail.head.from) == (main.head.stamp, main.head.docs, main.head.to);
        if let Some(tail) = of(&self.tail).filter(|tail| goes_on(tail) && tail.head.is_of(store, &self.meta)) {
            return vec![main, tail];
        }
        if main.head.is_of(store, &self.meta) { vec![main] } else { Vec::new() }
    }

    fn is_fresh(&self, state: &State) -> bool {
        state.segments.last().is_some_and(|last| (last.head.len, last.head.mtime) == (self.meta.len(), mtime(&self.meta)))
    }

    /// Compiles what the store has beyond the segments, writing files or not.
    fn extend(&self, state: &mut State, keep: bool) -> io::Result<()> {
        let mut left = self.limits.bytes;
        let mut sample = if state.segments.is_empty() { self.count(state)? } else { state.sample()? };
        while !self.is_fresh(state) && left > 0 {
            let from = state.to();
            let until = self.meta.len().min(from.saturating_add(left));
            let mut chunk = Chunk::new(state, self.form, &sample)?;
            let end = lines(&state.store, from, until, MAX_LINE, |at, line| {
                chunk.line(at, line)?;
                Ok(!chunk.is_full())
            })?;
            // With more lessons the words are counted anew; they are few then.
            if !state.segments.is_empty() && size(chunk.lessons()) > sample.n {
                drop(chunk);
                state.segments.clear();
                sample = self.count(state)?;
                continue;
            }
            // Only a line that is just being written, or one beyond all bounds.
            if end == from && (from > 0 || until < self.meta.len()) {
                return Ok(());
            }
            left -= (end - from).min(left);
            let all = until == self.meta.len() && (end == until || !chunk.is_full());
            let head = Head {
                dev: self.meta.dev(),
                ino: self.meta.ino(),
                from,
                to: end,
                len: if all { self.meta.len() } else { end },
                mark: mark(&state.store, end)?,
                mtime: mtime(&self.meta),
                stamp: stamp(end),
                ..Head::default()
            };
            let segment = chunk.segment(head)?;
            state.segments.push(segment);
            if keep {
                self.keep(state)?;
            }
            if all {
                break;
            }
        }
        Ok(())
    }

    /// Counts the words of the first lessons.
    fn count(&self, state: &State) -> io::Result<Sample> {
        let mut counter = Counter::default();
        let most = self.meta.len().min(COUNTED);
        lines(&state.store, 0, most, MAX_LINE, |_, line| {
            Ok(Lesson::read(line).map_or(true, |lesson| counter.take(&lesson, self.form)))
        })?;
        Ok(counter.sample())
    }

    /// Writes the last segment, which is in memory, to where it belongs.
    fn keep(&self, state: &mut State) -> io::Result<()> {
        let size = |segment: &Segment| *segment.head.at.last().unwrap_or(&0);
        if state.segments.len() == 3 {
            let both = self.join(state, &self.tail, 1)?;
            state.segments.truncate(1);
            state.segments.push(both);
        }
        let Some((last, before)) = state.segments.split_last_mut() else { return Ok(()) };
        let Some(main) = before.first() else {
            return write_segment(&self.main, last);
        };
        let fold = size(main) < SMALL || last.head.docs > main.head.docs / PART && size(main) <= self.limits.fold;
        if fold {
            let all = self.join(state, &self.main, 0)?;
            state.segments = vec![all];
            let _ = std::fs::remove_file(&self.tail);
            return Ok(());
        }
        if last.head.base != main.head.stamp {
            last.head.base = main.head.stamp;
            write_segment(&self.tail, last)?;
        }
        Ok(())
    }

    /// The last segment and the one at `at` before it as one file.
    fn join(&self, state: &State, path: &Path, at: usize) -> io::Result<Segment> {
        let (older, newer) = (&state.segments[at], &state.segments[at + 1]);
        fs::replace_by(path, |file| {
            let (to, head) = merge(older, newer, BufWriter::with_capacity(1 << 16, &mut *file))?;
            to.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&head.bytes())
        })?;
        Segment::open(path)
    }
}

fn write_segment(path: &Path, segment: &Segment) -> io::Result<()> {
    let bytes = segment.whole().ok_or_else(damaged)?;
    let mut all = segment.head.bytes();
    all.extend(&bytes[all.len()..]);
    fs::replace(path, &all)
}

/// A number that no other file of this kind has.
fn stamp(salt: u64) -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    mix(&[now.to_le_bytes(), u64::from(std::process::id()).to_le_bytes(), salt.to_le_bytes()].concat()) | 1
}
