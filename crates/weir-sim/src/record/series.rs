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
}

impl Series {
    /// Begins a sample at `now`. Its values follow in the same order every time.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.times.push(now.as_secs_f64());
        self.cursor = 0;
    }

    /// Records the next value of the sample; infinity, such as a threshold before the first loss, as NaN.
    /// `component` is called at the first sample only.
    pub(crate) fn record(&mut self, component: impl FnOnce() -> String, variable: &'static str, value: f64) {
        if self.cursor == self.names.len() {
            self.names.push((component(), variable));
            self.values.push(Vec::new());
        }
        self.values[self.cursor].push(if value.is_infinite() { f64::NAN } else { value });
        self.cursor += 1;
    }
}
