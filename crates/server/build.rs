//! Puts the UI into the binary, where it was built: each file of `web/dist`, compressed.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    // A folder that is not there would have this run at each build: `make web` touches this file instead.
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let dist = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../web/dist");
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        println!("cargo::rerun-if-changed={}", dist.display());
        collect(&dist, &mut files)?;
        files.sort();
    }
    let mut table = String::from("&[\n");
    for (number, path) in files.iter().enumerate() {
        let packed = out.join(format!("web-{number}.gz"));
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&fs::read(path)?)?;
        fs::write(&packed, encoder.finish()?)?;
        let name = path
            .strip_prefix(&dist)?
            .to_string_lossy()
            .replace('\\', "/");
        writeln!(table, "({name:?}, include_bytes!({packed:?}).as_slice()),")?;
    }
    table.push(']');
    fs::write(out.join("web.rs"), table)?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failed> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
