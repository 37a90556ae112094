//! What the files of the grammar are written with.

pub(crate) use super::emit::{Map, Yaml, plain};
pub(crate) use super::form::*;
pub(crate) use super::kinds::*;
pub(crate) use super::leaf::*;
pub(crate) use crate::yaml::node::{Key as Name, Node, is_template};
