//! Proving to a PostgreSQL server who one is.

use std::io;

use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};

use super::wire::put;

/// More rounds of a hash are not computed: the usual number is 4096.
const MAX_ROUNDS: u32 = 200_000;

/// One login.
pub(super) struct Login<'a> {
    user: &'a str,
    password: &'a str,
    /// Whether the password may be sent as it is: nobody can listen.
    private: bool,
    scram: Option<ScramSha256>,
}

impl<'a> Login<'a> {
    pub(super) fn new(user: &'a str, password: &'a str, private: bool) -> Self {
        Self {
            user,
            password,
            private,
            scram: None,
        }
    }

    /// What to send for what the server asks; nothing where it asks nothing.
    ///
    /// # Errors
    /// A way that is not known, a server that does not know the password itself.
    pub(super) fn respond(&mut self, kind: u32, data: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        match kind {
            0 => {}
            3 if self.private => put(b'p', &[self.password.as_bytes(), b"\0"], &mut out),
            3 => return Err(refused("it asks for the password in clear text: use tls")),
            5 => {
                let salt = data.try_into().map_err(|_| refused("it sends no salt"))?;
                let hash = md5_hash(self.user.as_bytes(), self.password.as_bytes(), salt);
                put(b'p', &[hash.as_bytes(), b"\0"], &mut out);
            }
            10 => self.begin(data, &mut out)?,
            11 => {
                within_rounds(data)?;
                let scram = self.scram.as_mut();
                let scram = scram.ok_or_else(|| refused("it begins in the middle"))?;
                scram.update(data)?;
                put(b'p', &[scram.message()], &mut out);
            }
            12 => {
                let scram = self.scram.as_mut();
                scram.map_or(Ok(()), |scram| scram.finish(data))?;
            }
            _ => return Err(refused("it wants a kind of login that is not known here")),
        }
        Ok(out)
    }

    fn begin(&mut self, mechanisms: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let mut offered = mechanisms.split(|byte| *byte == 0);
        if !offered.any(|name| name == SCRAM_SHA_256.as_bytes()) {
            return Err(refused("it does not offer SCRAM-SHA-256"));
        }
        let scram = ScramSha256::new(self.password.as_bytes(), ChannelBinding::unsupported());
        let first = scram.message();
        let length = u32::try_from(first.len()).unwrap_or(0).to_be_bytes();
        put(
            b'p',
            &[SCRAM_SHA_256.as_bytes(), b"\0", &length, first],
            out,
        );
        self.scram = Some(scram);
        Ok(())
    }
}

/// Who asks for more rounds wants our time.
fn within_rounds(data: &[u8]) -> io::Result<()> {
    let text = String::from_utf8_lossy(data);
    let rounds = text.split(',').find_map(|part| part.strip_prefix("i="));
    let rounds = rounds.and_then(|rounds| rounds.parse::<u32>().ok());
    match rounds.is_some_and(|rounds| rounds <= MAX_ROUNDS) {
        true => Ok(()),
        false => Err(refused("it asks for too many rounds of hashing")),
    }
}

fn refused(why: &'static str) -> io::Error {
    io::Error::other(why)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sent_that_others_could_use() {
        let mut open = Login::new("a", "pw", false);
        assert!(open.respond(3, b"").is_err());
        assert_eq!(
            Login::new("a", "pw", true).respond(3, b"").unwrap(),
            b"p\0\0\0\x07pw\0"
        );
        assert!(open.respond(5, b"abc").is_err());
        assert!(open.respond(7, b"").is_err());
        assert!(open.respond(10, b"SCRAM-SHA-1\0\0").is_err());
        assert!(open.respond(11, b"r=x,s=eA==,i=1").is_err());
        let sent = open.respond(10, b"SCRAM-SHA-256\0\0").unwrap();
        assert!(!String::from_utf8_lossy(&sent).contains("pw"));
        let endless = open.respond(11, b"r=x,s=eA==,i=4000000000").unwrap_err();
        assert!(endless.to_string().contains("rounds"));
        // The nonce is not ours.
        assert!(open.respond(11, b"r=x,s=eA==,i=4096").is_err());
    }
}
