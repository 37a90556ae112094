//! The encoding of a label's interval, version 1.
//!
//! ```text
//! byte    0xC1: high nibble "an interval", low nibble the version
//! byte    flags: 1 successes, 2 with response times of their own,
//!                4 failures, 8 with response times of their own,
//!                16 requests were sent again, 32 groups of failures
//! varint  sent bytes, received bytes, not started, cut off; sent again, if the flag says so
//! groups of failures (`failures/encoding.rs`), if the flag says so
//! varint  number of error kinds, then for each: kind, count
//! varint  number of codes, then for each: word, count
//!         word 0 = none; odd = status << 1 | 1; even = text of word >> 1 bytes
//! byte    phases, one bit each; for each set bit varints count, sum, max (ns)
//! then the histograms that the flags announce, in the flags' order
//! ```

use super::code::{put_code, read_code};
use super::{LabelInterval, Latency, PhaseSum};
use crate::ErrorKind;
use crate::failures::{Detail, Failures};
use crate::histogram::{DecodeError, Encoded, HistogramReader, check_head, put_varint};

const HEAD: u8 = 0xC1;

const OK: u8 = 1;
const OK_SPLIT: u8 = 2;
const ERR: u8 = 4;
const ERR_SPLIT: u8 = 8;
const RESENT: u8 = 16;
const FAILURES: u8 = 32;

impl LabelInterval {
    /// Appends the encoding, version 1 (about one byte for each sample and
    /// histogram, for a few hundred samples).
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.encode_with(Detail::All, out);
    }

    /// The same with less of the failures than there is; all counts stay.
    pub fn encode_with(&self, detail: Detail, out: &mut Vec<u8>) {
        out.push(HEAD);
        let resent = if self.resent > 0 { RESENT } else { 0 };
        let failures = if self.failures.is_empty() {
            0
        } else {
            FAILURES
        };
        let times = flags(&self.ok, OK, OK_SPLIT) | flags(&self.err, ERR, ERR_SPLIT);
        out.push(times | resent | failures);
        for n in [
            self.sent_bytes,
            self.received_bytes,
            self.dropped_iterations,
            self.cut_off,
        ] {
            put_varint(out, n);
        }
        if self.resent > 0 {
            put_varint(out, self.resent);
        }
        if !self.failures.is_empty() {
            self.failures.encode(detail, out);
        }
        put_varint(out, self.errors_by_kind.iter().len() as u64);
        for (kind, n) in self.errors_by_kind.iter() {
            out.push(kind as u8);
            put_varint(out, n);
        }
        put_varint(out, self.status_codes.iter().len() as u64);
        for (code, n) in self.status_codes.iter() {
            put_code(out, code);
            put_varint(out, n);
        }
        put_phases(out, &self.phases);
        for latency in [&self.ok, &self.err] {
            if latency.count() > 0 {
                latency.service().encode(out);
                if !latency.response_is_service() {
                    latency.response().encode(out);
                }
            }
        }
    }

    /// Adds an encoded interval.
    ///
    /// # Errors
    /// If the bytes are not exactly one valid encoding, or a count does not
    /// fit; the interval is then unchanged.
    pub fn merge_encoded(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let encoded = EncodedInterval::read(bytes)?;
        for (latency, pair) in [(&self.ok, &encoded.ok), (&self.err, &encoded.err)] {
            if let Some((service, _)) = pair {
                latency.service().check_room(service.count())?;
            }
        }
        self.merge(&encoded.rest);
        for (latency, pair) in [(&mut self.ok, encoded.ok), (&mut self.err, encoded.err)] {
            if let Some((service, response)) = pair {
                apply(latency, service, response);
            }
        }
        Ok(())
    }
}

fn flags(latency: &Latency, present: u8, split: u8) -> u8 {
    match (latency.count(), latency.response_is_service()) {
        (0, _) => 0,
        (_, true) => present,
        (_, false) => present | split,
    }
}

