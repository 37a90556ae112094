//! The picture for people: each thing with its figures, then what was said.

use plimsoll_report::printable;
use plimsoll_stats::series::{Entity, EntityKind, SeriesKey, SeriesKind};
use plimsoll_store::rfc3339;
use plimsoll_text::{Lang, Message, display_width, render};

use super::cell::CellForm;
use super::cells::cells;
use super::state::{Latest, WatchState};

/// Busiest threads shown of a process.
const THREADS: usize = 5;
/// A thread that takes less of a core is not shown.
const THREAD_LEAST: f64 = 0.005;
/// Series shown of a thing that the table does not know.
const UNKNOWN: usize = 8;

/// Figures stand in columns of this width, so that they stay where they are while they change;
/// a longer one takes two.
const SLOT: usize = 19;

/// A line of the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PictureLine {
    /// What it says.
    pub text: String,
    /// It names what the next lines are of.
    pub title: bool,
}

/// A series and its latest point.
type Seen<'a> = (&'a SeriesKey, &'a Latest);

/// The lines of the picture, none wider than that; a live one says how it ends.
pub(super) fn lines(
    state: &WatchState,
    columns: usize,
    live: bool,
    lang: Lang,
) -> Vec<PictureLine> {
    let mut lines = Vec::new();
    let mut add = |text: &str, title| {
        let text = cut(text, columns);
        lines.push(PictureLine { text, title });
    };
    let time = rfc3339(state.now_ns());
    let time = time.get(..19).unwrap_or(&time).replace('T', " ");
    let head = text(lang, Message::new("view-title").with("time", time));
    let end = text(lang, Message::new("view-end"));
    let head = if live {
        format!("{head}   {end}")
    } else {
        head
    };
    add(&head, false);
    // What is wrong stands where it is seen on a small screen too.
    let fold = |texts: Vec<String>| {
        let lines = texts.iter().flat_map(|text| folded(text, columns));
        lines.collect::<Vec<_>>()
    };
    for line in fold(troubles(state, lang)) {
        add(&line, false);
    }
    for (entity, series) in state.things() {
        add("", false);
        add(&title(&entity, lang), true);
        let threads = match entity.kind {
            EntityKind::Process => threads(&series),
            _ => Vec::new(),
        };
        let mut figures = laid_out(&figures(&entity, &series, lang), columns);
        figures.extend(laid_out(&threads, columns));
        figures.iter().for_each(|line| add(line, false));
    }
    let notes = fold(notes(state, lang));
    if !notes.is_empty() {
        add("", false);
        notes.iter().for_each(|line| add(line, false));
    }
    lines
}

/// The part of the lines that a screen of so many rows shows when it is scrolled down by
/// `from`: the first line always, then what follows, and in the last row what is left out.
/// `from` is brought into the lines there are.
pub(super) fn page(
    all: Vec<PictureLine>,
    (columns, rows): (usize, usize),
    from: &mut usize,
    lang: Lang,
) -> Vec<PictureLine> {
    if all.len() <= rows {
        *from = 0;
        return all;
    }
    let shown = rows.saturating_sub(2);
    let body = all.len() - 1;
    *from = (*from).min(body - shown.min(body));
    let more = Message::new("view-more")
        .with("above", *from)
        .with("below", body - *from - shown);
    let last = PictureLine {
        text: cut(&text(lang, more), columns),
        title: false,
    };
    let mut all = all.into_iter();
    let mut page: Vec<PictureLine> = all.next().into_iter().collect();
    page.extend(all.skip(*from).take(shown));
    page.push(last);
    page.truncate(rows);
    page
}

fn text(lang: Lang, message: Message) -> String {
    render(lang, &message)
}

fn title(entity: &Entity, lang: Lang) -> String {
    let kind = text(
        lang,
        Message::new(format!(
            "view-kind-{}",
            entity.kind.name().replace('_', "-")
        )),
    );
    match entity.name.as_str() {
        "" => printable(&format!("{kind} {}", entity.host)),
        name => printable(&format!("{kind} {name} @ {}", entity.host)),
    }
}

