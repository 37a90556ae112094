//! Functions of well-known programs, runtimes and libraries, and what work they are: what a process computes is told by
//! their names, also where nothing tells its own code or its statements.

use super::threads::{SeenThread, Stacks};

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct KnownWork {
    /// Its key in texts.
    pub what: &'static str,
    /// The beginnings of the functions in which it is done, or of the files of libraries that do nothing else.
    pub names: &'static [&'static str],
    /// From this share of the CPU on it is no work of the request's own, but what a missing index or a like cause makes
    /// of it.
    pub waste_from: f64,
}

/// What is looked for.
///
/// Names: MariaDB `sql/handler.h`, `sql/filesort.cc`; MySQL `sql/iterators`; PostgreSQL `access/heapam.h`,
/// `utils/tuplesort.h`, `optimizer/planner.h`, `regex/regex.h`; V8 `src/builtins/builtins-json.cc`, `src/regexp`,
/// `src/heap`; CPython `Modules/_json.c`, `Modules/_sre`, `Modules/gcmodule.c`; Ruby `gc.c`, `regexec.c`; PHP
/// `ext/json`, `ext/pcre`, `Zend/zend_gc.c`, `Zend/zend_language_parser.y`; PostgreSQL's JIT `jit/llvm`; Perl `perly.c`; Erlang `erts/emulator/beam/copy.c`; OpenSSL `crypto/bn`, `crypto/ec`,
/// `crypto/sha`; zlib `deflate.c`; libraries by the names that Debian gives their files.
const WORKS: &[KnownWork] = &[
    KnownWork {
        what: "scan",
        names: &[
            "handler::ha_rnd_next(",
            "TableScanIterator::Read(",
            "heap_getnextslot",
            "heap_getnext",
        ],
        waste_from: 0.0,
    },
    work(
        "sort",
        &[
            "filesort(",
            "tuplesort_performsort",
            "tuplesort_puttupleslot",
        ],
    ),
    work("planning", &["standard_planner", "JOIN::optimize("]),
    work(
        "json-parse",
        &[
            "v8::internal::Builtin_JsonParse(",
            "v8::internal::JsonParser<",
            "php_json_yyparse",
            "scan_once_unicode",
        ],
    ),
    work(
        "json-write",
        &[
            "v8::internal::Builtin_JsonStringify(",
            "v8::internal::JsonStringify(",
            "php_json_encode_zval",
            "encoder_listencode_",
        ],
    ),
    rarely(work(
        "pattern",
        &[
            "v8::internal::RegExp",
            "Builtins_RegExp",
            "pcre2_match",
            "php_pcre_",
            "pg_regexec",
            "sre_ucs1_match",
            "sre_ucs2_match",
            "onig_search",
            "rb_reg_search",
            "libpcre",
            "libonig.so",
            "libre2.so",
        ],
    )),
    work(
        "json",
        &[
            "cjson.so",
            "libyajl.so",
            "libjansson.so",
            "libjson-c.so",
            "orjson.",
            "ujson.",
        ],
    ),
    work("xml", &["libxml2.so", "libexpat.so", "pyexpat."]),
    work(
        "compression",
        &[
            "libz.so",
            "libbrotlienc.so",
            "libzstd.so",
            "deflate_fast",
            "deflate_slow",
            "deflate_medium",
            "longest_match",
        ],
    ),
    work(
        "cryptography",
        &[
            "libcrypto.so",
            "libcrypt.so",
            "libargon2.so",
            "_bcrypt.",
            "bn_mul_mont",
            "bn_sqr",
            "ecp_nistz256_",
            "sha1_block_data_order",
            "sha256_block_data_order",
            "sha512_block_data_order",
            "PKCS5_PBKDF2_HMAC",
        ],
    ),
    work(
        "images",
        &[
            "libjpeg.so",
            "libpng16.so",
            "libwebp.so",
            "libgd.so",
            "libMagickCore",
            "_imaging.",
            "libvips.so",
        ],
    ),
    // What is compiled for each request is compiled each time anew.
    KnownWork {
        what: "compiling",
        names: &[
            "libLLVM",
            "llvmjit.so",
            "llvm::",
            "zendparse",
            "lex_scan",
            "zend_compile",
            "compile_file",
            "zend_optimize_script",
            "_PyParser_",
            "_PyAST_Compile",
            "Perl_yyparse",
            "rb_iseq_compile",
            "v8::internal::Compiler::",
            "v8::internal::parsing::",
            // Languages of templates and of expressions.
            "Twig\\Environment::compileSource",
            "Twig\\Lexer::",
            "Twig\\Parser::",
            "Twig\\Compiler::",
            "Smarty_Internal_TemplateCompilerBase::",
            "Illuminate\\View\\Compilers\\",
            "environment.Environment.compile",
            "_compiler.compile",
            "sre_compile.compile",
            "ERB::Compiler",
        ],
        waste_from: SURELY_WASTE,
    },
    rarely(work(
        "copying",
        &["copy_struct_x", "size_object_x", "copy_shallow_x"],
    )),
    rarely(work(
        "collection",
        &[
            "v8::internal::Heap::CollectGarbage(",
            "v8::internal::Heap::PerformGarbageCollection(",
            "gc_collect_main",
            "collect_generations",
            "zend_gc_collect_cycles",
            "runtime.gcBgMarkWorker",
            "runtime.gcDrain",
            "erts_garbage_collect",
        ],
    )),
];

