//! Shells and worlds that become one: whatever either could do, the one can.

use super::alias;
use super::command::{EnvValue, HOLE};
use super::machine::{Machine, Start};
use super::state::{Hidden, Shell, Var};
use super::value::Value;
use super::walk::Walker;
use super::world::{Flow, World, Worlds};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Worlds followed at once.
const WORLDS: usize = 8;

/// Bodies of one function that are kept.
const BODIES: usize = 16;

impl<M: Machine> Walker<'_, M> {
    /// Lets no more than [`WORLDS`] worlds live.
    pub fn bound(&mut self, worlds: Worlds<M::State>) -> Worlds<M::State> {
        if worlds.len() <= 1 {
            return worlds;
        }
        let mut kept: Worlds<M::State> = Vec::with_capacity(worlds.len());
        for world in worlds {
            let copied = &self.copied;
            let twin = kept.iter_mut().find(|other| {
                other.flow == world.flow
                    && Rc::ptr_eq(&other.shell, &world.shell)
                    && Rc::ptr_eq(&other.files, &world.files)
                    && self.machine.same(&other.state, &world.state)
                    && {
                        // Long texts cost as much to compare as to copy.
                        copied.set(copied.get() + world.text_weight());
                        other.out == world.out && other.results == world.results
                    }
            });
            match twin {
                Some(twin) => {
                    twin.pipes = twin.pipes.max(world.pipes);
                    if twin.ok != world.ok {
                        twin.ok = None;
                    }
                }
                None => kept.push(world),
            }
        }
        while kept.len() > WORLDS {
            // Of the worlds that go the same way, the two latest with the same status become one.
            let last = kept.len() - 1;
            let pair = |same: &dyn Fn(usize, usize) -> bool| {
                (1..=last).rev().find_map(|late| (0..late).rev().find(|&early| same(early, late)).map(|early| (early, late)))
            };
            let alike = pair(&|one, two| kept[one].flow == kept[two].flow && kept[one].ok == kept[two].ok)
                .or_else(|| pair(&|one, two| kept[one].flow == kept[two].flow))
                .unwrap_or((last - 1, last));
            let late = kept.remove(alike.1);
            let early = kept.remove(alike.0);
            let merged = self.merge(early, late);
            kept.insert(alike.0, merged);
        }
        kept
    }

    pub fn merge(&mut self, mut one: World<M::State>, other: World<M::State>) -> World<M::State> {
        if !Rc::ptr_eq(&one.shell, &other.shell) {
            // Aliases are looked up, too, which costs more than copying them.
            self.copy(other.shell.weight() + 16 * (one.shell.aliases.len() + other.shell.aliases.len()));
            let start = self.start;
            if !one.shell().merge(&other.shell, start) {
                self.note("too many steps", "");
            }
        }
        one.pipes = one.pipes.max(other.pipes);
        if !Rc::ptr_eq(&one.files, &other.files) {
            self.copy(one.files.len() + other.files.len());
            one.merge_files(&other.files);
        }
        self.copy(other.text_weight());
        if one.out != other.out {
            one.out = Some(HOLE.to_string());
        }
        if one.results != other.results {
            one.results.clear();
        }
        if one.ok != other.ok {
            one.ok = None;
        }
        if one.flow != other.flow {
            one.flow = Flow::Go;
        }
        one.state = self.machine.merge(vec![one.state, other.state]);
        one
    }
}

impl Shell {
    /// Takes in what another shell could do; where the two differ nothing is known, or both are kept.
    ///
    /// False if there was too much to be kept.
    pub fn merge(&mut self, other: &Self, start: &Start) -> bool {
        let mut all = true;
        self.merge_aliases(other, start);
        for (name, target) in &other.refs {
            let mine = self.refs.entry(name.clone()).or_insert_with(|| target.clone());
            all &= mine == target;
        }
        for (name, var) in &other.vars {
            match self.vars.get_mut(name) {
                Some(mine) => either(mine, var),
                None => {
                    self.vars.insert(name.clone(), unlike(var));
                }
            }
        }
        for (name, var) in &mut self.vars {
            if !other.vars.contains_key(name) {
                *var = unlike(var);
            }
        }
        for (name, bodies) in &other.functions {
            let mine = self.functions.entry(name.clone()).or_insert_with(|| vec![None]);
            for body in bodies {
                if !mine.iter().any(|known| same(known.as_ref(), body.as_ref())) {
                    all &= mine.len() < BODIES;
                    if mine.len() < BODIES {
                        mine.push(body.clone());
                    }
                }
            }
        }
        for (name, bodies) in &mut self.functions {
            if !other.functions.contains_key(name) && !bodies.iter().any(Option::is_none) {
                bodies.push(None);
            }
        }
        if self.positional != other.positional {
            self.positional = vec![HOLE.to_string()];
        }
        if self.cwd != other.cwd {
            self.cwd = None;
        }
        if self.old != other.old {
            self.old = None;
        }
        if self.stack != other.stack {
            self.stack.clear();
        }
        if self.env != other.env {
            let env = Rc::make_mut(&mut self.env);
            for (name, value) in other.env.iter() {
                if env.get(name) != Some(value) {
                    env.insert(name.clone(), EnvValue::Unknown);
                }
            }
            for (name, value) in env.iter_mut() {
                if !other.env.contains_key(name) {
                    *value = EnvValue::Unknown;
                }
            }
        }
        for (mine, theirs) in self.locals.iter_mut().zip(&other.locals) {
            merge_hidden(mine, theirs);
        }
        match (&mut self.trap, &other.trap) {
            (Some(mine), Some(other)) if !mine.contains(other.as_str()) => {
                mine.push('\n');
                mine.push_str(other);
            }
            (None, Some(other)) => self.trap = Some(other.clone()),
            _ => {}
        }
        // Each flag the way in which more may run.
        self.errexit &= other.errexit;
        self.pipefail |= other.pipefail;
        self.expand_aliases |= other.expand_aliases;
        all
    }

