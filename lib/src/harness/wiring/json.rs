//! Hooks in JSON settings: found with their place in the text, and put in as text, so that no other byte changes.

use super::{Entry, Found};
use crate::jsonc::{self, Error};
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::{Range as Place, Ranged};
use std::collections::HashSet;
use std::ops::Range;

/// How a file's author lays it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    newline: &'static str,
    unit: String,
}

impl Layout {
    /// The layout of a text: its line ends, and the indentation of its first indented line; two spaces where it has none.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let first_end = text.find('\n').unwrap_or(0);
        let newline = if first_end > 0 && text.as_bytes()[first_end - 1] == b'\r' { "\r\n" } else { "\n" };
        let blank = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let unit = text.lines().map(|line| &line[..blank(line)]).find(|indent| !indent.is_empty());
        let unit = unit.filter(|unit| unit.len() <= 16).unwrap_or("  ").to_owned();
        Self { newline, unit }
    }
}

/// Every hook in a text; what only `found` of the module above knows is left empty.
pub(super) fn found(text: &str, comments: bool) -> Result<Vec<Found>, Error> {
    let mut all = Vec::new();
    let tree = jsonc::tree(text, comments)?;
    let Some(hooks) = hooks(text, tree.as_ref())? else { return Ok(all) };
    for event in &hooks.properties {
        let name = event.name.as_str();
        for (group_at, group) in array(text, event)?.elements.iter().enumerate() {
            let Value::Object(group) = group else { continue };
            let Some(Value::Array(handlers)) = group.get("hooks").map(|prop| &prop.value) else { continue };
            for (at, handler) in handlers.elements.iter().enumerate() {
                let Value::Object(handler) = handler else { continue };
                all.push(Found {
                    event: name.to_owned(),
                    place: (group_at, at),
                    matcher: string(group, "matcher"),
                    kind: string(handler, "type").unwrap_or_default(),
                    command: string(handler, "command").unwrap_or_default(),
                    args: strings(handler, "args"),
                    timeout: handler.get_number("timeout").and_then(|number| number.value.parse().ok()),
                    block_on_failure: string(handler, "onFailure").is_some_and(|what| what == "block"),
                    group: group.range.start..group.range.end,
                    range: handler.range.start..handler.range.end,
                    ..Found::default()
                });
            }
        }
    }
    Ok(all)
}

