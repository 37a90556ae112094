//! The knobs, one file a family.

pub(crate) mod tomcat;
