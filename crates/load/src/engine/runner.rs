//! What every phase of a run works with.

use std::sync::Arc;

use plimsoll_plan::program::Program;

use super::Options;
use super::extension::ExtensionRun;
use super::hosts::Hosts;
use super::labels::Labels;
use super::prepared::PreparedProgram;
use super::ready::Ready;
use crate::monitor::Allowance;
use crate::shared::LocalShared;

/// Runs one program.
pub(super) struct Runner<'a> {
    pub ready: Arc<Ready>,
    pub program: &'a Arc<Program>,
    pub options: &'a Options,
    pub prepared: Arc<PreparedProgram>,
    pub labels: Arc<Labels>,
    pub shared: Arc<LocalShared>,
    pub extension: Option<Arc<dyn ExtensionRun>>,
    pub hosts: Arc<Hosts>,
    pub allowance: Allowance,
}
