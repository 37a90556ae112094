//! How cells look.

use rust_xlsxwriter::{Color, Format, FormatAlign, FormatBorder};

/// What holds, and what does not.
pub(super) const GOOD: Color = Color::RGB(0x001A_7F4B);
pub(super) const BAD: Color = Color::RGB(0x00B3_261E);

/// A column's or a section's head.
pub(super) fn head() -> Format {
    plain()
        .set_bold()
        .set_background_color(Color::RGB(0x00DD_E6F0))
}

/// Text.
pub(super) fn plain() -> Format {
    Format::new().set_text_wrap().set_align(FormatAlign::Top)
}

/// The same in a table.
pub(super) fn boxed(format: Format) -> Format {
    format
        .set_border(FormatBorder::Thin)
        .set_border_color(Color::RGB(0x00BB_BBBB))
}
