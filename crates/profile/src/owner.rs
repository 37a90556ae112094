//! To whom a function belongs: the user's own code, or which library, program or platform.
//!
//! What a distribution installs is not the user's own: programs below `/usr` (but `/usr/local`),
//! shared libraries wherever they are, crates and modules that others publish.

use crate::go::GoBuild;

/// What is known of the binary that a function is in.
pub(crate) struct FunctionOwner<'a> {
    /// The file's name: `libz.so.1`.
    pub(crate) name: &'a str,
    /// The file's path as the process sees it.
    pub(crate) path: &'a str,
    /// Whether it is the program and no library.
    pub(crate) is_program: bool,
    /// What a Go program was built from.
    pub(crate) go: Option<&'a GoBuild>,
}

impl FunctionOwner<'_> {
    /// The library that a function belongs to, by its demangled name and its file; none: the user's
    /// own code.
    pub(crate) fn library_of(
        &self,
        function: &str,
        file: Option<&str>,
        is_rust: bool,
    ) -> Option<String> {
        if let Some(go) = self.go {
            return go.library_of(function);
        }
        if !self.is_program || self.is_installed() || is_interpreter(self.name) {
            return Some(self.name.to_owned());
        }
        if is_rust {
            return rust_library(function, file, self.name);
        }
        header_library(file?)
    }

    fn is_installed(&self) -> bool {
        let by_distribution = [
            "/usr/bin/",
            "/usr/sbin/",
            "/usr/lib/",
            "/usr/libexec/",
            "/bin/",
            "/sbin/",
        ];
        by_distribution
            .iter()
            .any(|folder| self.path.starts_with(folder))
    }
}

/// The library whose parts were compiled in, by the header that they stand in: `boost` of
/// `/usr/include/boost/regex.hpp`.
fn header_library(file: &str) -> Option<String> {
    if file.starts_with("/usr/lib/") || file.starts_with("/usr/include/c++/") {
        return Some("libstdc++".to_owned());
    }
    let below = file.strip_prefix("/usr/include/")?;
    let name = below.split('/').next().unwrap_or(below);
    Some(
        name.trim_end_matches(".hpp")
            .trim_end_matches(".h")
            .to_owned(),
    )
}

/// Whether a program runs others' code, wherever it is installed.
fn is_interpreter(name: &str) -> bool {
    let names = [
        "python", "node", "php", "ruby", "perl", "lua", "beam.smp", "java", "dotnet",
    ];
    names.iter().any(|begin| name.starts_with(begin))
}

/// The crate of a function of Rust; none of the program's own. Where no file is known it is own if
/// the crate is called as the program is.
fn rust_library(function: &str, file: Option<&str>, program: &str) -> Option<String> {
    let begin = function.trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
    let end = begin.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let name = &begin[..end.unwrap_or(begin.len())];
    let of_language = ["std", "core", "alloc"].contains(&name);
    if of_language || file.is_some_and(|file| file.starts_with("/rustc/")) {
        return Some("std".to_owned());
    }
    let is_own = match file {
        Some(file) => !file.contains("/.cargo/") && !file.contains("/cargo/registry/"),
        None => name == program.replace('-', "_"),
    };
    (!is_own).then(|| name.to_owned())
}

/// The library that a file of an interpreted language belongs to; none: the user's own.
pub(crate) fn script_library(file: &str) -> Option<String> {
    // Of several the last: packages bring others below themselves.
    for folder in [
        "/site-packages/",
        "/dist-packages/",
        "/node_modules/",
        "/vendor/",
    ] {
        if let Some((_, below)) = file.rsplit_once(folder) {
            let parts = below.split('/').count();
            let of_vendor = folder == "/vendor/" || below.starts_with('@');
            let named = below
                .split('/')
                .take(if of_vendor && parts > 2 { 2 } else { 1 });
            let name = named.collect::<Vec<_>>().join("/");
            return Some(name.trim_end_matches(".py").to_owned());
        }
    }
    if let Some(frozen) = file.strip_prefix("<frozen ") {
        return Some(frozen.trim_end_matches('>').to_owned());
    }
    if let Some(inner) = file.strip_prefix("node:") {
        return Some(format!("node:{}", inner.split(':').next().unwrap_or(inner)));
    }
    standard_python(file)
}

