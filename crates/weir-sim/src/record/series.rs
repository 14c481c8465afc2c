use weir_types::Instant;

/// Values over time, one column per variable.
#[derive(Debug, Default)]
pub struct Series {
    /// Sampling instants in seconds.
    pub times: Vec<f64>,
    /// Component path and variable of each column.
    pub names: Vec<(String, &'static str)>,
    /// The columns, each as long as `times`.
    pub values: Vec<Vec<f64>>,
    /// Column of the next value.
    cursor: usize,
    /// Variables come and go in mid-run.
    varies: bool,
}

impl Series {
    /// No values yet; with `varies` of variables that come and go.
    pub(crate) fn new(varies: bool) -> Self {
        Self { varies, ..Self::default() }
    }

    /// Begins a sample at `now`. Its values follow in the same order every time, unless they vary.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.fill();
        self.times.push(now.as_secs_f64());
        self.cursor = 0;
    }

    /// Records the next value of the sample; infinity, such as a threshold before the first loss, as NaN.
    /// `component` is called at the first sample only.
    pub(crate) fn record(&mut self, component: impl FnOnce() -> String, variable: &'static str, value: f64) {
        let value = if value.is_infinite() { f64::NAN } else { value };
        if self.varies {
            return self.record_by_name(component(), variable, value);
        }
        if self.cursor == self.names.len() {
            self.names.push((component(), variable));
            self.values.push(Vec::new());
        }
        self.values[self.cursor].push(value);
        self.cursor += 1;
    }

    /// Records the next value of a variable that may be new.
    fn record_by_name(&mut self, component: String, variable: &'static str, value: f64) {
        let same = |(of, name): &(String, &'static str)| *name == variable && *of == component;
        let column = self.names.iter().position(same).unwrap_or_else(|| {
            self.names.push((component, variable));
            self.values.push(vec![f64::NAN; self.times.len() - 1]);
            self.values.len() - 1
        });
        self.values[column].push(value);
    }

    /// Variables that are not there now have no value, NaN.
    pub(crate) fn fill(&mut self) {
        if self.varies {
            for column in &mut self.values {
                column.resize(self.times.len(), f64::NAN);
            }
        }
    }
}
