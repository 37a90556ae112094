//! The sample log: every sample, or the run says that it is incomplete.

use super::hearer::{HeardSecond, Hearer, Lost};
use crate::session::SampleLog;

impl Hearer for SampleLog {
    fn second(&mut self, heard: &HeardSecond<'_>) -> Result<(), Lost> {
        let written = self.write(heard.second.samples, heard.labels);
        written.map_err(Lost::OfRun)
    }

    fn load_over(&mut self) -> Result<(), Lost> {
        self.finish().map_err(Lost::OfRun)
    }
}
