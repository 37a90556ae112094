//! The compiled operations as text, for `plimsoll check`.
