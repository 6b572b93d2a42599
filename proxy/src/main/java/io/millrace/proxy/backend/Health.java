package io.millrace.proxy.backend;

import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// How to find out whether a backend is healthy: by active checks, and by the results of its requests
/// (ejection). A backend is chosen only if both agree. Immutable: a property is set by its name, which
/// returns a copy, and read by the same name; an invalid value gets an [IllegalArgumentException].
///
/// ```java
/// Health.http("/healthz").interval(Duration.ofSeconds(2)).healthyThreshold(2).unhealthyThreshold(3)
/// ```
/// **Active.** Each check has a connection of its own, so that it also shows whether the backend accepts
///   connections. The first answer decides at once; later it takes several opposite answers in a row. A check
///   without an answer in time has failed.
///
/// **Ejection.** A backend whose requests fail several times in a row gets none for a while: for
///   [#ejectionTime], twice that the second time, three times the third, up to [#maxEjectionTime]. Each
///   [#ejectionTime] without another ejection lowers the count by one. A request fails if the backend refuses or
///   resets its connection, does not respond in time, or sends an invalid response; a status counts only if it is
///   in [#ejectionStatuses]. The share of the backends that is ejected at a time is limited, rounded down, and
///   unhealthy or disabled backends count, too: so ejection never removes the last backend.
@CheckReturnValue
public final class Health {
    /// How a backend is checked.
    public enum Check {
        /// Not at all.
        NONE,
        /// By connecting.
        TCP,
        /// By a `GET` of a path, which must have an expected status.
        HTTP,
        /// By gRPC's protocol for health checks (`grpc.health.v1.Health/Check`), over HTTP/2.
        GRPC
    }

    private final Check check;
    private final String path;
    private String host = "";
    private int leastStatus = 200;
    private int mostStatus = 299;
    private Duration interval = Duration.ofSeconds(5);
    private int jitterPercent = 20;
    private Duration timeout = Duration.ofSeconds(2);
    private int healthyThreshold = 2;
    private int unhealthyThreshold = 3;
    private boolean initiallyHealthy = true;
    private int ejectionFailures = 5;
    private Duration ejectionTime = Duration.ofSeconds(10);
    private Duration maxEjectionTime = Duration.ofMinutes(5);
    private int maxEjectedPercent = 50;
    private Set<Integer> ejectionStatuses = Set.of();
    private int panicThresholdPercent;

    private Health(Check check, String path) {
        this.check = check;
        this.path = path;
    }

    /// A copy to be changed before anything else sees it.
    private Health(Health other) {
        this.check = other.check;
        this.path = other.path;
        this.host = other.host;
        this.leastStatus = other.leastStatus;
        this.mostStatus = other.mostStatus;
        this.interval = other.interval;
        this.jitterPercent = other.jitterPercent;
        this.timeout = other.timeout;
        this.healthyThreshold = other.healthyThreshold;
        this.unhealthyThreshold = other.unhealthyThreshold;
        this.initiallyHealthy = other.initiallyHealthy;
        this.ejectionFailures = other.ejectionFailures;
        this.ejectionTime = other.ejectionTime;
        this.maxEjectionTime = other.maxEjectionTime;
        this.maxEjectedPercent = other.maxEjectedPercent;
        this.ejectionStatuses = other.ejectionStatuses;
        this.panicThresholdPercent = other.panicThresholdPercent;
    }

    /// No checks; a backend is ejected for 10 s when five of its requests fail in a row.
    public static Health passive() {
        return new Health(Check.NONE, "");
    }

    /// As [#passive], with a check every 5 s that connects.
    public static Health tcp() {
        return new Health(Check.TCP, "");
    }

