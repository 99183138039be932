//! `learn`: what waits is turned into lessons, each shown before it is stored.

use super::apply::{Change, change, episodes};
use super::draft::{Draft, Near, RUBRIC, prompt, schema};
use super::near::near;
use super::show;
use crate::episode::{Episode, Episodes, State};
use crate::ledger::Ledger;
use crate::lessons::{Place, said};
use crate::model::{self, Call as Asked};
use crate::settings::{Judge, Model};
use ah::cli::{Call, Cli};
use ah::clock::{self, Deadline, now_ms};
use ah::config::Config;
use ah::exit;
use ah::lesson::Lesson;
use ah::paths::Paths;
use ah::quote;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// What a person answers to a lesson.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Drop,
    No,
    Quit,
    Yes,
}

/// What all episodes of a run share.
struct Run<'a> {
    call: &'a Call,
    cli: &'a Cli,
    episodes: Episodes,
    paths: &'a Paths,
    place: Place,
    settings: Judge,
}

/// `learn [EPISODE] [--session ID] [--dry-run] [--yes]`, `learn EPISODE --question TEXT ...`, `learn EPISODE --drop`.
pub fn learn(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let Some(paths) = Paths::from_env() else { return Err(ExitCode::from(exit::UNAVAILABLE)) };
    let (config, _) = Config::load(paths, Some(&place.root));
    let episodes = Episodes::of(place.store.dir());
    let run = Run { call, cli, episodes, paths, place, settings: Judge::of(&config) };
    let id = match call.args.as_slice() {
        [] => None,
        [one] => Some(one.to_string_lossy()),
        _ => return Err(cli.usage_error("learn: expected one episode at most")),
    };
    let kept = run.episodes.read().map_err(|error| run.cannot("read the episodes", &error))?;
    let session = call.value("session").map(|id| id.to_string_lossy());
    let wanted = |e: &Episode| id.as_ref().is_none_or(|id| e.id == **id) && session.as_ref().is_none_or(|s| e.session == **s);
    let waiting: Vec<Episode> = kept.into_iter().filter(|k| k.state.is_none() && wanted(&k.episode)).map(|k| k.episode).collect();
    let by_hand = call.has("question") || call.has("drop");
    match (waiting.as_slice(), &id) {
        ([], Some(id)) => Err(exit::fail(cli.name, exit::NO, &format!("no such episode waits: {}", quote::line(id, 100)))),
        ([one], Some(_)) if call.has("drop") => run.close(one, State::Dropped, &[]).map(|()| ExitCode::SUCCESS),
        ([one], Some(_)) if by_hand => run.worded(one),
        (_, None) if by_hand => Err(cli.usage_error("learn: --question and --drop need the episode's ID")),
        ([], None) => {
            exit::print(cli.name, "nothing to learn from: no correction waits\n");
            Ok(ExitCode::SUCCESS)
        }
        (all, _) => run.all(all),
    }
}