/// What a request may be for, but hardly for mostly that: patterns that backtrack, memory that is full, terms that go
/// whole from one process to another.
const HARDLY_MOSTLY: f64 = 0.6;
/// What no request is for, beyond a part that programs of any kind have.
const SURELY_WASTE: f64 = 0.4;

const fn work(what: &'static str, names: &'static [&'static str]) -> KnownWork {
    KnownWork {
        what,
        names,
        waste_from: f64::INFINITY,
    }
}

const fn rarely(work: KnownWork) -> KnownWork {
    KnownWork {
        waste_from: HARDLY_MOSTLY,
        ..work
    }
}

/// Work that threads are at, with the function by which it is known.
pub(crate) struct SeenWork {
    pub work: KnownWork,
    pub function: String,
    /// Of the threads that compute, the share that is at it.
    pub share: f64,
}

/// The known work that most computing threads are at; of works within each other the innermost counts.
pub(crate) fn most(stacks: &Stacks) -> Option<SeenWork> {
    let computing = stacks.count(SeenThread::computes).max(1e-9);
    let seen = WORKS.iter().filter_map(|work| {
        let function = |seen: &SeenThread| {
            let (at, function) = innermost(seen).filter(|_| seen.computes())?;
            (at.what == work.what).then(|| short(function))
        };
        let first = stacks.threads.iter().find_map(function)?;
        Some(SeenWork {
            work: *work,
            function: first,
            share: stacks.count(|seen| function(seen).is_some()) / computing,
        })
    });
    seen.reduce(|most, one| if one.share > most.share { one } else { most })
}

/// The innermost work of a stack, with its function.
fn innermost(seen: &SeenThread) -> Option<(&'static KnownWork, &str)> {
    let mut frames = seen.thread.frames.iter();
    frames.find_map(|frame| {
        let is_at = |work: &&KnownWork| {
            let library = frame.library.as_deref().unwrap_or_default();
            let mut names = work.names.iter();
            names.any(|name| frame.method.starts_with(name) || library.starts_with(name))
        };
        Some((WORKS.iter().find(is_at)?, frame.method.as_str()))
    })
}

/// A function without what it is given, and without what its templates are made of.
fn short(function: &str) -> String {
    let end = function.find(['(', '<']).unwrap_or(function.len());
    function[..end].to_owned()
}