/// The figures of a thing; of one that the table does not know its first series.
fn figures(entity: &Entity, series: &[Seen<'_>], lang: Lang) -> Vec<String> {
    let known = cells(entity.kind).iter().filter_map(|cell| {
        let (value, limit) = cell.figure(series)?;
        let label = text(lang, Message::new(cell.id));
        let value = match limit {
            Some(limit) => format!("{}/{}", figure(value, cell.form), figure(limit, cell.form)),
            None => figure(value, cell.form),
        };
        Some(format!("{label} {value}"))
    });
    let known: Vec<String> = known.collect();
    if !known.is_empty() {
        return known;
    }
    series.iter().filter_map(unknown).take(UNKNOWN).collect()
}

/// A series that the table does not know.
fn unknown((key, latest): &Seen<'_>) -> Option<String> {
    let value = match key.kind {
        SeriesKind::Gauge => number(latest.value),
        SeriesKind::Counter => format!("{}/s", number(latest.rate?)),
    };
    let attributes: Vec<&str> = key
        .attributes
        .iter()
        .map(|(_, value)| value.as_str())
        .collect();
    let attributes = if attributes.is_empty() {
        String::new()
    } else {
        format!("[{}]", attributes.join(","))
    };
    Some(printable(&format!("{}{attributes} {value}", key.name)))
}

/// The busiest threads of a process.
fn threads(series: &[Seen<'_>]) -> Vec<String> {
    let of_threads = series
        .iter()
        .filter(|(key, _)| key.name == "process.thread.cpu.time");
    let mut busy: Vec<(f64, &str)> = of_threads
        .filter_map(|(key, latest)| {
            let name = key.attribute("thread.name").unwrap_or("?");
            Some((latest.rate.filter(|rate| *rate >= THREAD_LEAST)?, name))
        })
        .collect();
    busy.sort_by(|a, b| b.0.total_cmp(&a.0));
    let shown = busy.iter().take(THREADS);
    shown
        .map(|(rate, name)| printable(&format!("· {name} {}", figure(*rate, CellForm::Share))))
        .collect()
}

/// What fails.
fn troubles(state: &WatchState, lang: Lang) -> Vec<String> {
    let troubles = state.troubles().iter().map(|(about, trouble)| {
        let message = Message::new("view-trouble")
            .with("source", about.as_str())
            .with("reason", trouble.clone());
        printable(&text(lang, message))
    });
    troubles.collect()
}

/// The last that was said.
fn notes(state: &WatchState, lang: Lang) -> Vec<String> {
    let notes = state.notes().map(|said| {
        let time = rfc3339(said.at_unix_ns);
        let note = text(lang, said.note.message.clone());
        printable(&format!(
            "{} {}: {note}",
            time.get(11..19).unwrap_or(""),
            said.note.entity
        ))
    });
    notes.collect()
}

/// A figure in its form.
fn figure(value: f64, form: CellForm) -> String {
    match form {
        CellForm::Number => number(value),
        CellForm::PerSecond => format!("{}/s", number(value)),
        CellForm::Bytes => bytes(value),
        CellForm::BytesPerSecond => format!("{}/s", bytes(value)),
        CellForm::Share => format!("{:.1} %", value * 100.0),
        CellForm::Milliseconds => format!("{:.2} ms", value * 1e3),
    }
}

/// A number in few characters.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 1e9 => format!("{:.2}G", value / 1e9),
        size if size >= 1e6 => format!("{:.2}M", value / 1e6),
        size if size >= 1e5 => format!("{:.0}k", value / 1e3),
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        size if size >= 100.0 => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}

/// Bytes in binary units.
fn bytes(value: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = value;
    let mut unit = 0;
    while value.abs() >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0);
    format!("{value:.digits$} {}", units[unit])
}

