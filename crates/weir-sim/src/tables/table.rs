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
    /// Several counts in each row.
    Integers(Lists<i64>),
    /// Several quantities in each row.
    Reals(Lists<f64>),
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
    codes: Vec<u32>,
}

impl Names {
    /// The names, in the order of their codes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The index of the name of each row.
    pub fn codes<T: TryFrom<u32>>(&self) -> Option<Vec<T>> {
        self.codes.iter().map(|code| T::try_from(*code).ok()).collect()
    }
}

/// A column with a list in each row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists<T> {
    /// Values of all rows, one list after another.
    pub values: Vec<T>,
    /// Length of the list in each row.
    pub lengths: Vec<u32>,
}

/// A column under construction.
pub(super) trait Growing<Value>: Default {
    fn push(&mut self, value: Value);

    fn finish(self) -> Column;
}

/// The column type for values of a type.
pub(super) trait Cell: Sized {
    type Column: Growing<Self>;
}

macro_rules! numbers {
    ($($number:ty: $column:ident $($lists:ident)?),*) => {$(
        impl Cell for $number {
            type Column = Vec<$number>;
        }

        impl Growing<$number> for Vec<$number> {
            fn push(&mut self, value: $number) {
                Self::push(self, value);
            }

            fn finish(self) -> Column {
                Column::$column(self)
            }
        }

        $(
            impl Cell for &[$number] {
                type Column = Lists<$number>;
            }

            impl Growing<&[$number]> for Lists<$number> {
                fn push(&mut self, list: &[$number]) {
                    self.values.extend_from_slice(list);
                    self.lengths.push(list.len() as u32);
                }

                fn finish(self) -> Column {
                    Column::$lists(self)
                }
            }
        )?
    )*};
}

numbers!(u32: Index, bool: Flag, i64: Integer Integers, f64: Real Reals);

/// A column of names under construction.
#[derive(Default)]
pub(super) struct Naming<'a> {
    known: HashMap<&'a str, u32>,
    names: Vec<&'a str>,
    codes: Vec<u32>,
}

impl<'a> Cell for &'a str {
    type Column = Naming<'a>;
}

impl<'a> Growing<&'a str> for Naming<'a> {
    fn push(&mut self, name: &'a str) {
        // Most rows have the name of the row before.
        let last = self.codes.last().filter(|code| self.names[**code as usize] == name).copied();
        let code = last.unwrap_or_else(|| {
            *self.known.entry(name).or_insert_with(|| {
                self.names.push(name);
                (self.names.len() - 1) as u32
            })
        });
        self.codes.push(code);
    }

    fn finish(self) -> Column {
        let names = self.names.into_iter().map(str::to_owned).collect();
        Column::Text(Names { names, codes: self.codes })
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
