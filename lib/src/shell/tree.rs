//! The syntax tree of a shell text.

use std::cell::OnceCell;
use std::rc::Rc;

/// Commands in order.
#[derive(Debug, Default)]
pub(super) struct List {
    pub items: Vec<AndOr>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub(super) struct AndOr {
    pub first: Pipeline,
    pub rest: Vec<(Joint, Pipeline)>,
    /// Ended by `&`: it runs in a shell of its own.
    pub background: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    And,
    Or,
}

/// Commands joined by `|`.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub negated: bool,
    pub stages: Vec<Node>,
}

/// One command with the redirections behind it.
#[derive(Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub redirects: Vec<Redir>,
    pub span: (usize, usize),
}

#[derive(Debug)]
pub(super) enum Kind {
    Simple(Simple),
    Subshell(List),
    Group(List),
    If {
        arms: Vec<(List, List)>,
        other: Option<List>,
    },
    Loop {
        until: bool,
        cond: List,
        body: List,
    },
    For {
        name: String,
        /// `None`: the positional parameters.
        words: Option<Vec<WordTree>>,
        body: List,
        select: bool,
    },
    ArithFor {
        header: WordTree,
        body: List,
    },
    Case {
        word: WordTree,
        arms: Vec<Arm>,
    },
    Function {
        name: String,
        body: Rc<Node>,
    },
    /// `[[ ... ]]`: its words, operators among them.
    Test(Vec<WordTree>),
    /// `(( ... ))`
    Arith(WordTree),
    Coproc(Box<Node>),
}

#[derive(Debug)]
pub(super) struct Arm {
    pub patterns: Vec<WordTree>,
    pub body: List,
    pub next: Next,
}

/// What comes behind an arm of `case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// `;;`: nothing.
    Leave,
    /// `;&`: the next arm, whatever its patterns.
    Fall,
    /// `;;&`: the patterns of the later arms.
    Look,
}

#[derive(Debug, Default)]
pub(super) struct Simple {
    pub assigns: Vec<Assign>,
    pub words: Vec<WordTree>,
    /// Assignments behind `declare`, `export` and the like, in place of arguments.
    pub declares: Vec<Assign>,
}

#[derive(Debug)]
pub(super) struct Assign {
    pub name: String,
    pub index: Option<WordTree>,
    pub append: bool,
    pub value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Word(WordTree),
    /// `(a b [2]=c)`: subscript and word.
    Array(Vec<(Option<WordTree>, WordTree)>),
}

/// A word before expansion.
#[derive(Debug, Default)]
pub(super) struct WordTree {
    pub parts: Vec<Part>,
    /// A substitution runs somewhere inside.
    pub runs: bool,
}

impl WordTree {
    /// The text, if nothing in the word is quoted or expanded.
    pub fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) enum Part {
    /// Unquoted text: braces, patterns and a leading tilde are alive.
    Text(String),
    /// Quoted text.
    Quoted(String),
    Param(Box<Param>, bool),
    /// `$(..)`, backquotes, `${ ..; }`; quoted or not.
    Command(Rc<List>, bool),
    Arith(Vec<Part>),
    /// `<(..)`, `>(..)` when the flag is set.
    Process(Rc<List>, bool),
    /// A part of a text that was itself not known.
    Hole,
}

#[derive(Debug)]
pub(super) struct Param {
    pub name: String,
    pub index: Option<Vec<Part>>,
    /// `${!name}`
    pub indirect: bool,
    /// `${#name}`
    pub length: bool,
    pub op: Op,
}

#[derive(Debug)]
pub(super) enum Op {
    None,
    /// `-`, `=`, `?`, `+`; `colon`: an empty value counts as unset.
    Test {
        sign: u8,
        colon: bool,
        word: Vec<Part>,
    },
    /// `#`, `##`, `%`, `%%`
    Trim {
        suffix: bool,
        longest: bool,
        pattern: Vec<Part>,
    },
    Replace {
        all: bool,
        /// `#`, `%` or 0.
        anchor: u8,
        pattern: Vec<Part>,
        with: Vec<Part>,
    },
    Substring {
        offset: Vec<Part>,
        length: Option<Vec<Part>>,
    },
    /// `^`, `^^`, `,`, `,,`
    Case {
        upper: bool,
        all: bool,
    },
    /// `@Q`: quoted, so that a shell reads it as one word again.
    Quote,
    /// Anything else: the parts may run substitutions, the result is not known.
    Other(Vec<Part>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RedirOp {
    Read,
    Write,
    Append,
    ReadWrite,
    /// `&>`, `&>>`
    Both,
    BothAppend,
    DupIn,
    DupOut,
    Here,
    HereString,
}

#[derive(Debug)]
pub(super) struct Redir {
    pub fd: Option<u32>,
    pub op: RedirOp,
    pub target: WordTree,
    /// The body of a here-document, filled in at the end of its line.
    pub body: Option<Rc<OnceCell<WordTree>>>,
}
