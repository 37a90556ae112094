//! The figures of a second that stand in the sums of its minute.

use plimsoll_stats::{GeneratorSecond, IntervalTotals};

use crate::pack::{compress, decompress_within};

/// Seconds of a minute.
pub const MINUTE_S: u32 = 60;
/// Numbers of a second.
const NUMBERS: usize = 9;
/// Figures of a second in bytes, before they are compressed.
pub(crate) const FIGURES: usize = NUMBERS * 8;

/// A second in a few figures.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SecondFigures {
    /// Parts that it was written in.
    pub parts: u64,
    /// Requests that ended in the load.
    pub samples: u64,
    /// Of these, failed ones.
    pub errors: u64,
    /// Their response times together, ns.
    pub response_ns: u64,
    /// The shortest of them, ns; 0 without any.
    pub fastest_ns: u64,
    /// Requests that ended after it.
    pub after_load: u64,
    /// Virtual users at work, summed over the parts.
    pub users: u64,
    /// Requests without their response, summed over the parts.
    pub in_flight: u64,
    /// Share of its CPU that the busiest load thread used, 0 to 1.
    pub busiest: f64,
}

impl SecondFigures {
    /// A part of it, as the generator saw itself.
    pub(crate) fn add_part(&mut self, generator: &GeneratorSecond) {
        let shares = generator.threads.iter().map(|thread| thread.cpu_share);
        self.parts += 1;
        self.users += generator.users_active;
        self.in_flight += generator.in_flight;
        self.busiest = shares.fold(self.busiest, f64::max);
    }

    /// What requests of a label did in it.
    pub(crate) fn add(&mut self, after_load: bool, did: &IntervalTotals) {
        if after_load {
            self.after_load += did.samples();
            return;
        }
        if did.samples() > 0 && (self.samples == 0 || did.fastest_ns < self.fastest_ns) {
            self.fastest_ns = did.fastest_ns;
        }
        self.samples += did.samples();
        self.errors += did.errors;
        let response_ns = u64::try_from(did.response_ns).unwrap_or(u64::MAX);
        self.response_ns = self.response_ns.saturating_add(response_ns);
    }
}

/// The seconds of a minute as they are kept.
pub(crate) fn figures_blob(seconds: &[SecondFigures]) -> std::io::Result<Vec<u8>> {
    let mut plain = Vec::with_capacity(seconds.len() * FIGURES);
    for second in seconds {
        let numbers: [u64; NUMBERS] = [
            second.parts,
            second.samples,
            second.after_load,
            second.users,
            second.in_flight,
            second.busiest.to_bits(),
            second.errors,
            second.response_ns,
            second.fastest_ns,
        ];
        for value in numbers {
            plain.extend_from_slice(&value.to_le_bytes());
        }
    }
    compress(&plain)
}

/// The opposite; none of what another version wrote.
pub(crate) fn figures_of(blob: &[u8]) -> Option<Vec<SecondFigures>> {
    let mut plain = Vec::new();
    let length = FIGURES * MINUTE_S as usize;
    decompress_within(blob, &mut plain, length as u64).ok()?;
    if plain.len() != length {
        return None;
    }
    let second = |bytes: &[u8]| {
        let (values, _) = bytes.as_chunks::<8>();
        let [
            parts,
            samples,
            after_load,
            users,
            in_flight,
            busiest,
            errors,
            response_ns,
            fastest_ns,
        ] = <[[u8; 8]; NUMBERS]>::try_from(values)
            .ok()?
            .map(u64::from_le_bytes);
        Some(SecondFigures {
            parts,
            samples,
            errors,
            response_ns,
            fastest_ns,
            after_load,
            users,
            in_flight,
            busiest: f64::from_bits(busiest),
        })
    };
    plain.chunks(FIGURES).map(second).collect()
}