    fn merge_aliases(&mut self, other: &Self, start: &Start) {
        if self.aliases == other.aliases {
            return;
        }
        let names: Vec<String> = self.aliases.keys().chain(other.aliases.keys()).cloned().collect();
        let mut all = BTreeMap::new();
        for name in names {
            let mut texts = self.alias_texts(&name, start);
            for text in other.alias_texts(&name, start) {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            all.insert(name, texts);
        }
        self.aliases = all;
    }

    fn alias_texts(&self, name: &str, start: &Start) -> Vec<Option<String>> {
        let texts = match self.aliases.get(name) {
            Some(texts) => texts.clone(),
            None => alias::lookup(name, self, start),
        };
        if texts.is_empty() { vec![None] } else { texts }
    }

    /// Whether all that `other` could do is among what this shell could do: merging it in would change nothing.
    pub fn covers(&self, other: &Self) -> bool {
        let open = |value: &Value| *value == Value::unknown();
        self.positional_covers(other)
            && (self.cwd.is_none() || self.cwd == other.cwd)
            && (self.old.is_none() || self.old == other.old)
            && (self.stack.is_empty() || self.stack == other.stack)
            && self.locals == other.locals
            && self.aliases == other.aliases
            && self.refs == other.refs
            && (!self.errexit || other.errexit)
            && (self.pipefail || !other.pipefail)
            && (self.expand_aliases || !other.expand_aliases)
            && other.trap.as_ref().is_none_or(|trap| self.trap.as_ref().is_some_and(|mine| mine.contains(trap.as_str())))
            && other.vars.iter().all(|(name, var)| {
                self.vars.get(name).is_some_and(|mine| {
                    mine == var || (open(&mine.value) && (mine.maybe || mine.exported == var.exported && !var.maybe))
                })
            })
            && self.vars.iter().all(|(name, mine)| open(&mine.value) || other.vars.contains_key(name))
            && other.functions.iter().all(|(name, bodies)| {
                self.functions
                    .get(name)
                    .is_some_and(|mine| bodies.iter().all(|body| mine.iter().any(|known| same(known.as_ref(), body.as_ref()))))
            })
            && self.functions.iter().all(|(name, mine)| other.functions.contains_key(name) || mine.iter().any(Option::is_none))
            && (Rc::ptr_eq(&self.env, &other.env)
                || self.env.iter().all(|(name, mine)| *mine == EnvValue::Unknown || other.env.get(name) == Some(mine))
                    && other.env.keys().all(|name| self.env.contains_key(name)))
    }

    fn positional_covers(&self, other: &Self) -> bool {
        self.positional == other.positional || matches!(self.positional.as_slice(), [all] if all == "\0")
    }
}

/// A variable that is set in one of two worlds, or differs.
fn unlike(var: &Var) -> Var {
    Var { value: Value::unknown(), exported: var.exported, maybe: var.maybe || var.exported }
}

fn either(mine: &mut Var, other: &Var) {
    if mine.value != other.value {
        mine.value = Value::unknown();
    }
    mine.maybe |= other.maybe || mine.exported != other.exported;
    mine.exported |= other.exported;
}

/// What two worlds hid with `local`: where only one did, what comes back is not known.
fn merge_hidden(mine: &mut Vec<Hidden>, theirs: &[Hidden]) {
    let lost = |name: &str| Hidden {
        name: name.to_owned(),
        var: Some(Var { value: Value::unknown(), exported: true, maybe: true }),
        env: Some(EnvValue::Unknown),
    };
    for hidden in mine.iter_mut() {
        if !theirs.contains(hidden) {
            *hidden = lost(&hidden.name);
        }
    }
    for hidden in theirs {
        if !mine.iter().any(|known| known.name == hidden.name) {
            mine.push(lost(&hidden.name));
        }
    }
}

fn same<T>(one: Option<&Rc<T>>, other: Option<&Rc<T>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}