fn put_phases(out: &mut Vec<u8>, phases: &[PhaseSum; 5]) {
    let mut mask = 0;
    for (bit, phase) in phases.iter().enumerate() {
        mask |= u8::from(phase.count > 0) << bit;
    }
    out.push(mask);
    for phase in phases.iter().filter(|phase| phase.count > 0) {
        put_varint(out, phase.count);
        put_varint(out, phase.sum_ns);
        put_varint(out, phase.max_ns);
    }
}

/// The same samples' service times and, if they differ, response times.
pub(super) type Pair<'a> = Option<(Encoded<'a>, Option<Encoded<'a>>)>;

fn apply(latency: &mut Latency, service: Encoded<'_>, response: Option<Encoded<'_>>) {
    if response.is_some() {
        latency.split();
    }
    let (service_into, response_into) = latency.parts_mut();
    if let Some(response_into) = response_into {
        response_into.apply(response.unwrap_or_else(|| service.clone()));
    }
    service_into.apply(service);
}

/// An encoding that was checked to its end.
pub(super) struct EncodedInterval<'a> {
    /// Everything but the histograms.
    rest: LabelInterval,
    pub(super) ok: Pair<'a>,
    pub(super) err: Pair<'a>,
}

impl<'a> EncodedInterval<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = HistogramReader::new(bytes);
        check_head(reader.byte()?, HEAD, "interval")?;
        let at = reader.position();
        let flags = reader.byte()?;
        let split_without_samples =
            flags & (OK | OK_SPLIT) == OK_SPLIT || flags & (ERR | ERR_SPLIT) == ERR_SPLIT;
        if flags > 0x3f || split_without_samples {
            return Err(DecodeError::Damaged {
                at,
                what: "unknown flags",
            });
        }
        let mut rest = LabelInterval {
            sent_bytes: reader.varint()?,
            received_bytes: reader.varint()?,
            dropped_iterations: reader.varint()?,
            cut_off: reader.varint()?,
            ..LabelInterval::default()
        };
        if flags & RESENT != 0 {
            rest.resent = reader.varint()?;
        }
        if flags & FAILURES != 0 {
            rest.failures = Failures::read(&mut reader)?;
        }
        for _ in 0..reader.varint()? {
            let kind = ErrorKind::from_number(reader.byte()?);
            rest.errors_by_kind.add(kind, reader.varint()?);
        }
        for _ in 0..reader.varint()? {
            let code = read_code(&mut reader)?;
            rest.status_codes.add(code, reader.varint()?);
        }
        rest.phases = read_phases(&mut reader)?;
        let ok = read_pair(&mut reader, flags & OK != 0, flags & OK_SPLIT != 0)?;
        let err = read_pair(&mut reader, flags & ERR != 0, flags & ERR_SPLIT != 0)?;
        reader.end()?;
        Ok(Self { rest, ok, err })
    }
}

fn read_phases(reader: &mut HistogramReader<'_>) -> Result<[PhaseSum; 5], DecodeError> {
    let at = reader.position();
    let mask = reader.byte()?;
    let mut phases = [PhaseSum::default(); 5];
    if mask >> phases.len() != 0 {
        return Err(DecodeError::Damaged {
            at,
            what: "unknown phases",
        });
    }
    for (bit, phase) in phases.iter_mut().enumerate() {
        if mask >> bit & 1 == 1 {
            let at = reader.position();
            *phase = PhaseSum {
                count: reader.varint()?,
                sum_ns: reader.varint()?,
                max_ns: reader.varint()?,
            };
            // Only phases that something went through are written.
            if phase.count == 0 {
                return Err(DecodeError::Damaged {
                    at,
                    what: "a phase has no count",
                });
            }
        }
    }
    Ok(phases)
}

fn read_pair<'a>(
    reader: &mut HistogramReader<'a>,
    present: bool,
    split: bool,
) -> Result<Pair<'a>, DecodeError> {
    if !present {
        return Ok(None);
    }
    let service = Encoded::read(reader)?;
    let at = reader.position();
    let response = split.then(|| Encoded::read(reader)).transpose()?;
    if response
        .as_ref()
        .is_some_and(|r| r.count() != service.count())
    {
        return Err(DecodeError::Damaged {
            at,
            what: "service and response times differ in number",
        });
    }
    Ok(Some((service, response)))
}
