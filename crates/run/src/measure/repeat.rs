//! One run several times, one after the other.

use plimsoll_stats::Summary;
use plimsoll_text::Message;

use crate::{Interrupt, Made, RunRequest};

/// Makes a run so many times, at least once: each is asked for by `request`, with its number from 1, and
/// what came out of it goes to `made`. An interruption ends it early. Gives the summaries.
///
/// # Errors
/// What a person must be told of the first run that could not be made.
pub fn repeat(
    times: u32,
    interrupt: &Interrupt,
    request: &mut dyn FnMut(u32) -> Result<RunRequest, Message>,
    made: &mut dyn FnMut(u32, Made) -> Summary,
) -> Result<Vec<Summary>, Message> {
    let mut summaries = Vec::new();
    for number in 1..=times.max(1) {
        let one = request(number)?.begin()?.join()?;
        summaries.push(made(number, one));
        if interrupt.is_hit() {
            break;
        }
    }
    Ok(summaries)
}