/// Words in columns, in lines of at most so many characters, each set in by two.
fn laid_out(words: &[String], columns: usize) -> Vec<String> {
    let slots = (columns.saturating_sub(2) / SLOT).max(1);
    let mut lines: Vec<String> = Vec::new();
    let mut used = slots;
    for word in words {
        let width = display_width(word);
        let needs = (width + 2).div_ceil(SLOT).min(slots);
        if used + needs > slots {
            lines.push(String::new());
            used = 0;
        }
        used += needs;
        if let Some(line) = lines.last_mut() {
            let room = (needs * SLOT).saturating_sub(width + 2);
            line.push_str(&format!("  {word}{}", " ".repeat(room)));
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// A text in lines of at most so many columns, broken at blanks where there are any; all but
/// the first are set in.
fn folded(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for letter in text.chars() {
        let width = display_width(letter.encode_utf8(&mut [0; 4]));
        if display_width(&line) + width > columns && !line.trim().is_empty() {
            let at = line.rfind(' ').filter(|at| *at > 2 && letter != ' ');
            let rest = at.map_or(String::new(), |at| line.split_off(at));
            lines.push(line.trim_end().to_owned());
            line = format!("  {}", rest.trim_start());
        }
        if letter != ' ' || !line.trim().is_empty() {
            line.push(letter);
        }
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// The beginning of a line that fits.
fn cut(line: &str, columns: usize) -> String {
    let mut width = 0;
    let fits = line.chars().take_while(|c| {
        width += display_width(c.encode_utf8(&mut [0; 4]));
        width <= columns
    });
    fits.collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_watch::{LookPart, Seen};

    use super::*;

    fn key(name: &'static str, mode: &str) -> SeriesKey {
        SeriesKey {
            entity: Entity::new(EntityKind::Host, "", "web\u{1b}1"),
            name: name.into(),
            attributes: vec![("cpu.mode".into(), mode.to_owned())],
            unit: "s".into(),
            kind: SeriesKind::Counter,
        }
    }

    #[test]
    fn the_picture_has_shares_and_fits() {
        let mut state = WatchState::default();
        for (second, user, idle) in [(1, 10.0, 100.0), (3, 11.0, 103.0)] {
            let points = vec![
                (key("system.cpu.time", "user"), user),
                (key("system.cpu.time", "idle"), idle),
            ];
            state.take(vec![Seen::Points(vec![LookPart {
                at_unix_ns: second * 1_000_000_000,
                points,
            }])]);
        }
        for lang in Lang::ALL {
            let all = lines(&state, 200, true, lang);
            let all: Vec<_> = all.into_iter().map(|line| line.text).collect();
            let text = all.join("\n");
            assert!(text.contains("25.0 %") && text.contains("75.0 %"), "{text}");
            assert!(!text.contains('\u{1b}'), "{text}");
            for columns in [0, 1, 10, 40] {
                let lines = lines(&state, columns, false, lang);
                assert!(
                    lines
                        .iter()
                        .all(|line| display_width(&line.text) <= columns)
                );
            }
        }
    }

    #[test]
    fn figures_stand_in_columns() {
        let words = |words: &[&str]| words.iter().map(|&w| w.to_owned()).collect::<Vec<_>>();
        let long = "memory free 22.8 GiB/23.5 GiB";
        let lines = laid_out(
            &words(&["user 1.0 %", "idle 99.0 %", long, "读 1", "x"]),
            80,
        );
        assert_eq!(
            lines,
            [
                "  user 1.0 %         idle 99.0 %        memory free 22.8 GiB/23.5 GiB",
                "  读 1               x",
            ]
        );
        assert_eq!(laid_out(&words(&["abc", "d"]), 0), ["  abc", "  d"]);
    }

    #[test]
    fn long_texts_are_folded() {
        let text = "✗ jvm: writes no GC log. Start it so";
        let lines = folded(text, 16);
        assert_eq!(lines, ["✗ jvm: writes no", "  GC log. Start", "  it so"]);
        assert_eq!(folded("abc", 16), ["abc"]);
        assert_eq!(folded("写入日志文件", 6), ["写入日", "  志文", "  件"]);
        for columns in 0..4 {
            let all: String = folded("ab cd 写", columns).concat();
            assert_eq!(all.replace(' ', ""), "abcd写");
        }
    }

    #[test]
    fn a_page_says_what_is_left_out() {
        let all: Vec<_> = (0..10)
            .map(|n| PictureLine {
                text: n.to_string(),
                title: false,
            })
            .collect();
        let shown = |rows, from: &mut usize| {
            let lines = page(all.clone(), (80, rows), from, Lang::En).into_iter();
            lines.map(|line| line.text).collect::<Vec<_>>()
        };
        let mut from = 3;
        assert_eq!(shown(10, &mut from).len(), 10);
        assert_eq!(from, 0);
        from = 4;
        let lines = shown(5, &mut from);
        assert_eq!(lines[..4], ["0", "5", "6", "7"]);
        assert!(lines[4].starts_with("4 lines above, 2 below"), "{lines:?}");
        from = 99;
        assert_eq!(shown(5, &mut from)[1..4], ["7", "8", "9"]);
        assert_eq!(from, 6);
        for rows in 0..3 {
            assert_eq!(shown(rows, &mut 99).len(), rows);
        }
    }

    #[test]
    fn figures_are_short() {
        let shown = [0.0, 0.25, 12.0, 123.4, 54_321.0, 123_456.0, 7e6, 2.5e9].map(number);
        assert_eq!(
            shown,
            ["0", "0.2", "12", "123", "54321", "123k", "7.00M", "2.50G"]
        );
        assert_eq!(bytes(1023.0), "1023 B");
        assert_eq!(bytes(1536.0), "1.5 KiB");
        assert_eq!(figure(0.002, CellForm::Milliseconds), "2.00 ms");
    }
}
