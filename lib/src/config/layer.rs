//! One config file as it is written, before layers are put together.

use super::guard::GuardLayer;
use super::problem::{Problem, position};
use super::reader::{Field, Reader, parse};
use super::{Collective, Engineer, Origin, Profile, Share};
use crate::fs;
use crate::paths::{Paths, store_name};
use jsonc_parser::ast::Value;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Largest config file, in bytes.
const MAX: u64 = 1 << 20;

/// The keys of a config file.
const KEYS: &[&str] =
    &["collectives", "default", "engineers", "git_guard", "judge", "mesh", "migrate", "min_version", "off", "profile", "v"];

/// What a repository may set.
const REPO_KEYS: &[&str] = &["git_guard", "min_version", "off", "v"];

pub(super) const PROFILE: &[(&str, Profile)] = &[("ci", Profile::Ci), ("person", Profile::Person)];
const SHARE: &[(&str, Share)] = &[("local", Share::Local), ("team", Share::Team)];

/// What one file says.
#[derive(Default)]
pub(super) struct Layer {
    pub collectives: Vec<Collective>,
    pub default: Option<String>,
    pub engineers: Vec<Engineer>,
    pub guard: GuardLayer,
    pub judge: Option<String>,
    pub mesh: Option<String>,
    pub migrate: Option<String>,
    pub min_version: Option<String>,
    pub off: Vec<PathBuf>,
    /// `"off": true` of a repository.
    pub off_here: bool,
    pub profile: Option<Profile>,
}

/// Reads the file of one layer; `None` when there is none.
pub(super) fn read(paths: &Paths, file: &Path, from: Origin, problems: &mut Vec<Problem>) -> Option<Layer> {
    let bytes = match fs::read(file, MAX) {
        Ok(bytes) => bytes,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return None;
        }
        Err(e) if e.kind() == io::ErrorKind::FileTooLarge => {
            problems.push(Problem::whole(file, format!("expected at most {MAX} bytes")));
            return Some(Layer::default());
        }
        Err(e) => {
            problems.push(Problem::whole(file, format!("cannot be read: {e}")));
            return Some(Layer::default());
        }
    };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(e) => {
            let good = String::from_utf8_lossy(&bytes[..e.valid_up_to()]);
            let (line, column) = position(&good, good.len());
            problems.push(Problem { line, column, ..Problem::whole(file, "expected UTF-8") });
            return Some(Layer::default());
        }
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = match parse(file, text) {
        Ok(value) => value,
        Err(problem) => {
            problems.push(problem);
            return Some(Layer::default());
        }
    };
    let mut reader = Reader { errors: 0, file, paths, problems, text };
    Some(reader.layer(&value, from))
}

impl Reader<'_> {
    fn layer<'v>(&mut self, value: &'v Value<'v>, from: Origin) -> Layer {
        let root = self.root(value);
        let fields = self.object(&root);
        let mut layer = Layer::default();
        if let Some(v) = fields.iter().find(|f| f.name() == "v")
            && !matches!(v.value, Value::NumberLit(lit) if lit.value == "1")
        {
            // What a newer version means by its keys is not known: none is used.
            self.wrong(v, "1, since this program reads no newer version; nothing of this file is used");
            return layer;
        }
        for field in &fields {
            if from == Origin::Repo && KEYS.contains(&field.name()) && !REPO_KEYS.contains(&field.name()) {
                self.warn(field, "a repository may not set this; left out");
                continue;
            }
            match field.name() {
                "collectives" => layer.collectives = self.collectives(field),
                "default" => layer.default = self.text(field, "\"off\", \"repo\" or a collective's name"),
                "engineers" => layer.engineers = self.engineers(field),
                "git_guard" => {
                    let errors = self.errors;
                    let guard = self.guard(field, from);
                    // A part with a mistake is not used: half a policy is nobody's.
                    if self.errors == errors {
                        layer.guard = guard;
                    }
                }
                "judge" => layer.judge = self.section(field),
                "mesh" => layer.mesh = self.section(field),
                "migrate" => layer.migrate = self.word(field, &[("borg", ())]).map(|()| "borg".to_owned()),
                "min_version" => layer.min_version = self.version(field),
                "off" if from == Origin::Repo => layer.off_here = self.off_here(field),
                "off" => {
                    let elements = self.list(field);
                    layer.off = elements.iter().filter_map(|e| self.path(e)).collect();
                }
                "profile" => layer.profile = self.word(field, PROFILE),
                "v" => {}
                _ => self.unknown(field, if from == Origin::Repo { REPO_KEYS } else { KEYS }),
            }
        }
        layer
    }

    fn section(&mut self, field: &Field<'_>) -> Option<String> {
        if matches!(field.value, Value::Object(_)) {
            return Some(self.raw(field));
        }
        self.wrong(field, "an object");
        None
    }

    fn off_here(&mut self, field: &Field<'_>) -> bool {
        let off = self.boolean(field);
        if off == Some(false) {
            self.warn(field, "a repository may only say true; left out");
        }
        // What was meant to switch recording off must not leave it on.
        off.unwrap_or(true)
    }

    fn version(&mut self, field: &Field<'_>) -> Option<String> {
        let text = self.text(field, "a version like \"0.1.0\"")?;
        if super::version(&text).is_none() {
            self.wrong(field, "a version like \"0.1.0\"");
            return None;
        }
        Some(text)
    }

    fn collectives(&mut self, field: &Field<'_>) -> Vec<Collective> {
        let mut found: Vec<Collective> = Vec::new();
        for element in self.list(field) {
            let (mut name, mut paths, mut share) = (None, Vec::new(), Share::Team);
            for field in self.object(&element) {
                match field.name() {
                    "name" => name = self.text(&field, "a name"),
                    "paths" => {
                        let elements = self.list(&field);
                        paths = elements.iter().filter_map(|e| self.path(e)).collect();
                    }
                    "share" => share = self.word(&field, SHARE).unwrap_or(Share::Local),
                    _ => self.unknown(&field, &["name", "paths", "share"]),
                }
            }
            let Some(name) = name else {
                self.error(&element, "expected a key \"name\" with a text");
                continue;
            };
            let store = store_name(&name);
            if name == "off" || name == "repo" {
                self.error(&element, format!("\"{name}\" cannot be a collective's name"));
            } else if let Some(other) = found.iter().find(|c| c.store.eq_ignore_ascii_case(&store)) {
                let what = format!("expected a name that shares no folder with {:?}", other.name);
                self.error(&element, what);
            } else {
                found.push(Collective { name, paths, share, store });
            }
        }
        found
    }

    fn engineers(&mut self, field: &Field<'_>) -> Vec<Engineer> {
        let mut found: Vec<Engineer> = Vec::new();
        let mut seen = BTreeSet::new();
        for element in self.list(field) {
            let (mut name, mut emails) = (None, Vec::new());
            for field in self.object(&element) {
                match field.name() {
                    "name" => name = self.text(&field, "a name"),
                    "emails" => emails = self.texts(&field, "an address"),
                    _ => self.error(&field, "expected only the keys \"name\" and \"emails\""),
                }
            }
            for email in &mut emails {
                *email = email.trim().to_lowercase();
                if email.is_empty() || !seen.insert(email.clone()) {
                    self.error(&element, format!("expected each address once; {email:?} is empty or given twice"));
                }
            }
            match name {
                Some(name) if found.iter().all(|e| e.name != name) => found.push(Engineer { emails, name }),
                Some(name) => self.error(&element, format!("expected each name once; {name:?} is given twice")),
                None => self.error(&element, "expected a key \"name\" with a text"),
            }
        }
        found
    }
}