/// What to put in where, so that `entries` stand in the text: each at the end of its event's list, which makes no
/// other hook's number another. Places ascend, and are those of the text as it is.
///
/// # Errors
/// The text is not JSON, or not of the shape that hooks have.
pub fn insert(text: &str, comments: bool, entries: &[Entry]) -> Result<Vec<(usize, String)>, Error> {
    let layout = Layout::of(text);
    let tree = jsonc::tree(text, comments)?;
    let mut events: Vec<(&str, Vec<Node>)> = Vec::new();
    for entry in entries {
        match events.iter_mut().find(|(name, _)| *name == entry.event) {
            Some((_, groups)) => groups.push(node(entry)),
            None => events.push((entry.event, vec![node(entry)])),
        }
    }
    let members =
        |events: Vec<(&'static str, Vec<Node>)>| events.into_iter().map(|(name, list)| (name, Node::List(list))).collect();
    let Some(root) = tree.as_ref() else {
        let all = Node::Map(vec![("hooks", Node::Map(members(events)))]);
        return Ok(vec![(text.len(), format!("{}{}", all.text(&layout, "", false), layout.newline))]);
    };
    let Some(hooks) = hooks(text, Some(root))? else {
        let Value::Object(root) = root else { return Err(shape(text, root, "an object")) };
        let spot = Spot::object(text, root, &layout);
        return Ok(vec![spot.put(&layout, &[("hooks", Node::Map(members(events)))])]);
    };
    let mut edits = Vec::new();
    let mut fresh = Vec::new();
    for (name, groups) in events {
        match hooks.get(name) {
            Some(event) => edits.push(Spot::array(text, array(text, event)?, &layout).put_all(&layout, groups)),
            None => fresh.push((name, Node::List(groups))),
        }
    }
    if !fresh.is_empty() {
        edits.push(Spot::object(text, hooks, &layout).put(&layout, &fresh));
    }
    // Of two at one place the inner comes first: an event's list ends before the object that holds it.
    edits.sort_by_key(|(at, _)| *at);
    Ok(edits)
}

/// The ranges of a text that hold some hooks, each with one comma: what is left empty goes too, group, event and all.
/// `gone` says which hooks, by event and place. The ranges ascend.
///
/// # Errors
/// As [`insert`].
pub fn cuts(text: &str, comments: bool, gone: &[(String, (usize, usize))]) -> Result<Vec<Range<usize>>, Error> {
    let tree = jsonc::tree(text, comments)?;
    let mut all = Vec::new();
    let Some(hooks) = hooks(text, tree.as_ref())? else { return Ok(all) };
    let mut events = Vec::new();
    for event in &hooks.properties {
        let is_gone =
            |group: usize, at: usize| gone.iter().any(|(name, place)| name == event.name.as_str() && *place == (group, at));
        let groups = array(text, event)?;
        let mut inner = Vec::new();
        let mut emptied = Vec::new();
        for (group_at, group) in groups.elements.iter().enumerate() {
            let handlers = group.as_object().and_then(|group| group.get_array("hooks"));
            let which: Vec<bool> =
                handlers.iter().flat_map(|list| 0..list.elements.len()).map(|at| is_gone(group_at, at)).collect();
            let all_gone = !which.is_empty() && which.iter().all(|gone| *gone);
            emptied.push(all_gone);
            if let (false, Some(handlers)) = (all_gone, handlers) {
                inner.extend(cut(&handlers.range, handlers.elements.iter().map(Ranged::range), &which));
            }
        }
        let all_gone = !emptied.is_empty() && emptied.iter().all(|gone| *gone);
        events.push(all_gone);
        if !all_gone {
            all.extend(inner);
            all.extend(cut(&groups.range, groups.elements.iter().map(Ranged::range), &emptied));
        }
    }
    match tree.as_ref().and_then(Value::as_object) {
        Some(root) if !events.is_empty() && events.iter().all(|gone| *gone) => {
            let which: Vec<bool> = root.properties.iter().map(|prop| prop.name.as_str() == "hooks").collect();
            all = cut(&root.range, root.properties.iter().map(Ranged::range), &which);
        }
        _ => all.extend(cut(&hooks.range, hooks.properties.iter().map(Ranged::range), &events)),
    }
    all.sort_by_key(|range| range.start);
    Ok(all)
}

/// The ranges that take the marked members out of what `whole` encloses, each with the comma that goes with it.
fn cut(whole: &Place, members: impl Iterator<Item = Place>, gone: &[bool]) -> Vec<Range<usize>> {
    let members: Vec<Place> = members.collect();
    let mut cuts = Vec::new();
    let mut at = 0;
    while at < members.len() {
        if !gone[at] {
            at += 1;
            continue;
        }
        let first = at;
        while at < members.len() && gone[at] {
            at += 1;
        }
        cuts.push(match (first, at < members.len()) {
            // All of them: the brackets close up.
            (0, false) => whole.start + 1..whole.end - 1,
            (0, true) => members[0].start..members[at].start,
            _ => members[first - 1].end..members[at - 1].end,
        });
    }
    cuts
}

/// The text that puts an entry in the place of a group that stands in `text`, in the layout of its neighbours.
#[must_use]
pub fn instead(text: &str, group: &Range<usize>, entry: &Entry) -> String {
    let compact = !text[group.clone()].contains('\n');
    node(entry).text(&Layout::of(text), indent(text, group.start), compact)
}

/// The object of hooks in a document.
fn hooks<'a, 'b>(text: &str, root: Option<&'b Value<'a>>) -> Result<Option<&'b Object<'a>>, Error> {
    let Some(root) = root else { return Ok(None) };
    let Value::Object(root) = root else { return Err(shape(text, root, "an object")) };
    once(text, root, Some("hooks"))?;
    match root.get("hooks").map(|prop| &prop.value) {
        None => Ok(None),
        Some(Value::Object(hooks)) => {
            once(text, hooks, None)?;
            Ok(Some(hooks))
        }
        Some(other) => Err(shape(text, other, "`hooks` to be an object")),
    }
}

/// Of a key given twice, readers of JSON take one and forget the other: which, nobody should have to know.
fn once(text: &str, object: &Object, only: Option<&str>) -> Result<(), Error> {
    let mut seen = HashSet::new();
    for prop in &object.properties {
        if only.is_none_or(|only| only == prop.name.as_str()) && !seen.insert(prop.name.as_str().to_owned()) {
            return Err(jsonc::wrong(text, prop.range.start, format!("key `{}` is given twice", prop.name.as_str())));
        }
    }
    Ok(())
}

fn array<'a, 'b>(text: &str, event: &'b ObjectProp<'a>) -> Result<&'b Array<'a>, Error> {
    match &event.value {
        Value::Array(list) => Ok(list),
        other => Err(shape(text, other, &format!("`{}` to be a list", event.name.as_str()))),
    }
}

fn shape(text: &str, value: &Value, wanted: &str) -> Error {
    jsonc::wrong(text, value.start(), format!("expected {wanted}"))
}

fn string(object: &Object, key: &str) -> Option<String> {
    object.get_string(key).map(|text| text.value.to_string())
}

fn strings(object: &Object, key: &str) -> Option<Vec<String>> {
    let texts = object.get_array(key)?.elements.iter();
    Some(texts.filter_map(|value| value.as_string_lit().map(|text| text.value.to_string())).collect())
}

/// A place in an object or list at which members can be put.
struct Spot<'a> {
    /// Where the text goes in.
    at: usize,
    /// Whether members stand before it.
    after: bool,
    /// The indentation of its members; `None` where all stand on one line.
    members: Option<String>,
    /// The indentation of its end, where that must be written too.
    end: Option<&'a str>,
}

