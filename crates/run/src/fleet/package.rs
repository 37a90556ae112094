//! A plan on its way to workers: its files, the options it was started with, and those variables
//! of the environment that it names, in one encrypted bundle.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use plimsoll_access::{Access, Right};
use plimsoll_fleet::bundle::{Bundle, BundleError, BundleLimits, PublicKey, Unpacked, WorkerKey};
use plimsoll_fleet::controller::RunPackage;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

use super::files;
use crate::request::is_url;
use crate::{LoadSettings, PlanSource, ReadyPlan, UnpackedPlan};

/// The file of the bundle that holds the [`Recipe`].
const RECIPE: &str = ".plimsoll/recipe.json";

/// What a worker needs beside the plan's files.
#[derive(Debug, Serialize, Deserialize)]
pub struct Recipe {
    source: PlanSource,
    load: LoadSettings,
    env: Vec<(String, String)>,
}

/// Packs a plan, and gives what workers get ready from.
///
/// # Errors
/// Files that cannot be read or lie outside the plan's folder.
pub fn pack(
    ready: &ReadyPlan,
    source: &PlanSource,
    load: &LoadSettings,
    more: &[PathBuf],
) -> Result<RunPackage, Message> {
    let mut bundle = Bundle::new();
    let mut recipe = Recipe {
        source: source.clone(),
        load: LoadSettings {
            // The target is watched once, by the controller.
            watch: Vec::new(),
            watch_allow_capture: false,
            outputs: Vec::new(),
            ..load.clone()
        },
        env: named_environment(ready),
    };
    add_files(&mut bundle, &mut recipe, ready, more)?;
    let json =
        serde_json::to_vec(&recipe).map_err(|error| unreadable(Path::new(RECIPE), &error))?;
    bundle.add(RECIPE, json.into()).map_err(|error| error.0)?;
    let (block, key) = bundle.lock().map_err(|error| error.0)?;
    Ok(RunPackage {
        bundle: block.into(),
        seal: Box::new(move |public| {
            let sealed = PublicKey::parse(public).and_then(|public| key.seal(&public));
            sealed
                .map(|sealed| STANDARD.encode(sealed))
                .map_err(|error| error.0)
        }),
    })
}

/// The plan's own file, files of properties, and what the plan or the command line names.
fn add_files(
    bundle: &mut Bundle,
    recipe: &mut Recipe,
    ready: &ReadyPlan,
    more: &[PathBuf],
) -> Result<(), Message> {
    let plan = recipe.source.plan.clone();
    let folder = match is_url(&plan) {
        true => PathBuf::from("."),
        false => {
            let path = Path::new(&plan);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            add(bundle, &name, path)?;
            recipe.source.plan = name.into_owned();
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            folder.unwrap_or(Path::new(".")).to_owned()
        }
    };
    for (number, file) in recipe.source.jmeter.files.iter_mut().enumerate() {
        let name = format!(".plimsoll/properties-{number}");
        add(bundle, &name, file)?;
        *file = name.into();
    }
    for (number, file) in recipe.source.jmeter.system_files.iter_mut().enumerate() {
        let name = format!(".plimsoll/system-properties-{number}");
        add(bundle, &name, file)?;
        *file = name.into();
    }
    let globals = recipe.source.jmeter.global.iter_mut();
    for (number, file) in globals.filter(|of| !of.contains('=')).enumerate() {
        let name = format!(".plimsoll/global-properties-{number}");
        add(bundle, &name, Path::new(&*file))?;
        *file = name;
    }
    let mut names = BTreeSet::new();
    for used in files::uses(&ready.program) {
        // What workers would have to allow they refuse by themselves.
        let path = used.path.clone().filter(|_| used.read && used.is_inside());
        names.extend(path.filter(|path| folder.join(path).is_file()));
    }
    let named: Result<BTreeSet<String>, Message> =
        more.iter().map(|path| below(path, &folder)).collect();
    let named = named?;
    for name in names.difference(&named) {
        check_inside(&folder.join(name), &folder)?;
    }
    names.extend(named);
    names.remove(&recipe.source.plan);
    for name in names {
        add(bundle, &normal(&name), &folder.join(&name))?;
    }
    Ok(())
}

