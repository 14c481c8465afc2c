//! Queues that change in mid-run, in the tree of the file: a dotted key of an entry of `[[changes]]` sets one value of
//! the queue that is there at that time, and the entry then holds the whole of it.
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
    overrides::{Value, choose, is_whole, key, set_within},
    schema::Place,
    topology,
};

/// The queue of a link in one direction, by its path below the tree: `links.l.queue`, `links.l.reverse.queue`.
type Queues<'i> = HashMap<String, Value<'i>>;

/// Completes the queues of all entries, which are in the order of time.
pub(crate) fn complete(text: &str, tree: &mut DeTable<'_>) {
    let Some(mut changes) = tree.remove("changes") else { return };
    if let DeValue::Array(entries) = changes.get_mut() {
        let mut now = Queues::new();
        for entry in entries.iter_mut() {
            complete_entry(text, tree, entry, &mut now);
        }
    }
    tree.insert(key("changes", changes.span()), changes);
}

fn complete_entry<'i>(text: &str, tree: &DeTable<'i>, entry: &mut Value<'i>, now: &mut Queues<'i>) {
    let Some(DeValue::Table(links)) = at(entry, "links") else { return };
    for (name, link) in links.iter_mut() {
        let path = topology::written(&format!("links.{}", name.get_ref()), |kind, name| {
            tree.get(kind).is_some_and(|entries| entries.get_ref().get(name).is_some())
        });
        if let Some(DeValue::Table(reverse)) = at(link, "reverse") {
            complete_queue(text, tree, reverse, &format!("{path}.reverse.queue"), now);
        }
        if let DeValue::Table(forward) = link.get_mut() {
            complete_queue(text, tree, forward, &format!("{path}.queue"), now);
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
) {
    let Some(queue) = link.get_mut("queue") else { return };
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
        set_choice(place, text, &mut table, chosen);
        *queue = Spanned::new(queue.span(), DeValue::Table(table));
    }
    now.insert(path.to_owned(), queue.clone());
}

/// Sets what `queue`, dotted keys, says of its only choice in `table`: another one is dropped.
fn set_choice<'i>(place: Place, text: &str, table: &mut DeTable<'i>, queue: &DeTable<'i>) {
    let Some((name, value)) = queue.iter().next() else { return };
    choose(table, name.get_ref());
    set_within(place, text, table, &[name.get_ref()], value);
}

fn value<'a, 'i>(tree: &'a DeTable<'i>, path: &str) -> Option<&'a Value<'i>> {
    let (first, rest) = path.split_once('.')?;
    rest.split('.').try_fold(tree.get(first)?, |value, name| value.get_ref().as_table()?.get(name))
}
