#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use plimsoll_text::Arg;
use proptest::prelude::*;

use super::*;

const SECRET: &str = "a secret of the host";

/// A bundle beside what is none of the plan's business.
struct World {
    whole: tempfile::TempDir,
    access: Access,
}

impl World {
    fn new(rights: &[Right]) -> Self {
        let whole = tempfile::tempdir().unwrap();
        let at = |name: &str| whole.path().join(name);
        fs::create_dir_all(at("bundle/data")).unwrap();
        fs::write(at("secret"), SECRET).unwrap();
        fs::write(at("bundle/users.csv"), "a,b").unwrap();
        symlink("/etc/passwd", at("bundle/passwd")).unwrap();
        symlink("../secret", at("bundle/beside")).unwrap();
        symlink(whole.path(), at("bundle/up")).unwrap();
        symlink("users.csv", at("bundle/alias")).unwrap();
        let fifo = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, at("bundle/fifo"), fifo, mode, 0).unwrap();
        let access = Access::within(&at("bundle"), rights, []).unwrap();
        Self { whole, access }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.whole.path().join(name)
    }

    /// Ways out of the bundle.
    fn ways_out(&self) -> Vec<PathBuf> {
        let inside = [
            "../secret",
            "data/../../secret",
            "./././../secret",
            "passwd",
            "beside",
            "up/secret",
            "up/bundle/users.csv",
            "alias",
            "fifo",
            "..",
        ];
        let written = inside.iter().map(PathBuf::from);
        let absolute = inside.iter().map(|name| self.path("bundle").join(name));
        let others = [
            self.path("secret"),
            self.path("bundle2"),
            PathBuf::from(format!("/proc/self/root{}", self.path("secret").display())),
            PathBuf::from("/proc/self/environ"),
            PathBuf::from("/proc/self/fd/0"),
            PathBuf::from("/dev/zero"),
            PathBuf::from("/etc/passwd"),
        ];
        written.chain(absolute).chain(others).collect()
    }

    fn secret_is_untouched(&self) {
        assert_eq!(fs::read_to_string(self.path("secret")).unwrap(), SECRET);
        let names = fs::read_dir(self.whole.path()).unwrap();
        assert_eq!(names.count(), 2, "something was made outside the bundle");
    }
}

/// All that can be tried with a path; what succeeded.
fn tried(access: &Access, path: &Path) -> Vec<(&'static str, io::Error)> {
    let mut failed = Vec::new();
    let mut note = |what, error: Option<io::Error>| {
        let error = error.unwrap_or_else(|| panic!("{what} of {} is possible", path.display()));
        failed.push((what, error));
    };
    note("open", access.open(path).err());
    note("read", access.read(path).err());
    note("create", access.create(path).err());
    note("append", access.append(path).err());
    note("change", access.change(path).err());
    failed
}

#[test]
fn nothing_leads_out_of_the_folder() {
    let world = World::new(&[Right::Scripts, Right::Processes]);
    for path in world.ways_out() {
        for (what, error) in tried(&world.access, &path) {
            let refused = Refused::of(&error);
            let is_folder = path.ends_with("..") && error.kind() == io::ErrorKind::IsADirectory;
            assert!(
                refused.is_some() || is_folder,
                "{what} {}: {error}",
                path.display()
            );
            if let Some(refused) = refused {
                assert_eq!(refused.right(), Right::Files);
                let told = error.to_string();
                assert!(told.contains("--allow files"), "{told}");
                assert!(told.contains(&*path.to_string_lossy()), "{told}");
            }
        }
        assert!(!world.access.is_file(&path), "{}", path.display());
        assert!(
            world.access.place(&path.join("x")).is_err(),
            "{}",
            path.display()
        );
        assert!(world.access.create_folders(&path.join("x")).is_err());
    }
    world.secret_is_untouched();
}

#[test]
fn names_that_cannot_be_are_errors() {
    let world = World::new(&[]);
    for name in [
        &b"users.csv\0"[..],
        b"\0",
        b"/etc/passwd\0.csv",
        &[b'a'; 5000],
    ] {
        tried(&world.access, Path::new(OsStr::from_bytes(name)));
    }
    assert_eq!(
        world.access.open(Path::new("")).unwrap_err().kind(),
        io::ErrorKind::IsADirectory
    );
    world.secret_is_untouched();
}

