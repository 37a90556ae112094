//! PostgreSQL's binary values as texts, written as its Java driver's objects write themselves.
//! The forms are those of PostgreSQL's own send functions (src/backend/utils/adt).

use std::error::Error;

use tokio_postgres::types::Type;

use crate::java;

type Fault = Box<dyn Error + Sync + Send>;

/// Days from 1970-01-01 to 2000-01-01, PostgreSQL's own beginning of time.
const EPOCH_DAYS: i64 = 10_957;
const DAY_US: i64 = 86_400_000_000;

/// A value's text.
pub fn text(kind: &Type, raw: &[u8]) -> Result<String, Fault> {
    Ok(match *kind {
        Type::BOOL => (raw.first() == Some(&1)).to_string(),
        Type::INT2 => i16::from_be_bytes(raw.try_into()?).to_string(),
        Type::INT4 => i32::from_be_bytes(raw.try_into()?).to_string(),
        Type::OID => u32::from_be_bytes(raw.try_into()?).to_string(),
        Type::INT8 => i64::from_be_bytes(raw.try_into()?).to_string(),
        Type::FLOAT4 => java::float(f32::from_be_bytes(raw.try_into()?)),
        Type::FLOAT8 => java::double(f64::from_be_bytes(raw.try_into()?)),
        Type::NUMERIC => numeric(raw)?,
        Type::DATE => date(i64::from(i32::from_be_bytes(raw.try_into()?))),
        Type::TIMESTAMP | Type::TIMESTAMPTZ => timestamp(i64::from_be_bytes(raw.try_into()?)),
        Type::TIME => time(i64::from_be_bytes(raw.try_into()?)),
        Type::UUID => uuid(raw),
        Type::JSONB => String::from_utf8_lossy(raw.get(1..).unwrap_or_default()).into_owned(),
        // Texts of all kinds, JSON, XML, enumerations; bytes are read as text, as JMeter does.
        _ => String::from_utf8_lossy(raw).into_owned(),
    })
}

/// Year, month and day of a day number, by the proleptic Gregorian calendar (Hinnant,
/// "chrono-compatible low-level date algorithms", `civil_from_days`). Not jiff's, whose calendar ends
/// with the year 9999: PostgreSQL's goes on to 5,874,897.
fn civil(days_since_1970: i64) -> (i64, i64, i64) {
    let z = days_since_1970 + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

fn date(days_since_2000: i64) -> String {
    let (year, month, day) = civil(days_since_2000 + EPOCH_DAYS);
    format!("{year:04}-{month:02}-{day:02}")
}

fn time(micros: i64) -> String {
    let seconds = micros / 1_000_000;
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

fn timestamp(micros_since_2000: i64) -> String {
    let day = micros_since_2000.div_euclid(DAY_US);
    let rest = micros_since_2000.rem_euclid(DAY_US);
    let seconds = format!("{} {}", date(day), time(rest));
    java::timestamp(&seconds, &format!("{:06}", rest % 1_000_000))
}

fn uuid(raw: &[u8]) -> String {
    let hex: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(
        "{}-{}-{}-{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32)
    )
}

/// Groups of four decimal digits, a weight, a sign and a scale.
fn numeric(raw: &[u8]) -> Result<String, Fault> {
    let word = |at: usize| -> Result<i16, Fault> {
        let bytes = raw.get(at * 2..at * 2 + 2).ok_or("a short numeric")?;
        Ok(i16::from_be_bytes(bytes.try_into()?))
    };
    let groups = usize::try_from(word(0)?)?;
    let weight = i64::from(word(1)?);
    let sign = word(2)?.cast_unsigned();
    let scale = usize::try_from(word(3)?)?;
    if sign == 0xC000 {
        return Ok("NaN".to_owned());
    }
    let group = |index: i64| match usize::try_from(index) {
        Ok(index) if index < groups => word(4 + index),
        _ => Ok(0),
    };
    let mut whole = String::new();
    for index in 0..=weight.max(-1) {
        whole.push_str(&format!("{:04}", group(index)?));
    }
    let whole = whole.trim_start_matches('0');
    let mut fraction = String::new();
    let mut index = weight + 1;
    while fraction.len() < scale {
        fraction.push_str(&format!("{:04}", group(index)?));
        index += 1;
    }
    fraction.truncate(scale);
    let sign = if sign == 0x4000 { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    Ok(match scale {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times() {
        assert_eq!(date(0), "2000-01-01");
        assert_eq!(date(-1), "1999-12-31");
        assert_eq!(date(8_826), "2024-03-01");
        assert_eq!(timestamp(0), "2000-01-01 00:00:00.0");
        assert_eq!(timestamp(-500_000), "1999-12-31 23:59:59.5");
    }

    #[test]
    fn decimals() {
        let of = |words: &[i16]| {
            let raw: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            numeric(&raw).unwrap()
        };
        assert_eq!(of(&[2, 0, 0, 2, 12, 3400]), "12.34");
        assert_eq!(of(&[1, 1, 0x4000, 0, 1]), "-10000");
        assert_eq!(of(&[1, -1, 0, 4, 5]), "0.0005");
        assert_eq!(of(&[0, 0, 0, 2]), "0.00");
    }
}
