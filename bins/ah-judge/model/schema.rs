//! The form of a reply, as a JSON schema that every interface takes.
//!
//! Each object closed and all of it required (OpenAI, Anthropic), enumerations instead of bounds, no lengths: a
//! grammar made of those can fail to compile, and some servers then answer without any. It is text and no value,
//! since models write in the order in which the schema names things: the reason comes before the grade.

/// The schema for a question about `ids`, with verdicts on `pending` where there are any.
#[must_use]
pub fn of(ids: &[String], pending: &[String]) -> String {
    let applies = list(
        ids,
        &[
            ("why", r#"{"type":"string","description":"at most 20 words: what in the work shows it"}"#),
            ("grade", r#"{"type":"integer","enum":[1,2,3]}"#),
        ],
    );
    let mut properties = vec![("moves", r#"{"type":"array","items":{"type":"string"}}"#), ("applies", &*applies)];
    let resolved;
    if !pending.is_empty() {
        let verdict = r#"{"type":"string","enum":["changed","unchanged","unclear"]}"#;
        resolved = list(pending, &[("verdict", verdict), ("avoids_consequence", r#"{"type":"boolean"}"#)]);
        properties.push(("resolved", &resolved));
    }
    object(&properties)
}

/// The same with a bound on each list: a small model that is held to a form may fill a list for ever. Not for interfaces
/// that refuse such a bound.
#[must_use]
pub fn bounded(schema: &str) -> String {
    schema.replace(r#"{"type":"array","#, r#"{"type":"array","maxItems":12,"#)
}

/// A list of objects, each with the id of one of `ids` first.
fn list(ids: &[String], rest: &[(&str, &str)]) -> String {
    // An enumeration may not be empty.
    let none = ["none".to_owned()];
    let ids = serde_json::to_string(if ids.is_empty() { &none[..] } else { ids }).unwrap_or_default();
    let id = format!(r#"{{"type":"string","enum":{ids}}}"#);
    let mut properties = vec![("id", &*id)];
    properties.extend(rest);
    format!(r#"{{"type":"array","items":{}}}"#, object(&properties))
}

/// A closed object with all of these properties.
fn object(properties: &[(&str, &str)]) -> String {
    let names: Vec<_> = properties.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let schemas: Vec<_> = properties.iter().map(|(name, schema)| format!("\"{name}\":{schema}")).collect();
    let (names, schemas) = (names.join(","), schemas.join(","));
    format!(r#"{{"type":"object","additionalProperties":false,"required":[{names}],"properties":{{{schemas}}}}}"#)
}

#[cfg(test)]
mod tests {
    use super::{bounded, of};
    use serde_json::{Value, json};

    #[test]
    fn ids_are_an_enumeration_and_the_reason_comes_first() {
        let text = of(&["L\"1".into(), "L2".into()], &["L3".into()]);
        let schema: Value = serde_json::from_str(&text).unwrap();
        let id = |list: &str| schema["properties"][list]["items"]["properties"]["id"]["enum"].clone();
        assert_eq!((id("applies"), id("resolved")), (json!(["L\"1", "L2"]), json!(["L3"])));
        assert_eq!(schema["required"], json!(["moves", "applies", "resolved"]));
        assert!(text.find("\"why\":") < text.find("\"grade\":") && text.find("\"moves\":") < text.find("\"applies\":"));
        let held: Value = serde_json::from_str(&bounded(&text)).unwrap();
        assert_eq!(
            (&held["properties"]["moves"]["maxItems"], &held["properties"]["resolved"]["maxItems"]),
            (&json!(12), &json!(12))
        );
        let none: Value = serde_json::from_str(&of(&[], &[])).unwrap();
        assert_eq!(none["properties"]["applies"]["items"]["properties"]["id"]["enum"], json!(["none"]));
        assert_eq!(none["required"], json!(["moves", "applies"]));
    }
}
