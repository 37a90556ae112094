//! MySQL and MariaDB.

use crate::knob::{
    Condition, Family, Gives, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling,
};

const MYSQL: &str = "https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html";
const SERVER: &str = "https://dev.mysql.com/doc/refman/8.4/en/server-system-variables.html";
const BINLOG: &str = "https://dev.mysql.com/doc/refman/8.4/en/replication-options-binary-log.html";

/// The buffer pool is a multiple of its chunks (128 MiB, or all of it where it is smaller) in all of its instances: one
/// below 1 GiB, else eight. It is never smaller than what was wanted but for parts of a MiB, which the option has none of.
const fn pool_size(bytes: f64) -> [f64; 2] {
    const MIB: f64 = (1_u64 << 20) as f64;
    let mib = bytes / MIB;
    let step = if mib < 128.0 {
        1.0
    } else if mib < 1_024.0 {
        128.0
    } else {
        1_024.0
    };
    [bytes - bytes % MIB, bytes + step * MIB]
}

/// Buffers of joins are multiples of 128 bytes; what is beyond is left out.
const fn join_size(bytes: f64) -> [f64; 2] {
    [bytes - bytes % 128.0, bytes]
}

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "mysql",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("128M", "")],
            places: &[
                KnobPlace::new(PlaceKind::MyCnf, "[mysqld] innodb_buffer_pool_size")
                    .spelled(Spelling::Size),
            ],
            reads: &[ReadWay::Variable("innodb_buffer_pool_size")],
            source: MYSQL,
            ..Knob::bytes("mysql.buffer-pool-size", 5 << 20, 1 << 40).rounded(pool_size)
        },
        Knob {
            default: &[KnobDefault::new("151", "")],
            places: &[KnobPlace::new(PlaceKind::MyCnf, "[mysqld] max_connections")],
            reads: &[ReadWay::Variable("max_connections")],
            source: SERVER,
            ..Knob::counts("mysql.max-connections", 10, 100_000)
        },
        Knob {
            default: &[
                KnobDefault::derived("thread-cache"),
                KnobDefault::derived("thread-cache-mariadb"),
            ],
            places: &[KnobPlace::new(
                PlaceKind::MyCnf,
                "[mysqld] thread_cache_size",
            )],
            reads: &[ReadWay::Variable("thread_cache_size")],
            source: SERVER,
            ..Knob::counts("mysql.thread-cache-size", 0, 16 << 10)
        },
        Knob {
            default: &[
                KnobDefault::new("96M", "MariaDB 10.5+"),
                KnobDefault::new("48M", "MySQL < 8.0.30"),
            ],
            places: &[
                KnobPlace::new(PlaceKind::MyCnf, "[mysqld] innodb_log_file_size")
                    .spelled(Spelling::Size),
            ],
            reads: &[ReadWay::Variable("innodb_log_file_size")],
            source: MYSQL,
            ..Knob::bytes("mysql.log-file-size", 4 << 20, 64 << 30)
        },
        Knob {
            default: &[KnobDefault::new("100M", "MySQL 8.0.30+")],
            conditions: &[Condition::Needs("MySQL 8.0.30")],
            places: &[
                KnobPlace::new(PlaceKind::MyCnf, "[mysqld] innodb_redo_log_capacity")
                    .spelled(Spelling::Size),
            ],
            reads: &[ReadWay::Variable("innodb_redo_log_capacity")],
            source: MYSQL,
            ..Knob::bytes("mysql.redo-log-capacity", 8 << 20, 128 << 30)
        },
        Knob {
            default: &[KnobDefault::new("1", "")],
            gives: Some(Gives::Durability),
            places: &[KnobPlace::new(
                PlaceKind::MyCnf,
                "[mysqld] innodb_flush_log_at_trx_commit",
            )],
            reads: &[ReadWay::Variable("innodb_flush_log_at_trx_commit")],
            source: MYSQL,
            ..Knob::choice("mysql.flush-log-at-trx-commit", &["0", "1", "2"])
        },
        Knob {
            default: &[KnobDefault::new("1", "")],
            // Seconds of commits that a crash may lose.
            gives: Some(Gives::Durability),
            places: &[KnobPlace::new(
                PlaceKind::MyCnf,
                "[mysqld] innodb_flush_log_at_timeout",
            )],
            reads: &[ReadWay::Variable("innodb_flush_log_at_timeout")],
            source: MYSQL,
            ..Knob::counts("mysql.flush-log-at-timeout", 1, 2_700)
        },
        Knob {
            default: &[
                KnobDefault::new("1", "MySQL"),
                KnobDefault::new("0", "MariaDB"),
            ],
            gives: Some(Gives::Durability),
            places: &[KnobPlace::new(PlaceKind::MyCnf, "[mysqld] sync_binlog")],
            reads: &[ReadWay::Variable("sync_binlog")],
            source: BINLOG,
            ..Knob::counts("mysql.sync-binlog", 0, 10_000)
        },
        Knob {
            default: &[KnobDefault::new("on", "")],
            gives: Some(Gives::Durability),
            places: &[KnobPlace::new(
                PlaceKind::MyCnf,
                "[mysqld] innodb_doublewrite",
            )],
            reads: &[ReadWay::Variable("innodb_doublewrite")],
            source: MYSQL,
            ..Knob::switch("mysql.doublewrite")
        },
        Knob {
            default: &[
                KnobDefault::new("O_DIRECT", "MySQL 8.4, MariaDB 10.6+"),
                KnobDefault::new("fsync", "MySQL < 8.4, MariaDB < 10.6"),
            ],
            gives: Some(Gives::Durability),
            places: &[KnobPlace::new(
                PlaceKind::MyCnf,
                "[mysqld] innodb_flush_method",
            )],
            reads: &[ReadWay::Variable("innodb_flush_method")],
            source: MYSQL,
            ..Knob::choice(
                "mysql.flush-method",
                &[
                    "fsync",
                    "O_DSYNC",
                    "littlesync",
                    "nosync",
                    "O_DIRECT",
                    "O_DIRECT_NO_FSYNC",
                ],
            )
        },
        Knob {
            default: &[
                KnobDefault::new("10000", "MySQL 8.4"),
                KnobDefault::new("200", "MySQL < 8.4, MariaDB"),
            ],
            places: &[KnobPlace::new(
                PlaceKind::MyCnf,
                "[mysqld] innodb_io_capacity",
            )],
            reads: &[ReadWay::Variable("innodb_io_capacity")],
            source: MYSQL,
            ..Knob::counts("mysql.io-capacity", 100, 200_000)
        },
        Knob {
            default: &[
                KnobDefault::new("256K", "MySQL"),
                KnobDefault::new("2M", "MariaDB"),
            ],
            places: &[
                KnobPlace::new(PlaceKind::MyCnf, "[mysqld] sort_buffer_size")
                    .spelled(Spelling::Size),
            ],
            reads: &[ReadWay::Variable("sort_buffer_size")],
            source: SERVER,
            ..Knob::bytes("mysql.sort-buffer-size", 32 << 10, 256 << 20)
        },
        Knob {
            default: &[KnobDefault::new("256K", "")],
            places: &[
                KnobPlace::new(PlaceKind::MyCnf, "[mysqld] join_buffer_size")
                    .spelled(Spelling::Size),
            ],
            reads: &[ReadWay::Variable("join_buffer_size")],
            source: SERVER,
            ..Knob::bytes("mysql.join-buffer-size", 128, 256 << 20).rounded(join_size)
        },
        Knob {
            default: &[KnobDefault::new("16M", "")],
            places: &[
                KnobPlace::new(PlaceKind::MyCnf, "[mysqld] tmp_table_size").spelled(Spelling::Size)
            ],
            reads: &[ReadWay::Variable("tmp_table_size")],
            source: SERVER,
            ..Knob::bytes("mysql.tmp-table-size", 1 << 10, 4 << 30)
        },
        Knob {
            default: &[KnobDefault::new("16M", "")],
            places: &[
                KnobPlace::new(PlaceKind::MyCnf, "[mysqld] max_heap_table_size")
                    .spelled(Spelling::Size),
            ],
            reads: &[ReadWay::Variable("max_heap_table_size")],
            source: SERVER,
            ..Knob::bytes("mysql.max-heap-table-size", 16 << 10, 4 << 30)
        },
        Knob {
            default: &[
                KnobDefault::new("4000", "MySQL"),
                KnobDefault::new("2000", "MariaDB"),
            ],
            places: &[KnobPlace::new(
                PlaceKind::MyCnf,
                "[mysqld] table_open_cache",
            )],
            reads: &[ReadWay::Variable("table_open_cache")],
            source: SERVER,
            ..Knob::counts("mysql.table-open-cache", 10, 512 << 10)
        },
        Knob {
            default: &[KnobDefault::new("REPEATABLE-READ", "")],
            gives: Some(Gives::Isolation),
            places: &[KnobPlace::new(
                PlaceKind::MyCnf,
                "[mysqld] transaction_isolation",
            )],
            reads: &[
                ReadWay::Variable("transaction_isolation"),
                ReadWay::Variable("tx_isolation"),
            ],
            source: SERVER,
            ..Knob::choice(
                "mysql.isolation",
                &[
                    "READ-UNCOMMITTED",
                    "READ-COMMITTED",
                    "REPEATABLE-READ",
                    "SERIALIZABLE",
                ],
            )
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            places: &[
                KnobPlace::new(PlaceKind::MyCnf, "[mysqld] skip_name_resolve")
                    .spelled(Spelling::OneZero),
            ],
            reads: &[ReadWay::Variable("skip_name_resolve")],
            source: SERVER,
            ..Knob::switch("mysql.skip-name-resolve")
        },
        Knob {
            default: &[
                KnobDefault::derived("back-log"),
                KnobDefault::derived("back-log-fifth"),
            ],
            places: &[KnobPlace::new(PlaceKind::MyCnf, "[mysqld] back_log")],
            reads: &[ReadWay::Backlog, ReadWay::Variable("back_log")],
            source: SERVER,
            ..Knob::counts("mysql.back-log", 1, 65_535).automatic(&["-1"])
        },
    ],
};
