//! Lessons for JavaScript.

use wasm_bindgen::prelude::*;
use weir_lesson::Lesson;

use crate::scenario::ScenarioError;

/// A lesson from its text in Markdown, as JSON; messages name `file`.
///
/// # Errors
/// If it is no lesson.
#[wasm_bindgen]
pub fn lesson(text: &str, file: &str) -> Result<String, ScenarioError> {
    Ok(serde_json::json!(Lesson::parse(file, text)?).to_string())
}