/// A link of the plan's folder may lead anywhere: what it leads to is sent only if whoever starts
/// the run names it.
fn check_inside(path: &Path, folder: &Path) -> Result<(), Message> {
    let whole = |path: &Path| std::fs::canonicalize(path).map_err(|error| unreadable(path, &error));
    match whole(path)?.starts_with(whole(folder)?) {
        true => Ok(()),
        false => Err(outside(path, folder)),
    }
}

/// A name without `./` in it.
fn normal(name: &str) -> String {
    let parts = Path::new(name).components();
    let parts = parts.filter(|part| !matches!(part, std::path::Component::CurDir));
    parts.collect::<PathBuf>().to_string_lossy().into_owned()
}

fn add(bundle: &mut Bundle, name: &str, path: &Path) -> Result<(), Message> {
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    bundle.add(name, bytes.into()).map_err(|error| error.0)
}

fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> Message {
    Message::new("fleet-bundle-unreadable")
        .with("path", path.display().to_string())
        .with("reason", reason.to_string())
}

/// A path as it is called from the plan's folder.
fn below(path: &Path, folder: &Path) -> Result<String, Message> {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (file, folder) = (whole(path), whole(folder));
    let inside = file.strip_prefix(&folder).ok();
    let inside = inside.map(|path| path.to_string_lossy().into_owned());
    inside
        .filter(|path| files::is_inside(path))
        .ok_or_else(|| outside(path, &folder))
}

fn outside(path: &Path, folder: &Path) -> Message {
    Message::new("fleet-bundle-outside")
        .with("path", path.display().to_string())
        .with("folder", folder.display().to_string())
}

/// Variables of the environment whose names stand in the plan: nothing else leaves this host.
fn named_environment(ready: &ReadyPlan) -> Vec<(String, String)> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: BTreeSet<&str> = ready.text.split(|c| !word(c)).collect();
    let pairs = std::env::vars_os();
    let pairs = pairs
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    pairs
        .filter(|(name, _)| words.contains(name.as_str()))
        .collect()
}

/// Opens a bundle on a worker: its folder, and what to load from it with these rights.
///
/// # Errors
/// A bundle for somebody else, a damaged one, or a disk that fails.
pub fn open(
    block: &Bytes,
    sealed_key: &str,
    own: &WorkerKey,
    parent: &Path,
    rights: &[Right],
) -> Result<(Unpacked, PlanSource, LoadSettings), Message> {
    let told = |error: BundleError| error.0;
    let sealed = unsealed(sealed_key)?;
    let key = own.open_key(&sealed).map_err(told)?;
    let bundle = Bundle::unlock(block, &key, &BundleLimits::default()).map_err(told)?;
    let recipe = bundle.get(RECIPE).map(|json| serde_json::from_slice(json));
    let recipe: Recipe = match recipe {
        Some(Ok(recipe)) => recipe,
        Some(Err(error)) => return Err(unreadable(Path::new(RECIPE), &error)),
        None => return Err(unreadable(Path::new(RECIPE), &"-")),
    };
    let unpacked = bundle.unpack(parent).map_err(told)?;
    let folder = unpacked.path().to_owned();
    let mut source = recipe.source;
    // Whoever made the recipe says nothing of files that are not in the bundle.
    let inside = |path: &str| match files::is_inside(path) {
        true => Ok(folder.join(path)),
        false => Err(unreadable(Path::new(path), &"-")),
    };
    if !is_url(&source.plan) {
        source.plan = inside(&source.plan)?.display().to_string();
    }
    let jmeter = &mut source.jmeter;
    for file in jmeter.files.iter_mut().chain(&mut jmeter.system_files) {
        *file = inside(&file.to_string_lossy())?;
    }
    for file in jmeter.global.iter_mut().filter(|of| !of.contains('=')) {
        *file = inside(file)?.display().to_string();
    }
    let access = Access::within(&folder, rights, recipe.env.iter().cloned());
    let access = access.map_err(|error| unreadable(&folder, &error))?;
    source.unpacked = Some(UnpackedPlan {
        access,
        folder,
        env: recipe.env,
    });
    Ok((unpacked, source, recipe.load))
}

/// Bytes as they travel in messages.
///
/// # Errors
/// A text that holds none.
pub fn unsealed(text: &str) -> Result<Vec<u8>, Message> {
    STANDARD
        .decode(text)
        .map_err(|error| Message::new("fleet-bad-order").with("reason", error.to_string()))
}

/// The opposite of [`unsealed`].
#[must_use]
pub fn as_text(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}
