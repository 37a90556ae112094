//! Texts that may be several.

use super::grammar::Kind;
use super::leaf::TEXT;

static TEXT_LIST: Kind = Kind::List(&TEXT);

/// One text, or several in order.
pub(super) static ONE_OR_MORE: Kind = Kind::OneOf(&[&TEXT, &TEXT_LIST]);

/// Names with their texts; a list gives a name several times.
pub(super) static TEXTS: Kind = Kind::Map(&ONE_OR_MORE);
