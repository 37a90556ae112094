//! What was examined, for people.

use plimsoll_doctor::{Examined, Grade};
use plimsoll_report::printable;
use plimsoll_run::environment::host_name;
use plimsoll_text::{Lang, Message, display_width, render, wrap_after};

/// Columns of the grade and of the title.
const LEFT: usize = 10;

/// All of it, in lines of so many columns.
pub(super) fn shown(all: &[Examined], columns: usize, lang: Lang) -> String {
    let say = |message: &Message| printable(&render(lang, message));
    let count = |grade| all.iter().filter(|one| one.grade == grade).count();
    let head = Message::new("doctor-head")
        .with("host", host_name())
        .with("version", env!("CARGO_PKG_VERSION"));
    let mut lines = vec![say(&head), String::new()];
    for one in all {
        lines.extend(lines_of(one, columns, lang));
    }
    let sum = Message::new("doctor-sum")
        .with("bad", count(Grade::Bad))
        .with("limited", count(Grade::Limited));
    lines.push(String::new());
    lines.extend(wrap_after(&say(&sum), columns, "", ""));
    if all.iter().any(holds_until_restart) {
        let keep = say(&Message::new("doctor-until-restart"));
        lines.extend(wrap_after(&keep, columns, "", ""));
    }
    lines.join("\n") + "\n"
}

fn holds_until_restart(one: &Examined) -> bool {
    let mut commands = one.remedies.iter().map(|remedy| &remedy.0);
    commands.any(|command| command.contains("sysctl -w"))
}

fn lines_of(one: &Examined, columns: usize, lang: Lang) -> Vec<String> {
    let say = |message: &Message| printable(&render(lang, message));
    let text = |id: String| render(lang, &Message::new(id));
    let rest = " ".repeat(LEFT);
    let grade = text(format!("doctor-grade-{}", one.grade.name()));
    let pad = " ".repeat(LEFT.saturating_sub(display_width(&grade)));
    let colon = if lang == Lang::Zh { "：" } else { ": " };
    let title = text(format!("doctor-{}", one.id));
    let first = format!("{title}{colon}{}", say(&one.says));
    let mut lines = wrap_after(&first, columns, &format!("{grade}{pad}"), &rest);
    for cost in &one.costs {
        lines.extend(wrap_after(&say(cost), columns, &rest, &rest));
    }
    // Commands are copied: they stay in one line.
    let commands = one.remedies.iter().map(|remedy| printable(&remedy.0));
    lines.extend(commands.map(|command| format!("{rest}$ {command}")));
    lines
}
