package io.millrace.proxy.backend;

import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import java.time.Duration;
import java.util.List;

/// How requests are shared among the backends of an upstream. Immutable: a property is set by its name,
/// which returns a copy, and read by the same name; an invalid value gets an [IllegalArgumentException].
///
/// ```java
/// Balance.LEAST_REQUESTS.slowStart(Duration.ofSeconds(30)).zone("eu-1")
/// ```
/// **Groups.** Requests go to groups of backends in this order: those of the lowest priority in the
/// preferred zone, the others of that priority, the next priority in the preferred zone, and so on. A
/// group gets all requests while enough of its weight can serve ([#spilloverThresholdPercent]); below that
/// it gets a share in proportion, and the next group gets the rest. With 70 %, a group of ten equal
/// backends gets all requests as long as seven are healthy, and four sevenths of them if only four are.
///
/// **No backend is better than a failing one.** Only backends that are healthy and not ejected are chosen. If there
///   are none, the client gets a 503 at once: sending requests to failing backends would make clients wait for the
///   same response, and keep the backends from recovering.
@CheckReturnValue
public final class Balance {
    /// Round robin by weight, evenly spread.
    public static final Balance ROUND_ROBIN = new Balance(Way.ROUND_ROBIN);

    /// The backend with the fewest requests in flight for its weight; round robin among equals. Each
    /// choice looks at all backends: for more than some hundred use [#TWO_CHOICES].
    public static final Balance LEAST_REQUESTS = new Balance(Way.LEAST_REQUESTS);

    /// The better of two random backends: almost as even as [#LEAST_REQUESTS], at the same cost for any
    /// number of backends, and several proxies do not all choose the same one.
    public static final Balance TWO_CHOICES = new Balance(Way.TWO_CHOICES);

    /// At random, by weight.
    public static final Balance RANDOM = new Balance(Way.RANDOM);

    /// The same key goes to the same backend (Maglev). When one fails, its keys are spread over the
    /// others, and no other keys move; when the list changes, few other keys move. Slow start does not
    /// apply: moving keys twice costs more than it saves.
    public static final Balance HASH = new Balance(Way.HASH);

    /// The rules, without their settings.
    public enum Way {
        ROUND_ROBIN,
        LEAST_REQUESTS,
        TWO_CHOICES,
        RANDOM,
        HASH
    }

    private final Way way;
    private Duration slowStart = Duration.ZERO;
    private int spilloverThresholdPercent = 70;
    private String zone = "";

    private Balance(Way way) {
        this.way = way;
    }

    /// A copy to be changed before anything else sees it.
    private Balance(Balance other) {
        this.way = other.way;
        this.slowStart = other.slowStart;
        this.spilloverThresholdPercent = other.spilloverThresholdPercent;
        this.zone = other.zone;
    }

    /// The balance with this rule, as a configuration names it.
    public static Balance of(Way way) {
        return new Balance(way);
    }

    /// How long the weight of a backend that is new, or healthy again, takes to rise from zero to its full
    /// value, so that its caches can warm; zero, the default, for at once. Backends of the first list do
    /// not count as new.
    public Balance slowStart(Duration window) {
        if (window.isNegative()) {
            throw new IllegalArgumentException(
                    "a slow start of " + Wording.of(window) + ": take more than 0, or 0 for none");
        }
        var copy = new Balance(this);
        copy.slowStart = window;
        return copy;
    }

    /// A group gets all requests as long as this much of its weight can serve, 1 to 100 %; by default 70.
    public Balance spilloverThresholdPercent(int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException(percent + " % as spillover threshold: take 1 to 100");
        }
        var copy = new Balance(this);
        copy.spilloverThresholdPercent = percent;
        return copy;
    }

    /// The zone whose backends are preferred, usually the proxy's; empty, the default, for none. The
    /// threshold is measured by the zone's own size: two healthy backends of it take all requests, even if
    /// there are a hundred elsewhere.
    public Balance zone(String own) {
        var copy = new Balance(this);
        copy.zone = own;
        return copy;
    }

    private List<Object> values() {
        return List.of(way, slowStart, spilloverThresholdPercent, zone);
    }

    /// Whether all settings are equal.
    @Override
    public boolean equals(Object other) {
        return other instanceof Balance it && values().equals(it.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    public Way way() {
        return way;
    }

    public Duration slowStart() {
        return slowStart;
    }

    public int spilloverThresholdPercent() {
        return spilloverThresholdPercent;
    }

    public String zone() {
        return zone;
    }
}