/// The module of Python's own library that a file is of: `json` of `/usr/lib/python3.11/json/decoder.py`.
fn standard_python(file: &str) -> Option<String> {
    let (_, below) = file.rsplit_once("/lib/python")?;
    let (version, module) = below.split_once('/')?;
    let is_version = version.chars().all(|c| c.is_ascii_digit() || c == '.');
    let module = module.split('/').next()?.trim_end_matches(".py");
    (is_version && !module.is_empty()).then(|| module.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_belong_to_packages() {
        for (file, library) in [
            ("/srv/app/shop.py", None),
            (
                "/srv/venv/lib/python3.11/site-packages/flask/app.py",
                Some("flask"),
            ),
            ("/usr/lib/python3/dist-packages/six.py", Some("six")),
            ("/usr/lib/python3.11/json/decoder.py", Some("json")),
            ("/usr/lib/python3.11/hashlib.py", Some("hashlib")),
            (
                "<frozen importlib._bootstrap>",
                Some("importlib._bootstrap"),
            ),
            (
                "/srv/app/node_modules/express/lib/router/index.js",
                Some("express"),
            ),
            (
                "/srv/app/node_modules/@nestjs/core/router.js",
                Some("@nestjs/core"),
            ),
            ("/srv/app/node_modules/a/node_modules/b/index.js", Some("b")),
            (
                "node:internal/fs/promises",
                Some("node:internal/fs/promises"),
            ),
            (
                "/var/www/vendor/symfony/http-kernel/Kernel.php",
                Some("symfony/http-kernel"),
            ),
            ("/var/www/vendor/autoload.php", Some("autoload.php")),
            ("/var/www/index.php", None),
        ] {
            assert_eq!(script_library(file).as_deref(), library, "{file}");
        }
    }

    #[test]
    fn headers_belong_to_libraries() {
        let of = |file| header_library(file);
        let standard = "/usr/include/c++/12/bits/stl_vector.h";
        assert_eq!(of(standard).as_deref(), Some("libstdc++"));
        let boost = "/usr/include/boost/regex/v5/match.hpp";
        assert_eq!(of(boost).as_deref(), Some("boost"));
        assert_eq!(of("/srv/shop/main.cpp"), None);
    }

    #[test]
    fn programs_of_a_distribution_are_not_the_users_own() {
        let owner = |path: &'static str, is_program| FunctionOwner {
            name: path.rsplit('/').next().unwrap_or(path),
            path,
            is_program,
            go: None,
        };
        let library = |owner: FunctionOwner<'_>| owner.library_of("work", None, false);
        assert_eq!(
            library(owner("/usr/sbin/nginx", true)).as_deref(),
            Some("nginx")
        );
        assert_eq!(library(owner("/srv/shop/bin/shop", true)), None);
        assert_eq!(library(owner("/usr/local/bin/shop", true)), None);
        assert_eq!(
            library(owner("/usr/local/bin/node", true)).as_deref(),
            Some("node")
        );
        assert_eq!(
            library(owner("/srv/shop/libz.so.1", false)).as_deref(),
            Some("libz.so.1")
        );
    }

    #[test]
    fn functions_of_rust_belong_to_crates() {
        let of = |function, file| rust_library(function, file, "web-shop");
        assert_eq!(of("web_shop::cart::add", None), None);
        assert_eq!(of("<web_shop::Cart as core::ops::Drop>::drop", None), None);
        assert_eq!(of("core::fmt::write", None).as_deref(), Some("std"));
        assert_eq!(
            of("<&serde_json::Value>::get", None).as_deref(),
            Some("serde_json")
        );
        let cargo = "/home/dev/.cargo/registry/src/x/serde-1/src/lib.rs";
        assert_eq!(of("serde::de::from", Some(cargo)).as_deref(), Some("serde"));
        assert_eq!(
            of("own_library::work", Some("/srv/shop/own/src/lib.rs")),
            None
        );
    }
}
