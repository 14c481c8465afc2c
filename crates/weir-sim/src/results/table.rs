use std::collections::HashMap;

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers of runs.
    Index(Vec<u32>),
    /// Names.
    Text(Names),
    /// Counts.
    Integer(Vec<i64>),
    /// Quantities; NaN where a measure is not defined, as a delay where no packet left.
    Real(Vec<f64>),
}

/// Columns of equal length, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The columns, in order.
    pub columns: Vec<(&'static str, Column)>,
}

/// A column of few names that are repeated often: each name once, and a code for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Names {
    names: Vec<String>,
    /// Codes with the number of rows for which each stands.
    spans: Vec<(u32, usize)>,
}

impl Names {
    /// The names, in the order of their codes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Row by row, the place of its name among the names.
    pub fn codes<T: TryFrom<u32> + Copy>(&self) -> Option<Vec<T>> {
        let mut codes = Vec::with_capacity(self.spans.iter().map(|(_, rows)| rows).sum());
        for (code, rows) in &self.spans {
            codes.resize(codes.len() + rows, T::try_from(*code).ok()?);
        }
        Some(codes)
    }
}

/// A column in the making, of values of one type.
pub(super) trait Growing<Value>: Default {
    fn push(&mut self, value: Value);

    /// The same value for so many rows.
    fn push_rows(&mut self, value: Value, rows: usize);

    fn finish(self) -> Column;
}

/// What values of a type are gathered in.
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

numbers!(u32: Index, i64: Integer, f64: Real);

/// Names in the making.
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

/// Declares the columns of a table once: what gathers them and, with `of`, a type for one row.
macro_rules! table {
    ($rows:ident $(<$a:lifetime>)? { $($column:ident: $value:ty,)* }) => {
        #[derive(Default)]
        pub(super) struct $rows $(<$a>)? {
            $($column: <$value as $crate::results::table::Cell>::Column,)*
        }

        impl $(<$a>)? $rows $(<$a>)? {
            pub(super) fn finish(self) -> $crate::Table {
                let columns =
                    vec![$((stringify!($column), $crate::results::table::Growing::finish(self.$column)),)*];
                $crate::Table { columns }
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
                $($crate::results::table::Growing::push(&mut self.$column, row.$column);)*
            }
        }
    };
}

pub(super) use table;
