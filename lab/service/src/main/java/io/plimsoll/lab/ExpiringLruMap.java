package io.plimsoll.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A map bounded in size and in the age of unused entries, for many threads. The entry used longest
 * ago leaves first; the order is exact within a stripe and approximate over all of them.
 */
final class ExpiringLruMap<K, V> {

    private static final int STRIPES = 16;

    private record Entry<V>(V value, long lastUsedNanos) {}

    private final List<LinkedHashMap<K, Entry<V>>> stripes = new ArrayList<>();
    private final int maxEntriesPerStripe;
    private final long timeToLiveNanos;
    private final LongSupplier nanoClock;

    ExpiringLruMap(int maxEntries, Duration timeToLive, LongSupplier nanoClock) {
        // A small map has one stripe, so that its bound stays exact.
        int count = maxEntries < STRIPES * 64 ? 1 : STRIPES;
        for (int i = 0; i < count; i++) {
            stripes.add(new LinkedHashMap<>());
        }
        this.maxEntriesPerStripe = maxEntries / count;
        this.timeToLiveNanos = timeToLive.toNanos();
        this.nanoClock = nanoClock;
    }

    void put(K key, V value) {
        LinkedHashMap<K, Entry<V>> stripe = stripe(key);
        long now = nanoClock.getAsLong();
        synchronized (stripe) {
            // Removed first, so that the entry moves to the end of the insertion order.
            stripe.remove(key);
            stripe.put(key, new Entry<>(value, now));
            Iterator<Map.Entry<K, Entry<V>>> eldestFirst = stripe.entrySet().iterator();
            while (eldestFirst.hasNext()) {
                Entry<V> eldest = eldestFirst.next().getValue();
                if (stripe.size() <= maxEntriesPerStripe && !expired(eldest, now)) {
                    break;
                }
                eldestFirst.remove();
            }
        }
    }

    /** The value, which counts as used now; empty if it was never there, has expired or was evicted. */
    Optional<V> get(K key) {
        LinkedHashMap<K, Entry<V>> stripe = stripe(key);
        long now = nanoClock.getAsLong();
        synchronized (stripe) {
            Entry<V> entry = stripe.remove(key);
            if (entry == null || expired(entry, now)) {
                return Optional.empty();
            }
            stripe.put(key, new Entry<>(entry.value(), now));
            return Optional.of(entry.value());
        }
    }

    void remove(K key) {
        LinkedHashMap<K, Entry<V>> stripe = stripe(key);
        synchronized (stripe) {
            stripe.remove(key);
        }
    }

    int size() {
        int size = 0;
        for (LinkedHashMap<K, Entry<V>> stripe : stripes) {
            synchronized (stripe) {
                size += stripe.size();
            }
        }
        return size;
    }

    private boolean expired(Entry<V> entry, long now) {
        return now - entry.lastUsedNanos() > timeToLiveNanos;
    }

    private LinkedHashMap<K, Entry<V>> stripe(K key) {
        int hash = key.hashCode();
        // Spread the high bits: keys may differ in them alone.
        return stripes.get(Math.floorMod(hash ^ (hash >>> 16), stripes.size()));
    }
}
