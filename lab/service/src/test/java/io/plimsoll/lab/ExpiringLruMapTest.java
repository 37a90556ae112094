package io.plimsoll.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ExpiringLruMapTest {

    private final AtomicLong nowNanos = new AtomicLong();

    @Test
    void theEntryUsedLongestAgoLeavesFirst() {
        ExpiringLruMap<String, Integer> map = map(2);
        map.put("a", 1);
        map.put("b", 2);
        assertThat(map.get("a")).hasValue(1);
        map.put("c", 3);
        assertThat(map.get("b")).isEmpty();
        assertThat(map.get("a")).hasValue(1);
        assertThat(map.get("c")).hasValue(3);
    }

    @Test
    void anEntryExpiresOnlyWhenUnused() {
        ExpiringLruMap<String, Integer> map = map(10);
        map.put("used", 1);
        map.put("unused", 2);
        pass(6);
        assertThat(map.get("used")).hasValue(1);
        pass(6);
        assertThat(map.get("used")).hasValue(1);
        assertThat(map.get("unused")).isEmpty();
    }

    @Test
    void expiredEntriesLeaveTheHeapWithoutBeingAskedFor() {
        ExpiringLruMap<String, Integer> map = map(10);
        map.put("a", 1);
        map.put("b", 2);
        pass(11);
        map.put("c", 3);
        assertThat(map.size()).isEqualTo(1);
    }

    @Test
    void aReplacedOrRemovedEntryIsGone() {
        ExpiringLruMap<String, Integer> map = map(10);
        map.put("a", 1);
        map.put("a", 2);
        assertThat(map.get("a")).hasValue(2);
        map.remove("a");
        assertThat(map.get("a")).isEmpty();
        assertThat(map.size()).isZero();
    }

    @Test
    void theBoundHoldsOverAllStripes() {
        ExpiringLruMap<Integer, Integer> map = new ExpiringLruMap<>(5_000, Duration.ofSeconds(10), nowNanos::get);
        for (int i = 0; i < 100_000; i++) {
            map.put(i, i);
        }
        assertThat(map.size()).isBetween(4_000, 5_000);
        assertThat(map.get(99_999)).hasValue(99_999);
    }

    private ExpiringLruMap<String, Integer> map(int maxEntries) {
        return new ExpiringLruMap<>(maxEntries, Duration.ofSeconds(10), nowNanos::get);
    }

    private void pass(long seconds) {
        nowNanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }
}
