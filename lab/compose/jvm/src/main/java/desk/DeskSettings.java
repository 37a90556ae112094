package desk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;

/** The file that a service is started with; lab/compose/README.md describes it. */
@JsonIgnoreProperties(ignoreUnknown = true)
record DeskSettings(
        String server, String name, String host, int port, String records, String directory, int threads,
        Map<String, Gate> gates, Map<String, Object> locks, Map<String, Pool> pools,
        Map<String, Store> stores, Map<String, Neighbour> neighbours, Map<String, List<Step>> routes) {

    /** Lets so many in at a time. */
    record Gate(int permits) {}

    /** Keeps connections to a store. */
    record Pool(String store, int max) {}

    /** A database or a cache. */
    record Store(String kind, String host, int port, String user, String password, String database,
            String table, int rows) {}

    /** Another service. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Neighbour(String url) {}

    /** One thing a route does. */
    record Step(@JsonProperty("do") String what, String how, String name, int rounds, double ms, Double share, int tries,
            @JsonProperty("again_ms") double againMs, int count, int bytes, boolean sync, int keep, int most,
            List<Step> steps) {}
}
