package io.millrace.loop;

import io.millrace.net.CheckReturnValue;
import io.millrace.net.Connection;
import io.millrace.net.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// How the connections of a listener or a client behave. Immutable: each setter returns a copy. A duration of 0
/// nanoseconds means none.
@CheckReturnValue
public final class ConnectionSettings {
    private static final long UNSET = -1;
    private static final long DEFAULT_CLOSE_TIMEOUT_NANOS = 60_000_000_000L;

    private long inputLimitBytes = 64 << 10;
    private long lowWatermarkBytes = 128 << 10;
    private long highWatermarkBytes = 256 << 10;
    private long outputLimitBytes = 64 << 20;
    private long idleTimeoutNanos;
    private long readTimeoutNanos;
    private long writeTimeoutNanos = UNSET;
    private long closeTimeoutNanos = UNSET;
    private long whenIdleNanos;
    private @Nullable Consumer<Connection> whenIdle;
    private long whenReadIdleNanos;
    private @Nullable Consumer<Connection> whenReadIdle;
    private List<Stage> stages = List.of();

    /// The defaults.
    public ConnectionSettings() {}

    private ConnectionSettings(ConnectionSettings other) {
        this.inputLimitBytes = other.inputLimitBytes;
        this.lowWatermarkBytes = other.lowWatermarkBytes;
        this.highWatermarkBytes = other.highWatermarkBytes;
        this.outputLimitBytes = other.outputLimitBytes;
        this.idleTimeoutNanos = other.idleTimeoutNanos;
        this.readTimeoutNanos = other.readTimeoutNanos;
        this.writeTimeoutNanos = other.writeTimeoutNanos;
        this.closeTimeoutNanos = other.closeTimeoutNanos;
        this.whenIdleNanos = other.whenIdleNanos;
        this.whenIdle = other.whenIdle;
        this.whenReadIdleNanos = other.whenReadIdleNanos;
        this.whenReadIdle = other.whenReadIdle;
        this.stages = other.stages;
    }

    public ConnectionSettings inputLimit(long bytes) {
        var copy = new ConnectionSettings(this);
        copy.inputLimitBytes = positive(bytes, "an input limit");
        return copy;
    }

    public ConnectionSettings watermarks(long low, long high) {
        if (low < 0 || high <= low) {
            throw new IllegalArgumentException("watermarks " + low + " and " + high + ": low must be below high");
        }
        var copy = new ConnectionSettings(this);
        copy.lowWatermarkBytes = low;
        copy.highWatermarkBytes = high;
        return copy;
    }

    public ConnectionSettings outputLimit(long bytes) {
        var copy = new ConnectionSettings(this);
        copy.outputLimitBytes = positive(bytes, "an output limit");
        return copy;
    }

    public ConnectionSettings idleTimeout(Duration limit) {
        var copy = new ConnectionSettings(this);
        copy.idleTimeoutNanos = nanos(limit, "an idle timeout");
        return copy;
    }

    public ConnectionSettings readTimeout(Duration limit) {
        var copy = new ConnectionSettings(this);
        copy.readTimeoutNanos = nanos(limit, "a read timeout");
        return copy;
    }

    public ConnectionSettings writeTimeout(Duration limit) {
        var copy = new ConnectionSettings(this);
        copy.writeTimeoutNanos = nanos(limit, "a write timeout");
        return copy;
    }

    public ConnectionSettings closeTimeout(Duration limit) {
        var copy = new ConnectionSettings(this);
        copy.closeTimeoutNanos = nanos(limit, "a close timeout");
        return copy;
    }

    public ConnectionSettings whenIdle(Duration after, Consumer<Connection> call) {
        var copy = new ConnectionSettings(this);
        copy.whenIdleNanos = nanos(after, "a time of idleness");
        copy.whenIdle = call;
        return copy;
    }

    /// What to call when nothing was received for so long.
    ///
    /// @param call null for the handler's own `onIdle`
    public ConnectionSettings whenReadIdle(Duration after, @Nullable Consumer<Connection> call) {
        var copy = new ConnectionSettings(this);
        copy.whenReadIdleNanos = nanos(after, "a time without input");
        copy.whenReadIdle = call;
        return copy;
    }

    /// Adds a stage after the existing ones.
    public ConnectionSettings stage(Stage stage) {
        var copy = new ConnectionSettings(this);
        copy.stages = Stream.concat(stages.stream(), Stream.of(stage)).toList();
        return copy;
    }

    private static long positive(long bytes, String what) {
        if (bytes < 1) throw new IllegalArgumentException(what + " of " + bytes + " bytes: give it 1 or more");
        return bytes;
    }

    /// An API's duration in nanoseconds, at most a century.
    public static long nanos(Duration duration, String what) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(
                    what + " of " + duration + ": give a positive duration, or zero for none");
        }
        return duration.compareTo(Duration.ofDays(36_500)) > 0
                ? Duration.ofDays(36_500).toNanos()
                : duration.toNanos();
    }

    long inputLimitBytes() {
        return inputLimitBytes;
    }

    long lowWatermarkBytes() {
        return lowWatermarkBytes;
    }

    long highWatermarkBytes() {
        return highWatermarkBytes;
    }

    long outputLimitBytes() {
        return outputLimitBytes;
    }

    long idleTimeoutNanos() {
        return idleTimeoutNanos;
    }

    long readTimeoutNanos() {
        return readTimeoutNanos;
    }

    public Optional<Duration> writeTimeout() {
        return writeTimeoutNanos == UNSET ? Optional.empty() : Optional.of(Duration.ofNanos(writeTimeoutNanos));
    }

    long writeTimeoutNanos() {
        return Math.max(0, writeTimeoutNanos);
    }

    /// An explicit write timeout also applies to closing.
    long closeTimeoutNanos() {
        if (closeTimeoutNanos != UNSET) return closeTimeoutNanos;
        return writeTimeoutNanos() != 0 ? 0 : DEFAULT_CLOSE_TIMEOUT_NANOS;
    }

    /// How long the peer may take nothing while this side closes, by either timeout; 0 for ever.
    long closingNanos() {
        long limit = closeTimeoutNanos();
        return limit != 0 ? limit : writeTimeoutNanos();
    }

    long whenIdleNanos() {
        return whenIdleNanos;
    }

    @Nullable
    Consumer<Connection> whenIdle() {
        return whenIdle;
    }

    long whenReadIdleNanos() {
        return whenReadIdleNanos;
    }

    /// Null for the handler's own `onIdle`.
    @Nullable
    Consumer<Connection> whenReadIdle() {
        return whenReadIdle;
    }

    List<Stage> stages() {
        return stages;
    }

    boolean hasTimeouts() {
        return (idleTimeoutNanos | readTimeoutNanos | writeTimeoutNanos()) != 0 || tellsIdle();
    }

    /// Whether user code wants to know when nothing happens.
    boolean tellsIdle() {
        return (whenIdleNanos | whenReadIdleNanos) != 0;
    }
}