    /// As [#passive], with a check every 5 s that requests a path.
    ///
    /// @param path begins with `/`, and may have a query
    public static Health http(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("a check of '" + path + "': take a path that begins with /");
        }
        return new Health(Check.HTTP, path);
    }

    /// As [#passive], with a check every 5 s that asks whether a service of gRPC is `SERVING`. The upstream's version
    /// must be HTTP/2.
    ///
    /// @param service its name, up to 200 printable characters of ASCII; empty for the server as a whole
    public static Health grpc(String service) {
        boolean isName = service.length() <= 200 && service.chars().allMatch(c -> c > ' ' && c < 0x7f);
        if (isName) return new Health(Check.GRPC, service);
        throw new IllegalArgumentException(
                "a check of the service '" + service + "': take up to 200 printable characters of ASCII");
    }

    /// The `Host` field of a check; by default the backend's address.
    public Health host(String name) {
        var copy = new Health(this);
        copy.host = name;
        return copy;
    }

    /// The statuses that pass, both inclusive; by default 200 to 299.
    public Health statuses(int least, int most) {
        if (least < 200 || most > 599 || least > most) {
            throw new IllegalArgumentException(
                    "statuses from " + least + " to " + most + ": take 200 to 599, the smaller one first");
        }
        var copy = new Health(this);
        copy.leastStatus = least;
        copy.mostStatus = most;
        return copy;
    }

    /// The time from an answer to the next check; by default 5 s.
    public Health interval(Duration time) {
        var copy = new Health(this);
        copy.interval = positive("an interval of checks", time);
        return copy;
    }

    /// How far each wait varies at random around the interval, 0 to 100 %, so that many checks do not come
    /// at the same time; by default 20.
    public Health jitterPercent(int percent) {
        var copy = new Health(this);
        copy.jitterPercent = percent("a jitter", percent);
        return copy;
    }

    /// How long a check may take, connecting included; by default 2 s (`upstream.health.timeout`).
    public Health timeout(Duration limit) {
        var copy = new Health(this);
        copy.timeout = positive("a timeout of checks", limit);
        return copy;
    }

    /// How many checks in a row must pass until a backend is healthy again, 1 or more; by default 2.
    public Health healthyThreshold(int answers) {
        var copy = new Health(this);
        copy.healthyThreshold = threshold("good", answers);
        return copy;
    }

    /// How many checks in a row must fail until a backend is unhealthy, 1 or more; by default 3.
    public Health unhealthyThreshold(int answers) {
        var copy = new Health(this);
        copy.unhealthyThreshold = threshold("bad", answers);
        return copy;
    }

    private static int threshold(String kind, int answers) {
        if (answers >= 1) return answers;
        throw new IllegalArgumentException("a threshold of " + answers + " " + kind + " answers: take 1 or more");
    }

    /// Whether a backend gets requests before its first check ends; by default it does.
    public Health initiallyHealthy(boolean isHealthy) {
        var copy = new Health(this);
        copy.initiallyHealthy = isHealthy;
        return copy;
    }

    /// How many requests in a row must fail until a backend is ejected, 1 or more; by default 5.
    public Health ejectionFailures(int inARow) {
        if (inARow < 1) throw new IllegalArgumentException("ejection after " + inARow + " failures: take 1 or more");
        var copy = new Health(this);
        copy.ejectionFailures = inARow;
        return copy;
    }

    /// How long the first ejection lasts; by default 10 s. It raises [#maxEjectionTime] if that is
    /// shorter.
    public Health ejectionTime(Duration base) {
        var copy = new Health(this);
        copy.ejectionTime = positive("an ejection", base);
        if (copy.maxEjectionTime.compareTo(base) < 0) copy.maxEjectionTime = base;
        return copy;
    }

    /// How long an ejection lasts at most; by default 5 minutes.
    public Health maxEjectionTime(Duration limit) {
        if (limit.compareTo(ejectionTime) < 0) {
            throw new IllegalArgumentException("a maximum ejection time of " + Wording.of(limit)
                    + ": take the ejection time, " + Wording.of(ejectionTime) + ", or more");
        }
        var copy = new Health(this);
        copy.maxEjectionTime = limit;
        return copy;
    }

    /// The statuses that count as failures of a request, each 500 to 599; by default none: a 503 for one
    /// path is no reason to stop requests for other paths.
    public Health ejectionStatuses(Set<Integer> statuses) {
        for (int status : statuses) {
            if (status < 500 || status > 599)
                throw new IllegalArgumentException("ejection for status " + status + ": take 500 to 599");
        }
        var copy = new Health(this);
        copy.ejectionStatuses = Set.copyOf(statuses);
        return copy;
    }

    /// If fewer than this share of the backends that are not disabled are available, all of these are
    /// used, regardless of health, 0 to 100 %; by default 0, for never (`upstream.panic`).
    public Health panicThresholdPercent(int percent) {
        var copy = new Health(this);
        copy.panicThresholdPercent = percent("a panic threshold of", percent);
        return copy;
    }

    /// The largest share of the backends that may be out after an ejection, unhealthy and disabled ones
    /// included, 0 to 100 %; by default 50 (`upstream.ejected`). 0 turns ejection off.
    public Health maxEjectedPercent(int percent) {
        var copy = new Health(this);
        copy.maxEjectedPercent = percent("ejection of", percent);
        return copy;
    }

    private List<Object> values() {
        return List.of(
                check,
                path,
                host,
                leastStatus,
                mostStatus,
                interval,
                jitterPercent,
                timeout,
                healthyThreshold,
                unhealthyThreshold,
                initiallyHealthy,
                ejectionFailures,
                ejectionTime,
                maxEjectionTime,
                maxEjectedPercent,
                ejectionStatuses,
                panicThresholdPercent);
    }

    /// Whether all settings are equal.
    @Override
    public boolean equals(Object other) {
        return other instanceof Health it && values().equals(it.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    private static int percent(String what, int value) {
        if (value >= 0 && value <= 100) return value;
        throw new IllegalArgumentException(what + " " + value + " %: take 0 to 100");
    }

    private static Duration positive(String what, Duration value) {
        if (value.isPositive()) return value;
        throw new IllegalArgumentException(what + " of " + Wording.of(value) + ": take more than 0");
    }

    public Check check() {
        return check;
    }

    /// What is asked for: a path of HTTP, or the name of a service of gRPC.
    public String path() {
        return path;
    }

    public String host() {
        return host;
    }

    public boolean isExpected(int status) {
        return status >= leastStatus && status <= mostStatus;
    }

    public Duration interval() {
        return interval;
    }

    public int jitterPercent() {
        return jitterPercent;
    }

    public Duration timeout() {
        return timeout;
    }

    public int healthyThreshold() {
        return healthyThreshold;
    }

    public int unhealthyThreshold() {
        return unhealthyThreshold;
    }

    public boolean initiallyHealthy() {
        return initiallyHealthy;
    }

    public int ejectionFailures() {
        return ejectionFailures;
    }

    public Duration ejectionTime() {
        return ejectionTime;
    }

    public Duration maxEjectionTime() {
        return maxEjectionTime;
    }

    /// Whether a response of this status counts as a failure.
    public boolean ejectsOn(int status) {
        return ejectionStatuses.contains(status);
    }

    public Set<Integer> ejectionStatuses() {
        return ejectionStatuses;
    }

    public int panicThresholdPercent() {
        return panicThresholdPercent;
    }

    public int maxEjectedPercent() {
        return maxEjectedPercent;
    }
}
