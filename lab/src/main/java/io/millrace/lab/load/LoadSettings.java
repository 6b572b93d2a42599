package io.millrace.lab.load;

import io.millrace.Connect;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.Stage;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.Optional;

/// The load to put on a server. Immutable: setting a property returns a copy; without an argument, the same
/// name reads it; an invalid value throws an [IllegalArgumentException] that says what is allowed.
@CheckReturnValue
public final class LoadSettings {
    /// The largest message.
    public static final int MAX_SIZE_BYTES = 16 << 20;

    /// The depth of an open loop, which should not be reached: a message that has to wait for room starts late.
    public static final int OPEN_DEPTH = 1000;

    private static final long MAX_MESSAGES = 1_000_000_000_000L;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final SocketAddress to;
    private int connections = 50;
    private int depth = 1;
    private LoadMessages content = new EchoMessages(64, true);
    private double messagesPerSecond;
    private Duration warmUp = Duration.ofSeconds(2);
    private Duration duration = Duration.ofSeconds(10);
    private long messages;
    private Duration patience = Duration.ofSeconds(10);
    private Optional<Stage> stage = Optional.empty();

    private LoadSettings(SocketAddress to) {
        this.to = to;
    }

    /// A copy to change before it is published.
    private LoadSettings(LoadSettings other) {
        this.to = other.to;
        this.connections = other.connections;
        this.depth = other.depth;
        this.content = other.content;
        this.messagesPerSecond = other.messagesPerSecond;
        this.warmUp = other.warmUp;
        this.duration = other.duration;
        this.messages = other.messages;
        this.patience = other.patience;
        this.stage = other.stage;
    }

    /// A closed loop of 50 connections to an echo server, one message of 64 bytes under way on each, measured for
    /// 10 seconds after 2 seconds of warm-up, with every byte compared.
    ///
    /// @param server its name looked up
    public static LoadSettings to(SocketAddress server) {
        return new LoadSettings(server);
    }

    /// The server.
    public SocketAddress to() {
        return to;
    }

    /// How many, 1 or more; all are open before the first message is sent.
    public LoadSettings connections(int count) {
        require(count >= 1, count + " connections: take 1 or more");
        var copy = new LoadSettings(this);
        copy.connections = count;
        return copy;
    }

    public int connections() {
        return connections;
    }

    /// The most messages in flight on each connection; a closed loop always has that many.
    public LoadSettings depth(int messagesUnderWay) {
        require(messagesUnderWay >= 1, "a depth of " + messagesUnderWay + ": take 1 or more");
        var copy = new LoadSettings(this);
        copy.depth = messagesUnderWay;
        return copy;
    }

    public int depth() {
        return depth;
    }

    /// Other messages, and with them another kind of server.
    public LoadSettings with(LoadMessages what) {
        var copy = new LoadSettings(this);
        copy.content = what;
        return copy;
    }

    /// Messages of this size to an echo server, with every byte compared.
    public LoadSettings size(int bytes) {
        return with(new EchoMessages(bytes, true));
    }

    /// The messages, and the expected answers.
    public LoadMessages content() {
        return content;
    }

    /// An open loop with a depth of [#OPEN_DEPTH].
    ///
    /// @param perSecond of all connections together; 0 means a closed loop, which sends the next message when one
    ///     has come back
    public LoadSettings rate(double perSecond) {
        require(perSecond >= 0 && perSecond <= 1e9, perSecond + " messages/s: take 0 to 1e9");
        var copy = new LoadSettings(this);
        copy.messagesPerSecond = perSecond;
        copy.depth = OPEN_DEPTH;
        return copy;
    }

    /// See [#rate].
    public double messagesPerSecond() {
        return messagesPerSecond;
    }

    /// How long to send before the measurement begins.
    public LoadSettings warmUp(Duration time) {
        var copy = new LoadSettings(this);
        copy.warmUp = sensible("warm-up", time);
        return copy;
    }

    public Duration warmUp() {
        return warmUp;
    }

    /// How long to measure, instead of [#messages(long)].
    public LoadSettings duration(Duration time) {
        var copy = new LoadSettings(this);
        copy.duration = sensible("duration", time);
        copy.messages = 0;
        return copy;
    }

    public Duration duration() {
        return duration;
    }

    /// How many messages to measure, instead of a time; 0 means the time.
    public LoadSettings messages(long count) {
        require(count >= 0 && count <= MAX_MESSAGES, count + " messages: take 0 to " + MAX_MESSAGES);
        var copy = new LoadSettings(this);
        copy.messages = count;
        return copy;
    }

    public long messages() {
        return messages;
    }

    /// How long to wait for a connection, and for messages that have not come back.
    public LoadSettings patience(Duration time) {
        var copy = new LoadSettings(this);
        copy.patience = sensible("patience", time);
        return copy;
    }

    public Duration patience() {
        return patience;
    }

    /// With a stage in front of what is sent on each connection, TLS for instance.
    public LoadSettings through(Stage with) {
        var copy = new LoadSettings(this);
        copy.stage = Optional.of(with);
        return copy;
    }

    /// One more connection.
    Connect connect() {
        var plain = Connect.to(to).timeout(patience);
        return stage.map(plain::through).orElse(plain);
    }

    /// Connection of this number, from 0.
    Connect connect(int number) {
        boolean isSlow = content instanceof FanOutMessages messages && messages.isSlow(number);
        return isSlow ? connect().option(StandardSocketOptions.SO_RCVBUF, FanOutLoop.SLOW_BUFFER_BYTES) : connect();
    }

    /// Whether messages start when the schedule says so, and not when others have come back.
    public boolean isOpenLoop() {
        return messagesPerSecond > 0;
    }

    private static void require(boolean isSo, String otherwise) {
        if (!isSo) throw new IllegalArgumentException(otherwise);
    }

    private static Duration sensible(String what, Duration time) {
        boolean isSo = !time.isNegative() && time.compareTo(LONGEST) <= 0;
        require(isSo, "a " + what + " of " + time + ": take 0 to 100 years");
        return time;
    }
}
