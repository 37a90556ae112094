//! PostgreSQL.

use crate::knob::{
    Applies, Family, Gives, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling,
};

const RESOURCE: &str = "https://www.postgresql.org/docs/current/runtime-config-resource.html";
const CONNECTION: &str = "https://www.postgresql.org/docs/current/runtime-config-connection.html";
const WAL: &str = "https://www.postgresql.org/docs/current/runtime-config-wal.html";
const QUERY: &str = "https://www.postgresql.org/docs/current/runtime-config-query.html";
const CLIENT: &str = "https://www.postgresql.org/docs/current/runtime-config-client.html";

/// What a number without a unit counts, by `SELECT name, unit FROM pg_settings`.
const KILOBYTES: Spelling = Spelling::PostgresSize(1 << 10);
const PAGES: Spelling = Spelling::PostgresSize(8 << 10);
const MEGABYTES: Spelling = Spelling::PostgresSize(1 << 20);

/// A number becomes the nearest one in the unit of its parameter (`convert_to_base_unit`).
const fn near(number: f64, unit: u32) -> [f64; 2] {
    let half = unit as f64 / 2.0;
    [number - half, number + half]
}

const fn page(number: f64) -> [f64; 2] {
    near(number, 8 << 10)
}

const fn megabyte(number: f64) -> [f64; 2] {
    near(number, 1 << 20)
}

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "postgres",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("128MB", "")],
            places: &[KnobPlace::new(PlaceKind::Postgres, "shared_buffers").spelled(PAGES)],
            reads: &[ReadWay::PostgresSetting("shared_buffers")],
            source: RESOURCE,
            ..Knob::bytes("postgres.shared-buffers", 128 << 10, 1 << 40).rounded(page)
        },
        Knob {
            default: &[KnobDefault::new("4MB", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Postgres, "work_mem").spelled(KILOBYTES)],
            reads: &[ReadWay::PostgresSetting("work_mem")],
            source: RESOURCE,
            ..Knob::bytes("postgres.work-mem", 64 << 10, 16 << 30)
        },
        Knob {
            default: &[KnobDefault::new("100", "")],
            places: &[KnobPlace::new(PlaceKind::Postgres, "max_connections")],
            reads: &[ReadWay::PostgresSetting("max_connections")],
            source: CONNECTION,
            ..Knob::counts("postgres.max-connections", 5, 10_000)
        },
        Knob {
            default: &[KnobDefault::new("4GB", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Postgres, "effective_cache_size").spelled(PAGES)],
            reads: &[ReadWay::PostgresSetting("effective_cache_size")],
            source: QUERY,
            ..Knob::bytes("postgres.effective-cache-size", 8 << 20, 1 << 40).rounded(page)
        },
        Knob {
            default: &[KnobDefault::new("4", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Postgres, "random_page_cost")],
            reads: &[ReadWay::PostgresSetting("random_page_cost")],
            source: QUERY,
            ..Knob::counts("postgres.random-page-cost", 1, 10).parts()
        },
        Knob {
            default: &[KnobDefault::new("on", "")],
            applies: Applies::Reload,
            gives: Some(Gives::Durability),
            places: &[KnobPlace::new(PlaceKind::Postgres, "synchronous_commit")],
            reads: &[ReadWay::PostgresSetting("synchronous_commit")],
            source: WAL,
            ..Knob::choice(
                "postgres.synchronous-commit",
                &["off", "local", "remote_write", "on", "remote_apply"],
            )
        },
        Knob {
            default: &[KnobDefault::new("on", "")],
            applies: Applies::Reload,
            gives: Some(Gives::Durability),
            places: &[KnobPlace::new(PlaceKind::Postgres, "fsync")],
            reads: &[ReadWay::PostgresSetting("fsync")],
            source: WAL,
            ..Knob::switch("postgres.fsync")
        },
        Knob {
            default: &[KnobDefault::new("on", "")],
            applies: Applies::Reload,
            gives: Some(Gives::Durability),
            places: &[KnobPlace::new(PlaceKind::Postgres, "full_page_writes")],
            reads: &[ReadWay::PostgresSetting("full_page_writes")],
            source: WAL,
            ..Knob::switch("postgres.full-page-writes")
        },
        Knob {
            default: &[KnobDefault::new("-1", "")],
            places: &[KnobPlace::new(PlaceKind::Postgres, "wal_buffers").spelled(PAGES)],
            reads: &[ReadWay::PostgresSetting("wal_buffers")],
            source: WAL,
            ..Knob::bytes("postgres.wal-buffers", 32 << 10, 1 << 30)
                .automatic(&["-1"])
                .rounded(page)
        },
        Knob {
            default: &[KnobDefault::new("1GB", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Postgres, "max_wal_size").spelled(MEGABYTES)],
            reads: &[ReadWay::PostgresSetting("max_wal_size")],
            source: WAL,
            ..Knob::bytes("postgres.max-wal-size", 64 << 20, 1 << 40).rounded(megabyte)
        },
        Knob {
            default: &[KnobDefault::new("read committed", "")],
            applies: Applies::Reload,
            gives: Some(Gives::Isolation),
            places: &[KnobPlace::new(
                PlaceKind::Postgres,
                "default_transaction_isolation",
            )],
            reads: &[ReadWay::PostgresSetting("default_transaction_isolation")],
            source: CLIENT,
            ..Knob::choice(
                "postgres.isolation",
                &[
                    "read uncommitted",
                    "read committed",
                    "repeatable read",
                    "serializable",
                ],
            )
        },
        Knob {
            default: &[KnobDefault::new("on", "12+")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Postgres, "jit")],
            reads: &[ReadWay::PostgresSetting("jit")],
            source: QUERY,
            ..Knob::switch("postgres.jit")
        },
    ],
};
