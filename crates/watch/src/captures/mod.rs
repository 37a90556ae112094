//! Captures: one file each.
