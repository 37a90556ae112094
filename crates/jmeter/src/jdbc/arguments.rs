//! The arguments of prepared statements, by the names of `java.sql.Types`.

use plimsoll_sql::{Argument, SqlError};

use super::failure::QueryFailure;

/// The text that stands for NULL, unless the property `jdbcsampler.nullmarker` names another.
pub(super) const NULL: &str = "]NULL[";

/// Reads arguments and their types, both separated by commas.
pub fn parse(arguments: &str, types: &str, null: &str) -> Result<Vec<Argument>, QueryFailure> {
    if arguments.trim().is_empty() {
        return Ok(Vec::new());
    }
    let values = split(arguments);
    // Java's split drops empty pieces at the end.
    let types: Vec<&str> = types.trim_end_matches(',').split(',').collect();
    if values.len() != types.len() {
        let message = format!(
            "number of arguments ({}) and number of types ({}) are not equal",
            values.len(),
            types.len()
        );
        return Err(sql(message).into());
    }
    values
        .into_iter()
        .zip(types)
        .map(|(value, kind)| argument(value, kind, null))
        .collect()
}

fn sql(message: String) -> SqlError {
    SqlError {
        class: "java.sql.SQLException",
        message,
        state: String::new(),
        code: 0,
    }
}

fn argument(value: String, kind: &str, null: &str) -> Result<Argument, QueryFailure> {
    // `IN varchar`, `varchar`: only callable statements have other directions.
    let kind = kind.split(' ').nth(1).unwrap_or(kind).to_ascii_lowercase();
    if value == null {
        return Ok(Argument::Null);
    }
    let not_a_number = |value: &str| {
        let message = format!("For input string: \"{value}\"");
        QueryFailure::Java("java.lang.NumberFormatException", message)
    };
    let within = |least: i64, most: i64| {
        let number = value
            .parse::<i64>()
            .ok()
            .filter(|n| (least..=most).contains(n));
        number
            .map(Argument::Whole)
            .ok_or_else(|| not_a_number(&value))
    };
    Ok(match kind.as_str() {
        "integer" => within(i32::MIN.into(), i32::MAX.into())?,
        "bigint" => within(i64::MIN, i64::MAX)?,
        "smallint" => within(i16::MIN.into(), i16::MAX.into())?,
        "tinyint" => within(i8::MIN.into(), i8::MAX.into())?,
        "double" | "float" | "real" => {
            Argument::Number(value.trim().parse().map_err(|_| not_a_number(&value))?)
        }
        "bit" | "boolean" => Argument::Truth(value.eq_ignore_ascii_case("true")),
        "binary" | "varbinary" | "longvarbinary" => Argument::Bytes(value.into_bytes()),
        "null" => Argument::Null,
        "decimal" | "numeric" if value.trim().parse::<f64>().is_err() => {
            return Err(not_a_number(&value));
        }
        "decimal" | "numeric" | "char" | "varchar" | "longvarchar" | "date" | "time"
        | "timestamp" | "nchar" | "nvarchar" | "clob" | "other" => Argument::Text(value),
        other if other.parse::<i64>().is_ok() => Argument::Text(value),
        other => return Err(sql(format!("Invalid data type: {other}")).into()),
    })
}

/// Splits a line of CSV: quotes enclose, doubled ones stand for themselves.
fn split(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let field = fields.last_mut();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.into_iter().for_each(|field| field.push('"'));
            }
            '"' if quoted => quoted = false,
            '"' if field.as_ref().is_some_and(|field| field.is_empty()) => quoted = true,
            ',' if !quoted => fields.push(String::new()),
            _ => field.into_iter().for_each(|field| field.push(c)),
        }
    }
    fields
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_types() {
        let read = |values: &str, types: &str| parse(values, types, NULL).ok().unwrap();
        assert_eq!(
            read(
                "7,\"a,b\",]NULL[,true,2.5",
                "INTEGER,IN varchar,date,BIT,DOUBLE"
            ),
            [
                Argument::Whole(7),
                Argument::Text("a,b".to_owned()),
                Argument::Null,
                Argument::Truth(true),
                Argument::Number(2.5),
            ]
        );
        assert_eq!(read("  ", "x"), []);
        assert!(parse("1,2", "integer", NULL).is_err());
        assert!(matches!(
            parse("x", "integer", NULL),
            Err(QueryFailure::Java(..))
        ));
        assert!(matches!(
            parse("x", "nonsense", NULL),
            Err(QueryFailure::Sql(_))
        ));
    }
}
