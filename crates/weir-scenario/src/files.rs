//! Files that a scenario names: found beside it, read once, and known by what they hold.
//!
//! A scenario travels between processes as its text, and the file is read anew at the other end. The
//! digest of what it holds is a value of the scenario, so a run of another file has another key. Its
//! place is no such value, so that a folder may be moved.

use std::{
    any::Any,
    collections::HashMap,
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::SystemTime,
};

use sha2::{Digest, Sha256};
use weir_types::Invalid;

/// Content of a file, once it has been read. Two are equal: the digest beside says if they are.
pub struct Content<T>(Option<Arc<T>>);

impl<T> Content<T> {
    /// Content that was not read from a file.
    pub(crate) const fn made(content: Arc<T>) -> Self {
        Self(Some(content))
    }

    /// Returns true if the file was read.
    pub const fn is_read(&self) -> bool {
        self.0.is_some()
    }

    /// Content that was read; `None` if the scenario was made without reading its files.
    pub const fn read(&self) -> Option<&Arc<T>> {
        self.0.as_ref()
    }

    /// Content that was read.
    ///
    /// # Panics
    /// If the scenario was made without reading its files.
    pub fn get(&self) -> &Arc<T> {
        self.0.as_ref().expect("files are read with the scenario")
    }
}

impl<T> Clone for Content<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for Content<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> PartialEq for Content<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> fmt::Debug for Content<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "read" } else { "not read" })
    }
}

/// A file that was read, and what it takes to see that it is still the same.
struct Known {
    length: u64,
    modified: Option<SystemTime>,
    digest: String,
    read: Arc<dyn Any + Send + Sync>,
}

/// A sweep reads the same file for each of its points; a few are kept.
static KNOWN: LazyLock<Mutex<HashMap<PathBuf, Known>>> = LazyLock::new(Mutex::default);
const KEPT: usize = 16;

/// Bytes: smaller files are read every time, which is cheaper than to be wrong about one that was
/// written twice within a tick of the clock.
const SMALL: u64 = 1 << 16;

/// Bytes that a file can have: what is read of it takes several times as much memory.
const LARGEST: u64 = 1 << 31;

/// Reads the file that `name` means to a scenario in `folder`: fills in its absolute path, its digest and
/// its content.
///
/// # Errors
/// If it cannot be read, does not hold what `parse` expects, or is not what `digest` says.
pub(crate) fn read<T: Send + Sync + 'static>(
    folder: &Path,
    name: &mut String,
    digest: &mut Option<String>,
    content: &mut Content<T>,
    parse: impl FnOnce(&[u8]) -> Result<T, Invalid>,
) -> Result<(), Invalid> {
    let path = folder.join(&*name);
    Invalid::unless(
        !name.is_empty(),
        "file",
        "the name of the file is empty",
        "name one beside the scenario",
    )?;
    let unreadable = |error: std::io::Error| Invalid {
        parameter: "file".into(),
        message: format!("{} cannot be read: {error}", path.display()),
        hint: "paths are relative to the scenario's file".into(),
    };
    let place = fs::canonicalize(&path).map_err(unreadable)?;
    let meta = fs::metadata(&place).map_err(unreadable)?;
    // A device or a pipe might never end, and a scenario must read the same twice.
    let plain = format!("{} is not a plain file", path.display());
    Invalid::unless(meta.is_file(), "file", plain, "name a file that holds what is to be read")?;
    let large = format!("{} has {} bytes, more than can be read, {LARGEST}", path.display(), meta.len());
    Invalid::unless(meta.len() <= LARGEST, "file", large, "name a smaller file, or a part of it")?;
    let modified = meta.modified().ok().filter(|_| meta.len() > SMALL);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let fresh = known
        .get(&place)
        .filter(|file| modified.is_some() && file.modified == modified && file.length == meta.len());
    let found = fresh.and_then(|file| {
        let read = Arc::clone(&file.read).downcast::<T>().ok()?;
        Some((read, file.digest.clone()))
    });
    let (read, sum) = if let Some(found) = found {
        found
    } else {
        let bytes = fs::read(&place).map_err(unreadable)?;
        let read = Arc::new(parse(&bytes).map_err(|invalid| named(invalid, name))?);
        let sum = sum(&bytes);
        if modified.is_some() {
            if known.len() >= KEPT {
                known.clear();
            }
            let (length, digest) = (meta.len(), sum.clone());
            let read: Arc<dyn Any + Send + Sync> = Arc::<T>::clone(&read);
            known.insert(place.clone(), Known { length, modified, digest, read });
        }
        (read, sum)
    };
    settle(digest, &sum, name)?;
    *content = Content(Some(read));
    // As the user knows it: without links resolved, and without Windows' prefix.
    *name = std::path::absolute(&path).unwrap_or(place).display().to_string();
    Ok(())
}

/// Takes a file that comes with Weir: its name stays.
pub(super) fn take<T>(
    text: &[u8],
    name: &str,
    digest: &mut Option<String>,
    content: &mut Content<T>,
    parse: impl FnOnce(&[u8]) -> Result<T, Invalid>,
) -> Result<(), Invalid> {
    settle(digest, &sum(text), name)?;
    *content = Content(Some(Arc::new(parse(text)?)));
    Ok(())
}

/// The content must be that which the scenario speaks of, if it does.
fn settle(digest: &mut Option<String>, found: &str, name: &str) -> Result<(), Invalid> {
    let wanted = digest.get_or_insert_with(|| found.to_owned());
    Invalid::unless(
        wanted == found,
        "digest",
        format!("{name} is not what it was: its digest is {found}"),
        "put the file back as it was, or take the digest out to use it as it is",
    )
}

/// 16 hexadecimal digits of the SHA-256.
fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// An error within a file names the file.
fn named(invalid: Invalid, name: &str) -> Invalid {
    Invalid { parameter: "file".into(), message: format!("{name}: {}", invalid.message), ..invalid }
}

/// Text of a file as a message may quote it: its beginning.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        None => format!("\"{text}\""),
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
    }
}

/// An error at a place within a file: `line 3: ...`.
pub(crate) fn at(
    place: &str,
    number: impl fmt::Display,
    message: impl fmt::Display,
    hint: impl Into<String>,
) -> Invalid {
    Invalid { parameter: "file".into(), message: format!("{place} {number}: {message}"), hint: hint.into() }
}
