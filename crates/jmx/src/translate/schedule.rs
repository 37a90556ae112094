//! The schedule language of JMeter's Open Model Thread Group (JMeter 5.6.3, package
//! `threads.openmodel`): `rate(2/sec) random_arrivals(1 min) pause(5 s) rate(3/sec)`.

use plimsoll_plan::model::{Rate, RateStage, Spacing};
use plimsoll_text::Message;

/// A schedule, read.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadSchedule {
    /// The stages, each with how its arrivals lie.
    pub stages: Vec<(RateStage, Spacing)>,
}

/// Reads a schedule.
///
/// # Errors
/// What is not understood, with its place in the text.
pub fn parse(text: &str) -> Result<ThreadSchedule, Message> {
    // A plain number means that many arrivals within a second, and an hour to finish.
    if let Ok(count) = text.trim().parse::<u32>() {
        let (count, nothing) = (rate(f64::from(count)), rate(0.0));
        let second = arrivals(count, count, 1.0);
        let end = arrivals(nothing, nothing, 3600.0);
        let stages = vec![(second, Spacing::Constant), (end, Spacing::Constant)];
        return Ok(ThreadSchedule { stages });
    }
    let mut reader = ScheduleReader {
        tokens: tokens(text)?,
        next: 0,
        text,
    };
    let mut steps = Vec::new();
    while reader.next < reader.tokens.len() {
        reader.step(&mut steps)?;
    }
    Ok(ThreadSchedule {
        stages: stages(&steps),
    })
}

/// Arrivals begin with the rate before them and end with the one that follows directly.
fn stages(steps: &[ScheduleStep]) -> Vec<(RateStage, Spacing)> {
    let mut rate = rate_in(0.0, 1.0);
    let mut stages = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        match step {
            ScheduleStep::Rate(to) => rate = *to,
            ScheduleStep::Arrivals(spacing, seconds) => {
                let to = match steps.get(index + 1) {
                    Some(ScheduleStep::Rate(to)) => *to,
                    _ => rate,
                };
                stages.push((arrivals(rate, to, *seconds), *spacing));
            }
        }
    }
    stages
}

fn arrivals(from: Rate, to: Rate, seconds: f64) -> RateStage {
    RateStage {
        from,
        to,
        lasts: super::loads::seconds(seconds),
        spacing: None,
    }
}

/// A rate a second, exact to a millionth.
pub(crate) fn rate(per_second: f64) -> Rate {
    rate_in(per_second, 1.0)
}

/// So many arrivals in so many seconds, the number exact to a millionth and the time to a
/// nanosecond.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Float casts saturate.
fn rate_in(number: f64, seconds: f64) -> Rate {
    const MILLION: u128 = 1_000_000;
    let mut arrivals = (number * 1e6).round() as u64;
    let mut per_ns = ((seconds * 1e9).round() as u128).max(1) * MILLION;
    let shared = greatest_divisor(arrivals.into(), per_ns);
    per_ns /= shared;
    arrivals = u64::try_from(u128::from(arrivals) / shared).unwrap_or(u64::MAX);
    // A day's nanoseconds with six places after the point are too many for 64 bits.
    while per_ns > u128::from(u64::MAX) {
        (arrivals, per_ns) = (arrivals / 2, per_ns / 2);
    }
    Rate {
        arrivals,
        per_ns: u64::try_from(per_ns).unwrap_or(u64::MAX),
    }
}

/// Of two numbers of which the second is not 0.
fn greatest_divisor(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while a != 0 {
        (a, b) = (b % a, a);
    }
    b
}

enum ScheduleStep {
    /// Arrivals in a time, from here.
    Rate(Rate),
    /// Arrivals for so many seconds.
    Arrivals(Spacing, f64),
}

#[derive(Debug, Clone, PartialEq)]
enum ScheduleToken {
    Open,
    Close,
    Divide,
    Number(f64),
    Word(String),
}

struct ScheduleReader<'t> {
    tokens: Vec<(usize, ScheduleToken)>,
    next: usize,
    text: &'t str,
}

