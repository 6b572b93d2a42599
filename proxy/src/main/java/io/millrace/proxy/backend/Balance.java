package io.millrace.proxy.backend;

import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import java.time.Duration;
import java.util.List;

/// How requests are shared among the backends of an upstream. Immutable: a property is set by its name, which
/// returns a copy, and read by the same name; a value that makes no sense is refused with an
/// [IllegalArgumentException].
///
/// ```java
/// Balance.LEAST_REQUESTS.slowStart(Duration.ofSeconds(30)).zone("eu-1")
/// ```
/// **Groups.** Backends are asked in groups: those of the lowest priority in the own zone, the others of that
///   priority, the next priority in the own zone, and so on. A group takes everything while enough of its weight
///   is able to serve ([#spilloverThresholdPercent]); under that, a part in proportion, and the next one takes the
/// rest. With 70
///   % a group of ten equal backends takes all requests as long as seven are healthy, and half of them with three
///   and a half.
///
/// **Nobody is better than somebody ill.** Only backends that are healthy and not ejected are chosen. When there are
///   none, nobody is chosen and the client has its 503 at once: sending everything to backends that fail would
///   make clients wait for the same answer, and keep the backends from getting up.
@CheckReturnValue
public final class Balance {
    /// By turns, as often as their weights say, evenly spread.
    public static final Balance ROUND_ROBIN = new Balance(Way.ROUND_ROBIN);

    /// The one with the fewest requests in flight for its weight; by turns among equals. It looks at all of
    /// them: above some hundred backends take [#TWO_CHOICES].
    public static final Balance LEAST_REQUESTS = new Balance(Way.LEAST_REQUESTS);

    /// The better of two that luck has picked: almost as even as [#LEAST_REQUESTS], at the same cost for any
    /// number of them, and several proxies do not all run to the same one.
    public static final Balance TWO_CHOICES = new Balance(Way.TWO_CHOICES);

    /// By luck, as often as their weights say.
    public static final Balance RANDOM = new Balance(Way.RANDOM);

    /// The same key goes to the same backend (Maglev). When one fails, its keys are spread over the others, and
    /// nobody else's move; when the list changes, few others do. Slow start does not apply: keys that move twice
    /// cost more than it saves.
    public static final Balance HASH = new Balance(Way.HASH);

    /// The rules, without what goes with them.
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

    /// For a change: nobody else has it yet.
    private Balance(Balance other) {
        this.way = other.way;
        this.slowStart = other.slowStart;
        this.spilloverThresholdPercent = other.spilloverThresholdPercent;
        this.zone = other.zone;
    }

    /// A rule by its name, as a configuration has it.
    public static Balance of(Way way) {
        return new Balance(way);
    }

    /// The weight of a backend that is new, or healthy again, rises from nothing to the whole in this time, so
    /// that its caches may warm; zero, the default, for at once. Those of the first list are never new.
    public Balance slowStart(Duration window) {
        if (window.isNegative()) {
            throw new IllegalArgumentException(
                    "a slow start of " + Wording.of(window) + ": take more than 0, or 0 for none");
        }
        var copy = new Balance(this);
        copy.slowStart = window;
        return copy;
    }

    /// How much of a group's weight is enough for all requests, 1 to 100 %; by default 70.
    public Balance spilloverThresholdPercent(int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException(percent + " % of a group as enough: take 1 to 100");
        }
        var copy = new Balance(this);
        copy.spilloverThresholdPercent = percent;
        return copy;
    }

    /// The zone whose backends are preferred, usually that of the proxy; empty, the default, for none. Enough is
    /// measured at the zone's own size: two backends of it that are healthy take all, though there be a hundred
    /// elsewhere.
    public Balance zone(String own) {
        var copy = new Balance(this);
        copy.zone = own;
        return copy;
    }

    private List<Object> values() {
        return List.of(way, slowStart, spilloverThresholdPercent, zone);
    }

    /// Whether all of it is the same.
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