#[test]
fn what_is_in_the_folder_can_be_used() {
    let world = World::new(&[]);
    let access = &world.access;
    let users = world.path("bundle/users.csv");
    for path in [
        Path::new("users.csv"),
        Path::new("data/../users.csv"),
        &users,
    ] {
        assert_eq!(access.read(path).unwrap(), b"a,b", "{}", path.display());
        assert!(access.exists(path) && access.is_file(path));
    }
    let missing = access.open(Path::new("missing")).unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    assert!(access.exists(Path::new("data")) && !access.is_file(Path::new("data")));
    let made = Path::new("results/today/all.jtl");
    let place = access.place(made).unwrap();
    assert_eq!(
        place,
        world.path("bundle").canonicalize().unwrap().join(made)
    );
    assert_eq!(
        access
            .place(Path::new("data/../results/today/all.jtl"))
            .unwrap(),
        place
    );
    access.create(&place).unwrap().write_all(b"one").unwrap();
    access.append(made).unwrap().write_all(b" two").unwrap();
    assert_eq!(access.read(made).unwrap(), b"one two");
    access.create(made).unwrap().write_all(b"3").unwrap();
    assert_eq!(fs::read(world.path("bundle").join(made)).unwrap(), b"3");
    access.change(made).unwrap().set_len(0).unwrap();
    assert_eq!(access.read(made).unwrap(), b"");
    world.secret_is_untouched();
}

#[test]
fn by_default_nothing_is_allowed() {
    let access = Access::default();
    let world = World::new(&[]);
    for path in world.ways_out() {
        assert_eq!(tried(&access, &path).len(), 5);
        assert!(!access.exists(&path));
    }
    let users = world.path("bundle/users.csv");
    assert!(access.open(&users).is_err() && access.place(&users).is_err());
    for right in [Right::Files, Right::Scripts, Right::Processes] {
        let told = access.ask(right, "a step").unwrap_err().to_string();
        assert!(told.contains("a step"), "{told}");
        assert!(
            told.contains(&format!("--allow {}", right.name())),
            "{told}"
        );
    }
    assert!(access.command(OsStr::new("true")).is_err());
    assert_eq!(access.variable("PATH"), None);
    world.secret_is_untouched();
}

#[test]
fn each_right_allows_its_own_and_no_other() {
    let all = [Right::Files, Right::Scripts, Right::Processes];
    for right in all {
        let world = World::new(&[right]);
        for other in all {
            let asked = world.access.ask(other, "x");
            assert_eq!(asked.is_ok(), other == right, "{right:?} {other:?}");
        }
        let started = world.access.command(OsStr::new("true"));
        assert_eq!(started.is_ok(), right == Right::Processes);
        let read = world.access.read(&world.path("secret"));
        assert_eq!(read.is_ok(), right == Right::Files);
    }
}

#[test]
fn ones_own_machine_has_its_users_rights() {
    let world = World::new(&[]);
    let access = Access::of_user();
    for name in [
        "secret",
        "bundle/beside",
        "bundle/up/secret",
        "bundle/../secret",
    ] {
        assert_eq!(
            access.read(&world.path(name)).unwrap(),
            SECRET.as_bytes(),
            "{name}"
        );
    }
    assert!(
        access
            .command(OsStr::new("true"))
            .unwrap()
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(access.variable("PATH"), std::env::var("PATH").ok());
}

#[test]
fn the_environment_is_that_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let given = [("TOKEN".to_owned(), "x".to_owned())];
    let access = Access::within(folder.path(), &[], given).unwrap();
    assert_eq!(access.variable("TOKEN").as_deref(), Some("x"));
    assert_eq!(access.variable("PATH"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a name is made of, it leads to files of the bundle or nowhere.
    #[test]
    fn no_name_leads_out(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "..", ".", "", "up", "data", "beside", "passwd", "secret", "bundle", "users.csv",
                "fifo", "alias", "new", "ü", "a\0b",
            ]),
            0..7,
        ),
        from in 0..4usize,
    ) {
        let world = World::new(&[]);
        let start = [
            String::new(),
            format!("{}/", world.path("bundle").display()),
            format!("/proc/self/root{}/", world.path("bundle").display()),
            "/proc/self/cwd/".to_owned(),
        ];
        let path = PathBuf::from(format!("{}{}", start[from], parts.join("/")));
        if let Ok(bytes) = world.access.read(&path) {
            prop_assert_eq!(bytes, b"a,b");
        }
        let _ = world.access.create_folders(&path);
        if let Ok(place) = world.access.place(&path) {
            prop_assert!(place.starts_with(world.path("bundle").canonicalize().unwrap()));
        }
        for mut file in [world.access.append(&path), world.access.create(&path)].into_iter().flatten() {
            file.write_all(b"x").unwrap();
        }
        world.secret_is_untouched();
    }
}

