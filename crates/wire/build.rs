//! Compiles the program that runs in the kernel, where there is clang. Without it the crate builds all the same, and says
//! at run time that the program is missing.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=bpf");
    println!("cargo::rerun-if-env-changed=CLANG");
    let source = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("bpf/unix.bpf.c");
    let object = PathBuf::from(std::env::var("OUT_DIR")?).join("unix.bpf.o");
    let target = match std::env::var("CARGO_CFG_TARGET_ENDIAN")?.as_str() {
        "big" => "bpfeb",
        _ => "bpfel",
    };
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let compiled = Command::new(&clang)
        .args(["-target", target, "-O2", "-g", "-Wall", "-Werror", "-c"])
        .arg(&source)
        .arg("-o")
        .arg(&object)
        .output();
    let lacking = match compiled {
        Ok(done) if done.status.success() => return Ok(()),
        Ok(done) => String::from_utf8_lossy(&done.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    for line in lacking.lines() {
        println!("cargo::warning=hops by Unix sockets will be sampled only: {clang}: {line}");
    }
    Ok(fs::write(object, [])?)
}
