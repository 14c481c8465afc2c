use std::collections::HashMap;

/// The name of a row over all groups or classes.
pub(super) const ALL: &str = "all";

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers of runs.
    Index(Vec<u32>),
    /// Names.
    Text(Names),
    /// Yes or no.
    Flag(Vec<bool>),
    /// Counts.
    Integer(Vec<i64>),
    /// Quantities; NaN where a measure is not defined, such as a delay without departures.
    Real(Vec<f64>),
}

/// Columns of equal length, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The columns, in order.
    pub columns: Vec<(&'static str, Column)>,
}

/// A column with few different names: each name once, and a code for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Names {
    names: Vec<String>,
    /// Codes, each with its number of consecutive rows.
    spans: Vec<(u32, usize)>,
}

impl Names {
    /// The names, in the order of their codes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The index of the name of each row.
    pub fn codes<T: TryFrom<u32> + Copy>(&self) -> Option<Vec<T>> {
        let mut codes = Vec::with_capacity(self.spans.iter().map(|(_, rows)| rows).sum());
        for (code, rows) in &self.spans {
            codes.resize(codes.len() + rows, T::try_from(*code).ok()?);
        }
        Some(codes)
    }
}

/// A column under construction.
pub(super) trait Growing<Value>: Default {
    fn push(&mut self, value: Value);

    /// Appends the same value `rows` times.
    fn push_rows(&mut self, value: Value, rows: usize);

    fn finish(self) -> Column;
}

/// The column type for values of a type.
pub(super) trait Cell: Sized {
    type Column: Growing<Self>;
}

macro_rules! numbers {
    ($($number:ty: $column:ident),*) => {$(
        impl Cell for $number {
            type Column = Vec<$number>;
        }

        impl Growing<$number> for Vec<$number> {
            fn push(&mut self, value: $number) {
                Self::push(self, value);
            }

            fn push_rows(&mut self, value: $number, rows: usize) {
                self.resize(self.len() + rows, value);
            }

            fn finish(self) -> Column {
                Column::$column(self)
            }
        }
    )*};
}

numbers!(u32: Index, bool: Flag, i64: Integer, f64: Real);

/// A column of names under construction.
#[derive(Default)]
pub(super) struct Naming<'a> {
    codes: HashMap<&'a str, u32>,
    names: Vec<&'a str>,
    spans: Vec<(u32, usize)>,
}

impl<'a> Cell for &'a str {
    type Column = Naming<'a>;
}

impl<'a> Growing<&'a str> for Naming<'a> {
    fn push(&mut self, name: &'a str) {
        self.push_rows(name, 1);
    }

    fn push_rows(&mut self, name: &'a str, rows: usize) {
        if let Some((code, before)) = self.spans.last_mut()
            && self.names[*code as usize] == name
        {
            *before += rows;
        } else if rows > 0 {
            let code = *self.codes.entry(name).or_insert_with(|| {
                self.names.push(name);
                (self.names.len() - 1) as u32
            });
            self.spans.push((code, rows));
        }
    }

    fn finish(self) -> Column {
        let names = self.names.into_iter().map(str::to_owned).collect();
        Column::Text(Names { names, spans: self.spans })
    }
}

/// Declares the columns of a table once: the type that collects them and, with `of`, a type for one row.
macro_rules! table {
    ($rows:ident $(<$a:lifetime>)? { $($column:ident: $value:ty,)* }) => {
        #[derive(Default)]
        pub(super) struct $rows $(<$a>)? {
            $($column: <$value as $crate::tables::table::Cell>::Column,)*
        }

        impl $(<$a>)? $rows $(<$a>)? {
            pub(super) fn finish(self) -> $crate::tables::table::Table {
                let columns =
                    vec![$((stringify!($column), $crate::tables::table::Growing::finish(self.$column)),)*];
                $crate::tables::table::Table { columns }
            }
        }
    };
    ($rows:ident $(<$a:lifetime>)? of $row:ident { $($column:ident: $value:ty,)* }) => {
        table! { $rows $(<$a>)? { $($column: $value,)* } }

        struct $row $(<$a>)? {
            $($column: $value,)*
        }

        impl $(<$a>)? $rows $(<$a>)? {
            fn push(&mut self, row: $row $(<$a>)?) {
                $($crate::tables::table::Growing::push(&mut self.$column, row.$column);)*
            }
        }
    };
}

pub(super) use table;
