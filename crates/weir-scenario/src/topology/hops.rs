//! Short forms: links in a row and a group of flows for each of them, from one table each.
//!
//! ```toml
//! links.hop.hops = 3               # hop1, hop2, hop3
//! flows.cross.each_hop_of = "hop"  # cross1 over hop1, cross2 over hop2, cross3 over hop3
//! ```
//!
//! A change in mid-run that names `hop` or `cross` changes all of them.

use indexmap::IndexMap;

use crate::{FlowGroup, Scenario, problem::Problem};

/// The most links of one row.
const LONGEST: u32 = 1000;

impl Scenario {
    /// Writes rows of links out, and the flows of each.
    pub(crate) fn write_out_hops(&mut self) -> Result<(), Problem> {
        let groups = self.write_out_groups()?;
        if self.links.values().all(|link| link.hops.is_none()) {
            return Ok(());
        }
        for (name, link) in &self.links {
            let path = format!("links.{name}");
            let Some(hops) = link.hops else { continue };
            Problem::unless(
                (1..=LONGEST).contains(&hops),
                format!("{path}.hops"),
                format!("{hops} is no number of links in a row"),
                format!("write a number from 1 to {LONGEST}"),
            )?;
            Problem::unless(
                link.from.is_none() && link.to.is_none(),
                format!("{path}.hops"),
                "a row of links with the nodes of one",
                "write the links out, each with from and to, or leave from and to out",
            )?;
            let taken = row(name, hops).find(|name| self.links.contains_key(name));
            if let Some(taken) = taken {
                return Err(Problem::new(
                    format!("{path}.hops"),
                    format!("the row has a link \"{taken}\", and there is another of this name"),
                    "give one of them another name",
                ));
            }
        }
        for group in self.flows.values_mut() {
            let reversed = group.upload;
            for (way, reversed) in [(&mut group.path, reversed), (&mut group.ack_path, false)] {
                let hops = |name: &String| self.links.get(name).and_then(|link| link.hops);
                if way.iter().any(|name| hops(name).is_some()) {
                    let whole = std::mem::take(way).into_iter().flat_map(|name| {
                        let mut names: Vec<_> = match hops(&name) {
                            Some(hops) => row(&name, hops).collect(),
                            None => vec![name],
                        };
                        if reversed {
                            names.reverse();
                        }
                        names
                    });
                    *way = whole.collect();
                }
            }
        }
        for (index, change) in self.changes.iter_mut().enumerate() {
            let hops = |name: &str| self.links.get(name).and_then(|link| link.hops);
            write_out(&mut change.links, &format!("changes[{index}].links"), hops)?;
            write_out(&mut change.flows, &format!("changes[{index}].flows"), |name| {
                groups.get(name).copied()
            })?;
        }
        let mut links = IndexMap::new();
        for (name, mut link) in std::mem::take(&mut self.links) {
            match link.hops.take() {
                Some(hops) => links.extend(row(&name, hops).map(|name| (name, link.clone()))),
                None => {
                    links.insert(name, link);
                }
            }
        }
        self.links = links;
        Ok(())
    }

    /// A group for each link of a row. Returns how many groups each became.
    fn write_out_groups(&mut self) -> Result<IndexMap<String, u32>, Problem> {
        let mut written = IndexMap::new();
        if self.flows.values().all(|group| group.each_hop_of.is_none()) {
            return Ok(written);
        }
        let mut flows: IndexMap<String, FlowGroup> = IndexMap::new();
        for (name, group) in &self.flows {
            let path = format!("flows.{name}.each_hop_of");
            let Some(of) = &group.each_hop_of else {
                flows.insert(name.clone(), group.clone());
                continue;
            };
            let Some(hops) = self.links.get(of).and_then(|link| link.hops) else {
                let rows: Vec<_> = self
                    .links
                    .iter()
                    .filter(|(_, link)| link.hops.is_some())
                    .map(|(name, _)| &**name)
                    .collect();
                return Err(Problem::new(
                    path,
                    format!("\"{of}\" is no row of links"),
                    if rows.is_empty() {
                        format!("write for example links.{of}.hops = 3")
                    } else {
                        format!("rows: {}", rows.join(", "))
                    },
                ));
            };
            Problem::unless(
                group.path.is_empty()
                    && group.ack_path.is_empty()
                    && group.from.is_none()
                    && group.to.is_none(),
                &path,
                "each group takes its own link of the row, and no other",
                "leave path, ack_path, from and to out",
            )?;
            let links = row(of, hops.min(LONGEST));
            written.insert(name.clone(), hops);
            for (link, one) in links.zip(row(name, hops)) {
                Problem::unless(
                    !self.flows.contains_key(&one),
                    &path,
                    format!("the row has a group \"{one}\", and there is another of this name"),
                    "give one of them another name",
                )?;
                let group = FlowGroup { path: vec![link], each_hop_of: None, ..group.clone() };
                flows.insert(one, group);
            }
        }
        self.flows = flows;
        Ok(written)
    }
}

/// Changes of a whole row become the same change of each in it.
fn write_out<T: Clone>(
    changes: &mut IndexMap<String, T>,
    path: &str,
    hops: impl Fn(&str) -> Option<u32>,
) -> Result<(), Problem> {
    if changes.keys().all(|name| hops(name).is_none()) {
        return Ok(());
    }
    let mut each = IndexMap::new();
    for (name, change) in std::mem::take(changes) {
        let names: Vec<_> = match hops(&name) {
            Some(hops) => row(&name, hops).collect(),
            None => vec![name],
        };
        for name in names {
            Problem::unless(
                !each.contains_key(&name),
                format!("{path}.{name}"),
                "this change names the row and one of it",
                "write the row, or each of it",
            )?;
            each.insert(name, change.clone());
        }
    }
    *changes = each;
    Ok(())
}

/// The names of a row.
fn row(name: &str, hops: u32) -> impl Iterator<Item = String> {
    (1..=hops).map(move |number| format!("{name}{number}"))
}

/// The path as the file has it, where `exists` says whether there is such a link or group: what is
/// written out from `links.hop` is called `links.hop2`.
pub(crate) fn written(path: &str, exists: impl Fn(&str, &str) -> bool) -> String {
    let mut parts = path.splitn(3, '.');
    let (Some(kind @ ("links" | "flows")), Some(name)) = (parts.next(), parts.next()) else {
        return path.to_owned();
    };
    let short = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if short == name || exists(kind, name) || !exists(kind, short) {
        return path.to_owned();
    }
    let rest = parts.next().map(|rest| format!(".{rest}")).unwrap_or_default();
    format!("{kind}.{short}{rest}")
}

/// Name of the first link or group of a row that is written out from the short form in `path`.
pub(crate) fn first_written_out(path: &str) -> Option<String> {
    let mut parts = path.splitn(3, '.');
    let (kind, name) = (parts.next()?, parts.next()?);
    let rest = parts.next().map(|rest| format!(".{rest}")).unwrap_or_default();
    matches!(kind, "links" | "flows").then(|| format!("{kind}.{name}1{rest}"))
}
