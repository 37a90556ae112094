//! How cells look.

use rust_xlsxwriter::{Color, Format, FormatAlign, FormatBorder};

use crate::document::NoticeLevel;

/// What holds, and what does not.
pub(super) const GOOD: Color = Color::RGB(0x001A_7F4B);
pub(super) const BAD: Color = Color::RGB(0x00B3_261E);

/// A column's or a section's head.
pub(crate) fn head() -> Format {
    plain()
        .set_bold()
        .set_background_color(Color::RGB(0x00DD_E6F0))
}

/// Text.
pub(crate) fn plain() -> Format {
    Format::new().set_text_wrap().set_align(FormatAlign::Top)
}

/// The same in a table.
pub(crate) fn boxed(format: Format) -> Format {
    format
        .set_border(FormatBorder::Thin)
        .set_border_color(Color::RGB(0x00BB_BBBB))
}

/// What is told at once.
pub(crate) fn notice_format(level: NoticeLevel) -> Format {
    match level {
        NoticeLevel::Good => plain().set_bold().set_font_color(GOOD),
        NoticeLevel::Plain => plain().set_bold(),
        NoticeLevel::Warn | NoticeLevel::Bad => plain().set_bold().set_font_color(BAD),
    }
}