impl ScheduleReader<'_> {
    fn step(&mut self, steps: &mut Vec<ScheduleStep>) -> Result<(), Message> {
        let word = match self.take() {
            Some(ScheduleToken::Word(word)) => word,
            _ => return Err(self.wrong()),
        };
        match word.as_str() {
            "rate" => {
                let rate = self.rate()?;
                steps.push(ScheduleStep::Rate(rate));
            }
            "random_arrivals" => {
                let seconds = self.in_brackets()?;
                steps.push(ScheduleStep::Arrivals(Spacing::Poisson, seconds));
            }
            "even_arrivals" => {
                let seconds = self.in_brackets()?;
                steps.push(ScheduleStep::Arrivals(Spacing::Constant, seconds));
            }
            "pause" => {
                let seconds = self.in_brackets()?;
                self.pause(seconds, steps);
            }
            _ => return Err(self.wrong()),
        }
        Ok(())
    }

    /// Nothing arrives, then the rate is what it was before.
    fn pause(&self, seconds: f64, steps: &mut Vec<ScheduleStep>) {
        let last = steps.iter().rev().find_map(|step| match step {
            ScheduleStep::Rate(rate) => Some(*rate),
            ScheduleStep::Arrivals(..) => None,
        });
        let nothing = rate(0.0);
        let last = last.unwrap_or(nothing);
        steps.push(ScheduleStep::Rate(last));
        steps.push(ScheduleStep::Rate(nothing));
        steps.push(ScheduleStep::Arrivals(Spacing::Constant, seconds));
        steps.push(ScheduleStep::Rate(nothing));
        steps.push(ScheduleStep::Rate(last));
    }

    fn rate(&mut self) -> Result<Rate, Message> {
        self.expect(&ScheduleToken::Open)?;
        let number = self.number()?;
        // Nothing an hour is nothing a second.
        if number == 0.0 && self.peek() == Some(&ScheduleToken::Close) {
            self.next += 1;
            return Ok(rate(0.0));
        }
        match self.take() {
            Some(ScheduleToken::Divide) => {}
            Some(ScheduleToken::Word(word)) if word == "per" => {}
            _ => return Err(self.wrong()),
        }
        let unit = self.unit()?;
        self.expect(&ScheduleToken::Close)?;
        Ok(rate_in(number, unit))
    }

    fn in_brackets(&mut self) -> Result<f64, Message> {
        self.expect(&ScheduleToken::Open)?;
        let mut seconds = 0.0;
        loop {
            let number = self.number()?;
            if number == 0.0 && self.peek() == Some(&ScheduleToken::Close) {
                break;
            }
            seconds += number * self.unit()?;
            if !matches!(self.peek(), Some(ScheduleToken::Number(_))) {
                break;
            }
        }
        self.expect(&ScheduleToken::Close)?;
        Ok(seconds)
    }

    fn unit(&mut self) -> Result<f64, Message> {
        let word = match self.take() {
            Some(ScheduleToken::Word(word)) => word,
            _ => return Err(self.wrong()),
        };
        match word.as_str() {
            "ms" => Ok(0.001),
            "s" => Ok(1.0),
            "m" => Ok(60.0),
            "h" => Ok(3_600.0),
            "d" => Ok(86_400.0),
            word if word.starts_with("sec") => Ok(1.0),
            word if word.starts_with("min") => Ok(60.0),
            word if word.starts_with("hour") => Ok(3_600.0),
            word if word.starts_with("day") => Ok(86_400.0),
            _ => Err(self.wrong()),
        }
    }

    fn number(&mut self) -> Result<f64, Message> {
        match self.take() {
            Some(ScheduleToken::Number(number)) => Ok(number),
            _ => Err(self.wrong()),
        }
    }

    fn expect(&mut self, token: &ScheduleToken) -> Result<(), Message> {
        match self.take() {
            Some(found) if found == *token => Ok(()),
            _ => Err(self.wrong()),
        }
    }

    fn peek(&self) -> Option<&ScheduleToken> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn take(&mut self) -> Option<ScheduleToken> {
        let token = self.peek().cloned();
        self.next += 1;
        token
    }

    /// The token before is not understood.
    fn wrong(&self) -> Message {
        let at = self.tokens.get(self.next.saturating_sub(1));
        wrong(self.text, at.map_or(self.text.len(), |(at, _)| *at))
    }
}