#[test]
fn what_a_plan_makes_is_its_users_alone_and_what_is_there_keeps_its_rights() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("there"), "x").unwrap();
    fs::set_permissions(at("there"), fs::Permissions::from_mode(0o644)).unwrap();
    let access = Access::of_user();
    access.create(&at("made")).unwrap();
    access.append(&at("log")).unwrap();
    access.create(&at("there")).unwrap();
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(["made", "log", "there"].map(mode), [0o600, 0o600, 0o644]);
}

#[test]
fn a_plan_of_others_does_not_fill_the_disk() {
    let world = World::new(&[]);
    let full = world.path("bundle/data/full");
    // A hole counts as what it would hold.
    File::create(&full)
        .unwrap()
        .set_len(refused::MOST_BYTES)
        .unwrap();
    // What came with the plan is not what it wrote.
    let came = Access::within(&world.path("bundle"), &[], []).unwrap();
    assert!(came.append(Path::new("users.csv")).is_ok());
    for made in [
        world.access.create(Path::new("more")),
        world.access.append(Path::new("users.csv")),
    ] {
        let error = made.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded);
        let Arg::Message(told) = reason(&error) else {
            panic!("{error} in both languages");
        };
        assert_eq!(told.id, "access-folder-full");
    }
    assert!(
        world.access.open(Path::new("users.csv")).is_ok(),
        "it may be read"
    );
    assert!(
        Access::of_user().append(&world.path("users")).is_ok(),
        "one's own machine"
    );
    fs::remove_file(full).unwrap();
    let again = World::new(&[]);
    assert!(again.access.create(Path::new("more")).is_ok());
}

#[test]
fn what_is_withheld_is_nobodys_file_by_any_name() {
    let world = World::new(&[]);
    let kept = world.path("runs/.workbench/plans/7");
    fs::create_dir_all(&kept).unwrap();
    let users = world.path("runs/.workbench/people.json");
    fs::write(&users, SECRET).unwrap();
    fs::write(kept.join("own.csv"), "a,b").unwrap();
    symlink(&users, world.path("by-link")).unwrap();
    symlink(world.path("runs"), world.path("folder-link")).unwrap();
    let withheld = [world.path("runs"), world.path("not-there.pem")];
    let access = Access::bounded(&kept, &[Right::Files], None, &withheld).unwrap();

    // Its own folder and what is beside are as before.
    assert_eq!(access.read(&kept.join("own.csv")).unwrap(), b"a,b");
    assert_eq!(
        access.read(&world.path("secret")).unwrap(),
        SECRET.as_bytes()
    );
    drop(access.create(&kept.join("made")).unwrap());
    let made = world.path("secret");
    access.create(&made).unwrap().write_all(b"x").unwrap();
    assert_eq!(fs::read(&made).unwrap(), b"x", "what was longer is cut off");

    let file = File::open(&users).unwrap();
    let descriptor = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
    for name in [
        users.clone(),
        world.path("by-link"),
        world.path("folder-link/.workbench/people.json"),
        kept.join("../../people.json"),
        world.path("bundle/../runs/.workbench/people.json"),
        world.path("runs/.workbench/new.json"),
        world.path("folder-link/new"),
        world.path("not-there.pem"),
        descriptor.into(),
        "/proc/self/environ".into(),
        "/proc/self/mem".into(),
    ] {
        let refused = [
            access.open(&name).err(),
            access.create(&name).err(),
            access.append(&name).err(),
            access.change(&name).err(),
            access.list(&name).err(),
            access.create_folders(&name).err(),
        ];
        for error in refused {
            let error = error.unwrap_or_else(|| panic!("{name:?}"));
            let refused = Refused::of(&error).unwrap_or_else(|| panic!("{name:?}: {error}"));
            assert_eq!(refused.message().id, "access-refused-withheld", "{name:?}");
        }
        assert!(!access.exists(&name) && !access.is_file(&name), "{name:?}");
    }
    assert_eq!(fs::read(&users).unwrap(), SECRET.as_bytes());
    assert!(!world.path("runs/.workbench/new.json").exists());
}