impl<'a> Spot<'a> {
    fn object(text: &'a str, object: &Object, layout: &Layout) -> Self {
        let last = object.properties.last().map(|prop| (prop.range.start, prop.range.end));
        Self::of(text, (object.range.start, object.range.end), last, layout)
    }

    fn array(text: &'a str, array: &Array, layout: &Layout) -> Self {
        let last = array.elements.last().map(|value| (value.start(), value.end()));
        Self::of(text, (array.range.start, array.range.end), last, layout)
    }

    fn of(text: &'a str, (start, end): (usize, usize), last: Option<(usize, usize)>, layout: &Layout) -> Self {
        let own = indent(text, start);
        if let Some((from, to)) = last {
            let broken = text[start..from].contains('\n');
            return Self { at: to, after: true, members: broken.then(|| indent(text, from).to_owned()), end: None };
        }
        // Empty: what stands between the brackets stays behind what is put in.
        let closed = !text[start + 1..end - 1].contains('\n');
        Self { at: start + 1, after: false, members: Some(format!("{own}{}", layout.unit)), end: closed.then_some(own) }
    }

    fn put(&self, layout: &Layout, members: &[(&str, Node)]) -> (usize, String) {
        self.join(
            layout,
            members.iter().map(|(name, node)| (format!("\"{name}\":{}", if self.members.is_some() { " " } else { "" }), node)),
        )
    }

    fn put_all(&self, layout: &Layout, elements: Vec<Node>) -> (usize, String) {
        self.join(layout, elements.iter().map(|node| (String::new(), node)))
    }

    fn join<'n>(&self, layout: &Layout, members: impl Iterator<Item = (String, &'n Node)>) -> (usize, String) {
        let indent = self.members.as_deref();
        let mut text = String::new();
        for (at, (name, node)) in members.enumerate() {
            if self.after || at > 0 {
                text.push(',');
            }
            if let Some(indent) = indent {
                text.push_str(layout.newline);
                text.push_str(indent);
            }
            text.push_str(&name);
            text.push_str(&node.text(layout, indent.unwrap_or(""), indent.is_none()));
        }
        if let Some(end) = self.end {
            text.push_str(layout.newline);
            text.push_str(end);
        }
        (self.at, text)
    }
}

/// The white space at the head of the line on which a byte lies.
fn indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// What is to be written.
enum Node {
    /// JSON already, on one line.
    Line(String),
    List(Vec<Node>),
    Map(Vec<(&'static str, Node)>),
}

impl Node {
    fn text(&self, layout: &Layout, indent: &str, compact: bool) -> String {
        let (open, close, members): (char, char, Vec<(String, &Self)>) = match self {
            Self::Line(text) => return text.clone(),
            Self::List(list) => ('[', ']', list.iter().map(|node| (String::new(), node)).collect()),
            Self::Map(map) => {
                let space = if compact { "" } else { " " };
                ('{', '}', map.iter().map(|(name, node)| (format!("\"{name}\":{space}"), node)).collect())
            }
        };
        let inner = format!("{indent}{}", layout.unit);
        let mut text = String::from(open);
        for (at, (name, node)) in members.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            if !compact {
                text.push_str(layout.newline);
                text.push_str(&inner);
            }
            text.push_str(name);
            text.push_str(&node.text(layout, &inner, compact));
        }
        if !compact {
            text.push_str(layout.newline);
            text.push_str(indent);
        }
        text.push(close);
        text
    }
}

/// An entry as a group of one hook.
fn node(entry: &Entry) -> Node {
    let line = |text: &str| Node::Line(quoted(text));
    let mut handler = vec![("type", line("command")), ("command", line(&entry.command))];
    if let Some(args) = &entry.args {
        // A line each, as harnesses write them: what they rewrite is then the same text.
        handler.push(("args", Node::List(args.iter().map(|arg| line(arg)).collect())));
    }
    handler.push(("timeout", Node::Line(entry.timeout.to_string())));
    if entry.block_on_failure {
        handler.push(("onFailure", line("block")));
    }
    let mut group = Vec::new();
    if let Some(matcher) = entry.matcher {
        group.push(("matcher", line(matcher)));
    }
    group.push(("hooks", Node::List(vec![Node::Map(handler)])));
    Node::Map(group)
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