fn wrong(text: &str, at: usize) -> Message {
    let rest: String = text[at..].chars().take(20).collect();
    Message::new("jmeter-schedule").with("rest", rest)
}

fn tokens(text: &str) -> Result<Vec<(usize, ScheduleToken)>, Message> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match c {
            c if c.is_whitespace() => c.len_utf8(),
            '/' if rest.starts_with("//") => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => match rest.find("*/") {
                Some(end) => end + 2,
                None => return Err(wrong(text, at)),
            },
            _ => {
                let (token, length) = token(rest).ok_or_else(|| wrong(text, at))?;
                tokens.push((at, token));
                length
            }
        };
        at += length;
    }
    Ok(tokens)
}

fn token(rest: &str) -> Option<(ScheduleToken, usize)> {
    let length = |test: fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
    match rest.chars().next()? {
        '(' => Some((ScheduleToken::Open, 1)),
        ')' => Some((ScheduleToken::Close, 1)),
        '/' => Some((ScheduleToken::Divide, 1)),
        '0'..='9' | '.' => {
            let length = length(|c| c.is_ascii_digit() || c == '.');
            let number = rest[..length].parse().ok()?;
            Some((ScheduleToken::Number(number), length))
        }
        c if c.is_alphabetic() => {
            let length = length(|c| c.is_alphanumeric() || c == '_');
            Some((ScheduleToken::Word(rest[..length].to_lowercase()), length))
        }
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Vec<(f64, f64, f64, Spacing)> {
        let read = parse(text).unwrap();
        let stages = read.stages.into_iter().map(|(stage, spacing)| {
            let rates = (stage.from.as_per_second(), stage.to.as_per_second());
            (rates.0, rates.1, stage.lasts.as_secs_f64(), spacing)
        });
        stages.collect()
    }

    use Spacing::{Constant, Poisson};

    #[test]
    fn rates_arrivals_and_pauses() {
        let text = "rate(60/min) random_arrivals(1 min 30 sec) // comment\n rate(2 per s)\
                    /* more */ even_arrivals(10 s) pause(0.5 h) even_arrivals(5s)";
        let stages = read(text);
        assert_eq!(stages[0], (1.0, 2.0, 90.0, Poisson));
        assert_eq!(stages[1], (2.0, 2.0, 10.0, Constant));
        assert_eq!(stages[2], (0.0, 0.0, 1800.0, Constant));
        assert_eq!(stages[3], (2.0, 2.0, 5.0, Constant));
        assert_eq!(stages.len(), 4);
    }

    #[test]
    fn a_step_in_the_rate_and_units() {
        let stages =
            read("RATE(0) random_arrivals(10 ms) rate(3.6/hour) rate(1/day) even_arrivals(2 days)");
        assert_eq!(stages[0], (0.0, 0.001, 0.01, Poisson));
        let third = parse("rate(20/min) even_arrivals(1 min)").unwrap().stages[0].0;
        assert_eq!((third.from.arrivals, third.from.per_ns), (1, 3_000_000_000));
        assert_eq!(
            read("rate(0.7/day) even_arrivals(1 s)")[0].0 * 86_400.0,
            0.7
        );
        assert_eq!(stages[1].2, 172_800.0);
        assert_eq!(read("5").len(), 2);
        assert_eq!(read(""), []);
    }

    #[test]
    fn what_is_not_understood() {
        for text in [
            "rate(1)",
            "rate(1/year)",
            "wait(5 s)",
            "rate(1/s",
            "pause(s)",
            "§",
            "/* x",
            "1.2.3",
        ] {
            let message = parse(text).unwrap_err();
            assert_eq!(message.id, "jmeter-schedule", "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "(rate|pause|even_arrivals|[()/ 0-9.*smé])*") {
            let _ = parse(&text);
        }
    }
}
