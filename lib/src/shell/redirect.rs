//! Redirections: what is read, what is written, where output goes.

use super::command::{HOLE, Redirect, RedirectKind, Stdin, Word};
use super::frame::Frame;
use super::machine::Machine;
use super::state::place;
use super::tree::{Redir, RedirOp};
use super::walk::{Framed, Walker};
use super::world::{Flow, World, Worlds, Written};

/// Where file descriptor 1 goes.
enum Out {
    Same,
    Lost,
    /// A file: its name, whether it is appended to.
    File(Option<String>, bool),
}

impl<'m, M: Machine> Walker<'m, M> {
    /// Runs `body` with redirections in force.
    pub fn redirected(
        &mut self,
        redirects: &[Redir],
        world: World<M::State>,
        frame: &Frame,
        body: Framed<'_, 'm, M>,
    ) -> Worlds<M::State> {
        if redirects.is_empty() {
            return body(self, world, frame);
        }
        let mut trees = redirects
            .iter()
            .flat_map(|redirect| std::iter::once(&redirect.target).chain(redirect.body.as_ref().and_then(|body| body.get())));
        let worlds = self.results(&mut trees, world, frame);
        self.each(worlds, &mut |walker, mut world| {
            let mut inner = walker.copy_frame(frame);
            let mut out = Out::Same;
            let mut may_fail = false;
            for redirect in redirects {
                if !walker.tick("") {
                    break;
                }
                may_fail |= walker.one_redirect(redirect, &mut world, &mut inner, &mut out);
            }
            world.results.clear();
            let mut outer = world.out.take();
            world.out = match out {
                Out::Same => outer.take(),
                Out::Lost => None,
                Out::File(..) => Some(String::new()),
            };
            let mut worlds = Vec::new();
            for mut world in body(walker, world, &inner) {
                let text = world.out.take();
                world.out = match &out {
                    Out::Same => text,
                    Out::Lost => walker.kept(&outer),
                    Out::File(name, append) => {
                        if let Some(name) = name
                            && !name.starts_with("/dev/")
                        {
                            let text = text.filter(|text| !text.contains(HOLE));
                            world.keep(name, text, *append);
                        }
                        walker.kept(&outer)
                    }
                };
                if may_fail && world.flow == Flow::Go && world.ok == Some(true) {
                    world.ok = None;
                }
                worlds.push(world);
            }
            worlds
        })
    }

    /// Applies one redirection; true if it may fail.
    fn one_redirect(&mut self, redirect: &Redir, world: &mut World<M::State>, frame: &mut Frame, out: &mut Out) -> bool {
        let input = redirect.fd.unwrap_or(0) == 0;
        match redirect.op {
            RedirOp::Here => {
                let text = match redirect.body.as_ref().and_then(|body| body.get()) {
                    Some(tree) => self.expander(world).single(&tree.parts),
                    None => String::new(),
                };
                if input {
                    frame.stdin = Stdin::Text(text);
                    frame.redirects.retain(|redirect| redirect.fd != 0);
                }
                return false;
            }
            RedirOp::HereString => {
                let mut text = self.expander(world).single(&redirect.target.parts);
                text.push('\n');
                if input {
                    frame.stdin = Stdin::Text(text);
                    frame.redirects.retain(|redirect| redirect.fd != 0);
                }
                return false;
            }
            _ => {}
        }
        let mut words = Vec::new();
        self.expander(world).fields(&redirect.target.parts, &mut words);
        let target = match words.len() {
            1 => words.remove(0),
            0 => Word::Literal(String::new()),
            _ => Word::Unknown(HOLE.to_string()),
        };
        let text = target.literal();
        let number = text.is_some_and(|text| text == "-" || text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit()));
        let (fd, kind) = match redirect.op {
            RedirOp::DupIn => {
                if input && text != Some("0") {
                    frame.stdin = Stdin::Unknown;
                }
                return false;
            }
            RedirOp::DupOut if number => {
                if redirect.fd.unwrap_or(1) == 1 && text != Some("1") {
                    *out = Out::Lost;
                    frame.redirects.retain(|redirect| redirect.fd != 1);
                }
                return false;
            }
            RedirOp::DupOut | RedirOp::Both => (redirect.fd.unwrap_or(1), RedirectKind::Write),
            RedirOp::Write => (redirect.fd.unwrap_or(1), RedirectKind::Write),
            RedirOp::Append | RedirOp::BothAppend => (redirect.fd.unwrap_or(1), RedirectKind::Append),
            RedirOp::ReadWrite => (redirect.fd.unwrap_or(0), RedirectKind::ReadWrite),
            _ => (redirect.fd.unwrap_or(0), RedirectKind::Read),
        };
        let path = text.and_then(|text| place(world.shell.cwd.as_deref(), text));
        if fd == 0 && matches!(kind, RedirectKind::Read | RedirectKind::ReadWrite) {
            frame.stdin = match path.as_deref() {
                Some("/dev/null") => Stdin::Text(String::new()),
                Some(path) => self.file_at(world, path).map_or(Stdin::Unknown, Stdin::Text),
                None => Stdin::Unknown,
            };
        }
        if fd == 1 && matches!(kind, RedirectKind::Write | RedirectKind::Append) {
            *out = Out::File(path.clone(), kind == RedirectKind::Append);
        }
        frame.redirects.push(Redirect { fd, kind, target });
        path.is_none_or(|path| !path.starts_with("/dev/"))
    }
}

impl<S> World<S> {
    /// The line wrote a file.
    pub fn keep(&mut self, path: &str, text: Option<String>, append: bool) {
        let files = self.files();
        let text = if append {
            match (files.get(path).map(Vec::as_slice), text) {
                (Some([Written::Text(Some(old))]), Some(text)) if old.len() + text.len() <= super::world::LONGEST => {
                    Some(format!("{old}{text}"))
                }
                _ => None,
            }
        } else {
            text
        };
        let mut written = vec![Written::Text(text)];
        if path.starts_with(HOLE) {
            // Another file of the same name, perhaps.
            written.push(Written::Text(None));
        }
        files.insert(path.to_owned(), written);
    }
}
