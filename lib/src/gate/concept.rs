//! What code speaks of without saying it: `fn` is a function, `raise` an exception. Lessons are in words, edits in code.

/// Words of code, each with what it is called. Sorted.
const WORDS: &[(&str, &str)] = &[
    ("as", "cast alias"),
    ("assert", "assertion test"),
    ("async", "asynchronous await"),
    ("case", "match switch"),
    ("catch", "exception error handle"),
    ("class", "type"),
    ("clone", "copy"),
    ("console", "print debug output"),
    ("const", "constant"),
    ("def", "function method definition"),
    ("del", "delete"),
    ("else", "branch conditional"),
    ("enum", "type variant"),
    ("except", "exception error handle"),
    ("expect", "panic unwrap"),
    ("fn", "function method definition"),
    ("for", "loop iterate iteration"),
    ("function", "method definition"),
    ("if", "condition conditional statement"),
    ("impl", "implement trait"),
    ("import", "module"),
    ("lambda", "closure anonymous function"),
    ("match", "switch arm pattern"),
    ("mut", "mutable"),
    ("new", "constructor instance"),
    ("none", "null optional"),
    ("not", "negation logical"),
    ("null", "none optional"),
    ("print", "debug output"),
    ("pub", "public visibility"),
    ("raise", "exception throw error"),
    ("require", "import module"),
    ("return", "value result"),
    ("self", "method"),
    ("static", "constant"),
    ("struct", "type field"),
    ("switch", "match case"),
    ("this", "method object"),
    ("throw", "exception raise error"),
    ("try", "exception catch error handle"),
    ("undefined", "null optional"),
    ("unwrap", "panic expect"),
    ("use", "import module"),
    ("while", "loop iterate condition"),
];

/// Marks in code, each with what it is called.
const MARKS: &[(&str, &str)] = &[
    ("\"\"\"", "docstring documentation"),
    ("&&", "logical operator boolean"),
    ("&mut ", "mutable reference borrow"),
    ("+=", "increment assignment"),
    ("///", "documentation comment"),
    ("/**", "documentation comment"),
    ("==", "comparison equality compare equal"),
    ("!=", "comparison equality compare equal"),
    ("=>", "arrow function closure"),
    (" = ", "assignment assign variable"),
    (" % ", "modulo remainder format"),
    (" / ", "division divide"),
    (" < ", "comparison compare"),
    (" > ", "comparison compare"),
    (" as ", "cast conversion"),
    (".format(", "format string"),
    ("@", "decorator annotation"),
    ("[", "list array index"),
    ("{}", "empty block format"),
    ("||", "logical operator boolean"),
    ("\"", "string literal"),
    ("'", "string literal character"),
];

/// Gives what a piece of code speaks of, in words that may come twice.
pub fn concepts(code: &str, mut give: impl FnMut(&'static str)) {
    let mut seen = [false; WORDS.len()];
    for word in code.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| word.len() <= 12) {
        let at = match word {
            "None" => WORDS.binary_search_by_key(&"none", |(known, _)| known),
            _ => WORDS.binary_search_by_key(&word, |(known, _)| known),
        };
        if let Ok(at) = at
            && !std::mem::replace(&mut seen[at], true)
        {
            give(WORDS[at].1);
        }
    }
    MARKS.iter().filter(|(mark, _)| code.contains(mark)).for_each(|(_, words)| give(words));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(WORDS.is_sorted_by_key(|(word, _)| word));
    }

    #[test]
    fn code_says_what_it_is() {
        let mut all = String::new();
        concepts("def f(a):\n    raise X", |words| all += words);
        assert!(all.contains("function") && all.contains("exception"));
    }
}
