//! The forms of a list: CSV, blanks between the columns, and the traffic generator of HPCC (Li et al., SIGCOMM 2019).

use std::{collections::HashMap, sync::Arc};

use weir_types::{Duration, Invalid};

use super::{ListedTransfer, Listing, Name};
use crate::{files, traffic::recording::nanos_of};

/// Content of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Start,
    Size,
    Group,
    Source,
    Destination,
    Ignored,
}

use Column::{Destination, Group, Ignored, Size, Source, Start};

/// The columns of a line without a head, by their number.
const CSV: [&[Column]; 4] = [
    &[Start, Size],
    &[Start, Size, Group],
    &[Start, Size, Source, Destination],
    &[Start, Size, Group, Source, Destination],
];
const BLANKS: [&[Column]; 3] = [&[Start, Size], &[Start, Size, Group], &[Start, Size, Source, Destination]];
/// After a first line that says how many follow: with or without priority and port.
const GENERATOR: [&[Column]; 2] =
    [&[Source, Destination, Size, Start], &[Source, Destination, Ignored, Ignored, Size, Start]];

const EXAMPLE: &str = "each line has the start in seconds and the size in bytes, such as \"0.001,64000\"";

/// A transfer has fewer bytes: a petabyte.
const LARGEST: u64 = 1_000_000_000_000_000;

/// A transfer starts earlier, in nanoseconds: in thirty years.
const LATEST: u64 = 1_000_000_000_000_000_000;

/// A list while it is read.
#[derive(Default)]
struct Reading {
    rows: Vec<ListedTransfer>,
    names: HashMap<String, Name>,
}

impl Listing {
    /// Reads a list.
    ///
    /// # Errors
    /// Names the line that is wrong.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            files::at("line", line, "not text", EXAMPLE)
        })?;
        // A spreadsheet may write the mark of the order of bytes.
        let text = text.trim_start_matches('\u{feff}');
        let lines = (1_u32..).zip(text.lines());
        let mut lines = lines
            .map(|(number, line)| (number, line.split_once('#').map_or(line, |(line, _)| line).trim()))
            .filter(|(_, line)| !line.is_empty())
            .peekable();
        let comma = lines.peek().is_some_and(|(_, line)| line.contains(','));
        let announced = lines.next_if(|(_, line)| line.bytes().all(|byte| byte.is_ascii_digit()));
        let head = lines.peek().and_then(|(_, line)| head_of(&fields_of(line, comma)));
        if head.is_some() {
            let (number, _) = lines.next().expect("it was looked at");
            check_head(number, head.as_deref().unwrap_or_default())?;
        }
        let forms: &[&[Column]] = match (announced.is_some(), comma) {
            (true, _) => &GENERATOR,
            (false, true) => &CSV,
            (false, false) => &BLANKS,
        };
        let mut reading = Reading::default();
        for (number, line) in lines {
            let fields = fields_of(line, comma);
            let columns =
                head.as_deref().or_else(|| forms.iter().find(|form| form.len() == fields.len()).copied());
            let columns = columns.filter(|columns| columns.len() == fields.len()).ok_or_else(|| {
                let wanted = head.as_ref().map_or_else(|| counts_of(forms), |head| head.len().to_string());
                let found = match fields.len() {
                    1 => "1 column".to_owned(),
                    several => format!("{several} columns"),
                };
                files::at("line", number, format!("{found} where there should be {wanted}"), EXAMPLE)
            })?;
            reading.push(number, columns, &fields)?;
        }
        if let Some((number, line)) = announced {
            let found = reading.rows.len().to_string();
            let message = format!("it announces {line} transfers, and {found} follow");
            let same = line.trim_start_matches('0') == found.trim_start_matches('0');
            if !same {
                return Err(files::at("line", number, message, "correct the number, or take the line out"));
            }
        }
        reading.finish()
    }
}

impl Reading {
    fn push(&mut self, line: u32, columns: &[Column], fields: &[&str]) -> Result<(), Invalid> {
        let wrong = |message: String| files::at("line", line, message, EXAMPLE);
        let mut row = ListedTransfer { start: Duration::ZERO, bytes: 0, line, labels: [None; 3] };
        for (column, field) in columns.iter().zip(fields) {
            let label = match column {
                Start => {
                    let nanos = nanos_of(field).and_then(|nanos| u64::try_from(nanos).ok());
                    let nanos = nanos.filter(|nanos| *nanos < LATEST);
                    let nanos = nanos.ok_or_else(|| {
                        wrong(format!("{} is not a start, in seconds from 0 on", files::quoted(field)))
                    })?;
                    row.start = Duration::from_nanos(nanos);
                    continue;
                }
                Size => {
                    row.bytes = bytes_of(field)
                        .ok_or_else(|| wrong(format!("{} is not a size in bytes", files::quoted(field))))?;
                    continue;
                }
                Ignored => continue,
                Group => 0,
                Source => 1,
                Destination => 2,
            };
            row.labels[label] = (!field.is_empty()).then(|| self.name(field));
        }
        self.rows.push(row);
        Ok(())
    }

