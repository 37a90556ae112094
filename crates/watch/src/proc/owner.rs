//! Whose a process is, and the rights of that user for a thread of this program.

use std::io;

use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{
    CapabilitySet, capabilities, set_capabilities, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};

use super::{Pid, file};

/// The user of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    uid: u32,
    gid: u32,
    groups: Vec<u32>,
}

impl Owner {
    /// That of a process. Of a program that has the rights of another (set-user-ID) it is who
    /// started it.
    ///
    /// # Errors
    /// The process is gone.
    pub(crate) fn of(pid: Pid) -> io::Result<Self> {
        let status = file::read(format!("/proc/{pid}/status"))?;
        Self::parse(&status).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn parse(status: &str) -> Option<Self> {
        let field = |name: &str| -> Option<Vec<u32>> {
            let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
            rest.split_ascii_whitespace()
                .map(|word| word.parse().ok())
                .collect()
        };
        Some(Self {
            uid: *field("Uid:")?.first()?,
            gid: *field("Gid:")?.first()?,
            groups: field("Groups:")?,
        })
    }

    /// Gives the calling thread, and only this one, the rights of this user: no more than
    /// these, and no capability. The thread must end soon. Without the right to change users
    /// the thread keeps its own, less its capabilities.
    ///
    /// The real and the saved user stay, so that the other one cannot signal the thread, and
    /// no file system of that user's own (FUSE) is entered.
    pub(crate) fn take_rights(&self) -> io::Result<()> {
        if !geteuid().is_root() {
            let mut sets = capabilities(None)?;
            sets.effective = CapabilitySet::empty();
            return Ok(set_capabilities(None, sets)?);
        }
        if self.uid == 0 {
            return Ok(());
        }
        let groups: Vec<Gid> = self.groups.iter().map(|gid| Gid::from_raw(*gid)).collect();
        set_thread_groups(&groups)?;
        set_thread_res_gid(None, Gid::from_raw(self.gid), None)?;
        Ok(set_thread_res_uid(None, Uid::from_raw(self.uid), None)?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_set_user_id_program_is_who_started_it() {
        let status = "Name:\tsu\nUid:\t1000\t0\t0\t0\nGid:\t100\t100\t100\t100\nGroups:\t100 27 \n";
        let owner = Owner::parse(status).unwrap();
        assert_eq!((owner.uid, owner.gid), (1000, 100));
        assert_eq!(owner.groups, [100, 27]);
        assert_eq!(Owner::parse("Name:\tx\n"), None);
    }

    #[test]
    fn a_thread_takes_the_rights_of_another_and_others_keep_theirs() {
        if !geteuid().is_root() {
            eprintln!("skipped: needs root");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "x").unwrap();
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
        let other = Owner {
            uid: 65_534,
            gid: 65_534,
            groups: Vec::new(),
        };
        let path = secret.clone();
        let refused = std::thread::spawn(move || {
            other.take_rights().unwrap();
            std::fs::read(path).unwrap_err().kind()
        });
        assert_eq!(refused.join().unwrap(), io::ErrorKind::PermissionDenied);
        assert!(std::fs::read(secret).is_ok());
    }
}