impl Run<'_> {
    fn all(&self, waiting: &[Episode]) -> Result<ExitCode, ExitCode> {
        if matches!(self.settings.model, Model::Off | Model::Words) {
            for episode in waiting {
                exit::print(self.cli.name, &(show::episode(episode) + &show::by_hand(episode)));
            }
            let why = match self.settings.problems.first() {
                Some(problem) => format!("the settings have a mistake: {}", quote::line(problem, 200)),
                None => format!("the model is \"{}\", which words no lessons", self.settings.model.text()),
            };
            exit::print(self.cli.name, &format!("{} kept: {why} (ah-config(5): judge.model)\n", count(waiting.len())));
            return Ok(ExitCode::from(exit::NO));
        }
        let mut left = 0;
        for episode in waiting {
            exit::print(self.cli.name, &show::episode(episode));
            // What one episode taught, the next one meets in the store.
            let lessons = self.place.read(self.cli)?.live;
            // A run that was killed had stored it and not yet said so.
            if let Some(lesson) = lessons.iter().find(|lesson| episodes(lesson).contains(&episode.id)) {
                exit::print(self.cli.name, &format!("  learned     already, as {}\n", quote::line(&lesson.id, 100)));
                self.close(episode, State::Learned, std::slice::from_ref(&lesson.id))?;
                continue;
            }
            let change = match self.draft(episode, &lessons) {
                Ok(draft) => change(draft, episode, &lessons),
                Err(why) => {
                    left += 1;
                    exit::print(self.cli.name, &format!("  kept        {why}\n"));
                    continue;
                }
            };
            exit::print(self.cli.name, &show::change(&change));
            if self.call.has("dry-run") {
                continue;
            }
            match self.confirm() {
                Word::Yes => self.store(episode, &change)?,
                Word::Drop => self.close(episode, State::Dropped, &[])?,
                Word::No => left += 1,
                Word::Quit => return Ok(ExitCode::from(exit::NO)),
            }
        }
        if left > 0 && !self.call.has("yes") && !std::io::stdin().is_terminal() {
            exit::print(self.cli.name, "nothing was stored: there is no terminal to ask at; --yes stores without asking\n");
        }
        Ok(ExitCode::from(if left == 0 { exit::OK } else { exit::NO }))
    }

    /// What the model makes of an episode; one call.
    fn draft(&self, episode: &Episode, lessons: &[Lesson]) -> Result<Draft, String> {
        let near: Vec<Near> = near(episode, lessons);
        let asked = Asked {
            prompt: prompt(&model::word(), episode, &near),
            schema: schema(&near),
            // Each day's learning is a session of its own, and each try a turn.
            session: format!("learn-{}", &clock::utc(now_ms())[..10]),
            system: RUBRIC.to_owned(),
            turn: format!("{}:{}", episode.id, now_ms()),
            ..Asked::default()
        };
        let deadline = Deadline::after(self.settings.timeout);
        match model::call_structured(&self.settings, &asked, deadline, Some(self.paths)) {
            Ok((answer, _)) => Draft::read(&answer, &near).map_err(|what| format!("the model's answer is no use: {what}")),
            Err((reason, _)) => Err(format!("the model could not be asked: {}", reason.text)),
        }
    }

    fn confirm(&self) -> Word {
        if self.call.has("yes") {
            return Word::Yes;
        }
        if !std::io::stdin().is_terminal() {
            return Word::No;
        }
        loop {
            print!("  store it? [y]es, [n]ot now, [d]rop, [q]uit: ");
            let _ = std::io::stdout().flush();
            let mut line = String::new();
            if std::io::stdin().read_line(&mut line).is_ok_and(|n| n == 0) {
                return Word::Quit;
            }
            match line.trim() {
                "y" | "yes" => return Word::Yes,
                "n" | "no" => return Word::No,
                "d" | "drop" => return Word::Drop,
                "q" | "quit" => return Word::Quit,
                _ => {}
            }
        }
    }

    /// The lesson first: an episode that is learned from twice meets its own lesson.
    fn store(&self, episode: &Episode, change: &Change) -> Result<(), ExitCode> {
        if let Some(lesson) = &change.lesson {
            self.place.append(self.cli, std::slice::from_ref(lesson))?;
        }
        if let Some((kind, id)) = &change.corrected {
            let ledger =
                Ledger { log: self.place.store.outcomes_file(), repo: episode.repo.clone(), session: episode.session.clone() };
            let line = ledger.line(*kind, now_ms(), vec![id.clone()]);
            ledger.write(&[line]).map_err(|error| self.cannot("write the outcomes", &error))?;
        }
        let ids: Vec<String> = change.lesson.iter().map(|lesson| lesson.id.clone()).collect();
        self.close(episode, change.state, &ids)
    }

    /// A person words the lesson.
    fn worded(&self, episode: &Episode) -> Result<ExitCode, ExitCode> {
        let lessons = self.place.read(self.cli)?.live;
        let texts = said(self.cli, self.call)?;
        let change = change(Draft::New(texts), episode, &lessons);
        exit::print(self.cli.name, &(show::episode(episode) + &show::change(&change)));
        if !self.call.has("dry-run") {
            self.store(episode, &change)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn close(&self, episode: &Episode, state: State, ids: &[String]) -> Result<(), ExitCode> {
        self.episodes.close(&episode.id, state, ids).map_err(|error| self.cannot("write the episodes", &error))
    }

    fn cannot(&self, what: &str, error: &std::io::Error) -> ExitCode {
        let dir = quote::path(self.place.store.dir());
        exit::fail(self.cli.name, exit::CANNOT_CREATE, &format!("cannot {what}: {dir}: {error}"))
    }
}

fn count(n: usize) -> String {
    format!("{n} correction{}", if n == 1 { " is" } else { "s are" })
}
