package io.plimsoll.lab;

import java.util.Set;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/** Leaves the database and Redis out unless they are configured: most cases have neither. */
final class OptionalTiers implements AutoConfigurationImportFilter, EnvironmentAware {

    private static final String DATA_SOURCE =
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration";
    private static final Set<String> REDIS = Set.of(
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisReactiveAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisRepositoriesAutoConfiguration");

    private Environment environment;

    @Override
    public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public boolean[] match(String[] classes, AutoConfigurationMetadata metadata) {
        boolean database = environment.containsProperty("spring.datasource.url");
        boolean redis = environment.containsProperty("spring.data.redis.port");
        boolean[] wanted = new boolean[classes.length];
        for (int i = 0; i < classes.length; i++) {
            // Places of classes that another filter left out are null.
            wanted[i] = classes[i] != null
                    && (database || !DATA_SOURCE.equals(classes[i]))
                    && (redis || !REDIS.contains(classes[i]));
        }
        return wanted;
    }
}
