package desk;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;

/** Pools of connections to databases and caches. */
final class DeskShelves {
    private final DeskSettings settings;
    private final Map<String, HikariDataSource> tables = new HashMap<>();
    private final Map<String, JedisPool> caches = new HashMap<>();

    DeskShelves(DeskSettings settings) {
        this.settings = settings;
        settings.pools().forEach((name, pool) -> {
            DeskSettings.Store store = settings.stores().get(pool.store());
            if (store.kind().equals("redis")) {
                JedisPoolConfig config = new JedisPoolConfig();
                config.setMaxTotal(pool.max());
                config.setMaxIdle(pool.max());
                caches.put(name, new JedisPool(config, store.host(), store.port()));
                return;
            }
            HikariConfig config = new HikariConfig();
            config.setPoolName(name);
            config.setJdbcUrl("jdbc:" + store.kind() + "://" + store.host() + ":" + store.port() + "/" + store.database());
            config.setUsername(store.user());
            config.setPassword(store.password());
            config.setMaximumPoolSize(pool.max());
            config.setMinimumIdle(Math.min(pool.max(), 10));
            tables.put(name, new HikariDataSource(config));
        });
    }

    void query(DeskVisit visit, DeskSettings.Step step) throws SQLException, InterruptedException {
        DeskSettings.Store store = settings.stores().get(settings.pools().get(step.name()).store());
        long begin = System.nanoTime();
        try (Connection connection = tables.get(step.name()).getConnection()) {
            visit.add("line:pool:" + step.name(), begin);
            begin = System.nanoTime();
            for (int i = 0; i < Math.max(step.count(), 1); i++) {
                statement(connection, store, step);
            }
        }
        visit.add("db", begin);
    }

    private static void statement(Connection connection, DeskSettings.Store store, DeskSettings.Step step)
            throws SQLException, InterruptedException {
        int number = ThreadLocalRandom.current().nextInt(step.keep() > 0 ? step.keep() : store.rows()) + 1;
        switch (step.how()) {
            case "change" -> change(connection, store, step, number);
            case "list" -> read(connection, "SELECT amount_cents FROM " + store.table() + " WHERE customer_id = "
                    + (1 + number % (store.rows() / 100)));
            default -> read(connection, "SELECT amount_cents FROM " + store.table() + " WHERE id = " + number);
        }
    }

    private static void change(Connection connection, DeskSettings.Store store, DeskSettings.Step step, int number)
            throws SQLException, InterruptedException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "UPDATE " + store.table() + " SET amount_cents = amount_cents + 1 WHERE id = " + number);
            Thread.sleep(Math.round(step.ms()));
            connection.commit();
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static void read(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(text)) {
            while (rows.next()) {
                rows.getInt(1);
            }
        }
    }

    void get(DeskVisit visit, DeskSettings.Step step) {
        long begin = System.nanoTime();
        try (Jedis cache = caches.get(step.name()).getResource()) {
            visit.add("line:pool:" + step.name(), begin);
            begin = System.nanoTime();
            for (int i = 0; i < Math.max(step.count(), 1); i++) {
                cache.get("entry:" + ThreadLocalRandom.current().nextInt(1000));
            }
        }
        visit.add("cache", begin);
    }
}