    fn name(&mut self, text: &str) -> Name {
        if let Some(known) = self.names.get(text) {
            return *known;
        }
        let number = self.names.len() as Name;
        self.names.insert(text.to_owned(), number);
        number
    }

    fn finish(self) -> Result<Listing, Invalid> {
        let Self { mut rows, names } = self;
        Invalid::unless(!rows.is_empty(), "file", "there is no transfer in it", EXAMPLE)?;
        // Stable: transfers that start together keep the order of their lines.
        rows.sort_by_key(|row| row.start);
        let mut listed = vec![String::new(); names.len()];
        for (name, number) in names {
            listed[number as usize] = name;
        }
        Ok(Listing { rows: Arc::new(rows), names: listed })
    }
}

fn fields_of(line: &str, comma: bool) -> Vec<&str> {
    if comma {
        line.split(',').map(|field| field.trim().trim_matches('"')).collect()
    } else {
        line.split_whitespace().collect()
    }
}

/// The columns of a head; `None` if this is a transfer.
fn head_of(fields: &[&str]) -> Option<Vec<Column>> {
    let is_number = |field: &&str| field.parse::<f64>().is_ok();
    let known: Vec<_> = fields.iter().map(|field| column_of(field)).collect();
    if fields.iter().any(is_number) || !known.iter().any(|column| matches!(column, Some(Start | Size))) {
        return None;
    }
    Some(known.into_iter().map(|column| column.unwrap_or(Ignored)).collect())
}

fn column_of(name: &str) -> Option<Column> {
    Some(match name.to_ascii_lowercase().as_str() {
        "start" | "start_s" | "start_time" | "time" => Start,
        "size" | "bytes" | "size_bytes" | "flow_size" => Size,
        "group" => Group,
        "source" | "src" => Source,
        "destination" | "dst" => Destination,
        _ => return None,
    })
}

/// That start and size are there once each.
fn check_head(line: u32, head: &[Column]) -> Result<(), Invalid> {
    for (column, name) in [(Start, "start"), (Size, "size")] {
        let times = head.iter().filter(|found| **found == column).count();
        let message = format!("{times} columns for {name} where there should be one");
        if times != 1 {
            return Err(files::at("line", line, message, "write a head such as \"start,size,group\""));
        }
    }
    Ok(())
}

/// Whole bytes; `1500000.0` and `1.5e6` are.
fn bytes_of(text: &str) -> Option<u64> {
    let bytes = text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        (number.fract() == 0.0 && (0.0..LARGEST as f64).contains(&number)).then_some(number as u64)
    })?;
    (1..LARGEST).contains(&bytes).then_some(bytes)
}

/// `2, 3 or 4`.
fn counts_of(forms: &[&[Column]]) -> String {
    let mut counts: Vec<_> = forms.iter().map(|form| form.len().to_string()).collect();
    let last = counts.pop().unwrap_or_default();
    format!("{} or {last}", counts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever a file holds, it is a list or refused with a line.
        #[test]
        fn no_file_is_too_strange(text in "[0-9a-z.,# \t\n\"-]{0,80}", bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            for file in [text.as_bytes(), &bytes] {
                match Listing::parse(file) {
                    Ok(list) => prop_assert!(list.rows.is_sorted_by_key(|row| row.start)),
                    Err(refused) => prop_assert!(!refused.message.is_empty() && refused.parameter == "file"),
                }
            }
        }

        /// A list reads the same in every form.
        #[test]
        fn every_form_says_the_same(
            rows in prop::collection::vec((0_u64..4_000_000_000, 1_u64..1_000_000_000), 1..30),
        ) {
            let start = |nanos: u64| format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
            let text = |line: &dyn Fn(&(u64, u64)) -> String| rows.iter().map(line).collect::<Vec<_>>().join("\n");
            let files = [
                text(&|(at, bytes)| format!("{},{bytes}", start(*at))),
                format!("size,start\n{}", text(&|(at, bytes)| format!("{bytes},{}", start(*at)))),
                text(&|(at, bytes)| format!("{} {bytes} a b", start(*at))),
                format!("{}\n{}", rows.len(), text(&|(at, bytes)| format!("a b 3 100 {bytes} {}", start(*at)))),
            ];
            let mut expected: Vec<_> = rows.clone();
            expected.sort_by_key(|(at, _)| *at);
            for file in files {
                let list = Listing::parse(file.as_bytes()).expect("a list");
                let read: Vec<_> = list.rows.iter().map(|row| (row.start.as_nanos(), row.bytes)).collect();
                prop_assert_eq!(&read, &expected);
            }
        }
    }
}
