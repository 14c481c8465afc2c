//! Queues that change in mid-run, in the tree of the file. A dotted key of an entry of `[[changes]]` sets one
//! value of the queue that is there at that time. The entry then holds the whole of that queue.
//!
//! ```toml
//! links.l.queue.red = { min_th = "5 packets", max_th = "15 packets" }
//! [[changes]]
//! at = "10 s"
//! links.l.queue.red.min_th = "9 packets"       # RED(9:15)
//! [[changes]]
//! at = "20 s"
//! links.l.queue.red = {}                       # RED with its defaults
//! ```

use std::collections::HashMap;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    overrides::{Value, choose, expanded, is_whole, key, set_within},
    problem::Problem,
    schema::Place,
    topology,
};

/// The queue of a link in one direction, by its path below the tree: `links.l.queue`, `links.l.reverse.queue`.
type Queues<'i> = HashMap<String, Value<'i>>;

/// A queue of an entry that dotted keys give: the number of the entry, the path of the queue below it, the discipline
/// of the keys, and the place they were written at.
type Dotted = (usize, String, String, usize);

/// Queues that entries give by dotted keys. The value is true if the entry, where it was written, sets a value of
/// the queue that is there. If not, it chooses another.
#[derive(Default)]
pub(crate) struct Held(HashMap<Dotted, bool>);

impl Held {
    /// Adds the entries of `tree` that were not there before.
    pub(crate) fn add(&mut self, text: &str, tree: &DeTable<'_>) {
        if tree.contains_key("changes") {
            for (dotted, before) in completed(text, &mut tree.clone()) {
                let sets = before == dotted.2;
                self.0.entry(dotted).or_insert(sets);
            }
        }
    }
}

/// Completes the queues of all entries, which are in the order of time.
///
/// # Errors
/// If an entry sets a value of a queue, and another has taken the place of that queue.
pub(crate) fn complete(text: &str, tree: &mut DeTable<'_>, held: &Held) -> Result<(), Problem> {
    for (dotted, before) in completed(text, tree) {
        let sets = held.0.get(&dotted).copied().unwrap_or_default();
        let (index, path, chosen, _) = dotted;
        Problem::unless(
            before == chosen || !sets,
            format!("changes[{index}].{path}.{chosen}"),
            format!("sets a value of {chosen}, and the queue is {before} then"),
            format!("take it out, as changes = [] does, or write the queue whole: {path}.{chosen} = {{ … }}"),
        )?;
    }
    Ok(())
}

/// Does so, and tells of each queue that dotted keys give the discipline that was there.
fn completed(text: &str, tree: &mut DeTable<'_>) -> Vec<(Dotted, String)> {
    let mut found = Vec::new();
    let Some(mut changes) = tree.remove("changes") else { return found };
    if let DeValue::Array(entries) = changes.get_mut() {
        let mut now = Queues::new();
        for (index, entry) in entries.iter_mut().enumerate() {
            *entry = expanded(text, entry);
            complete_entry(text, tree, entry, &mut now, |path, (place, before, chosen)| {
                found.push(((index, path, chosen, place), before));
            });
        }
    }
    tree.insert(key("changes", changes.span()), changes);
    found
}

/// The place of a queue that dotted keys give, the discipline that was there and that of the keys.
type Given = (usize, String, String);

fn complete_entry<'i>(
    text: &str,
    tree: &DeTable<'i>,
    entry: &mut Value<'i>,
    now: &mut Queues<'i>,
    mut found: impl FnMut(String, Given),
) {
    let Some(DeValue::Table(links)) = at(entry, "links") else { return };
    for (name, link) in links.iter_mut() {
        let own = format!("links.{}", name.get_ref());
        let path = topology::written(&own, |kind, name| {
            tree.get(kind).is_some_and(|entries| entries.get_ref().get(name).is_some())
        });
        if let Some(DeValue::Table(reverse)) = at(link, "reverse") {
            let given = complete_queue(text, tree, reverse, &format!("{path}.reverse.queue"), now);
            if let Some(given) = given {
                found(format!("{own}.reverse.queue"), given);
            }
        }
        if let DeValue::Table(forward) = link.get_mut() {
            let given = complete_queue(text, tree, forward, &format!("{path}.queue"), now);
            if let Some(given) = given {
                found(format!("{own}.queue"), given);
            }
        }
    }
}

fn at<'a, 'i>(table: &'a mut Value<'i>, name: &str) -> Option<&'a mut DeValue<'i>> {
    let DeValue::Table(table) = table.get_mut() else { return None };
    table.get_mut(name).map(Spanned::get_mut)
}

fn complete_queue<'i>(
    text: &str,
    tree: &DeTable<'i>,
    link: &mut DeTable<'i>,
    path: &str,
    now: &mut Queues<'i>,
) -> Option<Given> {
    let queue = link.get_mut("queue")?;
    let mut given = None;
    // Of two choices the reader of the tree makes an error.
    if let DeValue::Table(chosen) = queue.get_ref()
        && !is_whole(text, queue)
        && chosen.len() == 1
    {
        let place = path.split('.').fold(Place::root(), Place::below);
        let before = now.get(path).or_else(|| value(tree, path));
        let mut table = match before.map(Spanned::get_ref) {
            Some(DeValue::Table(table)) => table.clone(),
            _ => DeTable::new(),
        };
        let (name, value) = chosen.iter().next()?;
        // Braces give a queue whole.
        if !is_whole(text, value) {
            let before = table.keys().next().map_or("drop-tail", |before| before.get_ref());
            given = Some((queue.span().start, before.to_owned(), name.get_ref().to_string()));
        }
        // Another choice is dropped.
        choose(&mut table, name.get_ref());
        set_within(place, text, &mut table, &[name.get_ref()], value);
        *queue = Spanned::new(queue.span(), DeValue::Table(table));
    }
    now.insert(path.to_owned(), queue.clone());
    given
}

fn value<'a, 'i>(tree: &'a DeTable<'i>, path: &str) -> Option<&'a Value<'i>> {
    let (first, rest) = path.split_once('.')?;
    rest.split('.').try_fold(tree.get(first)?, |value, name| value.get_ref().as_table()?.get(name))
}
