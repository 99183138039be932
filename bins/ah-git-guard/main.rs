//! Stops commands that would lose a person's work. Manual: ah-git-guard(1).

#![forbid(unsafe_code)]

fn main() {}
