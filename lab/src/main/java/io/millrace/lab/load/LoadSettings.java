package io.millrace.lab.load;

import io.millrace.Connect;
import io.millrace.net.Stage;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/// What load to put on a server: made with [#to], then changed by methods that return a changed copy.
///
/// @param to                the server, its name looked up
/// @param connections       how many, 1 or more; all are open before the first message is sent
/// @param depth             of each connection, the most messages that are under way; in a closed loop they
///     always are
/// @param content           what messages are, and what has to come back
/// @param messagesPerSecond of all connections together in an open loop; 0 means a closed loop, which sends the
///     next message when one has come back
/// @param warmUp            how long to send before the measurement begins
/// @param duration          how long to measure, unless `messages` says how many
/// @param messages          how many messages to measure, or 0
/// @param patience          how long to wait for a connection, and for messages that have not come back
/// @param stage             of each connection, TLS for instance
public record LoadSettings(
        SocketAddress to,
        int connections,
        int depth,
        LoadMessages content,
        double messagesPerSecond,
        Duration warmUp,
        Duration duration,
        long messages,
        Duration patience,
        Optional<Stage> stage) {
    /// The largest message.
    public static final int MAX_SIZE_BYTES = 16 << 20;

    /// The depth of an open loop, which ought not to be reached: a message that has to wait for room starts late.
    public static final int OPEN_DEPTH = 1000;

    private static final long MAX_MESSAGES = 1_000_000_000_000L;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    /// @throws IllegalArgumentException with the value and what is allowed
    public LoadSettings {
        require(connections >= 1, connections + " connections: take 1 or more");
        require(depth >= 1, "a depth of " + depth + ": take 1 or more");
        require(messagesPerSecond >= 0 && messagesPerSecond <= 1e9, messagesPerSecond + " messages/s: take 0 to 1e9");
        require(messages >= 0 && messages <= MAX_MESSAGES, messages + " messages: take 0 to " + MAX_MESSAGES);
        require(isSensible(warmUp), "a warm-up of " + warmUp + ": take 0 to 100 years");
        require(isSensible(duration), "a duration of " + duration + ": take 0 to 100 years");
        require(isSensible(patience), "a patience of " + patience + ": take 0 to 100 years");
    }

    private static void require(boolean isSo, String otherwise) {
        if (!isSo) throw new IllegalArgumentException(otherwise);
    }

    private static boolean isSensible(Duration duration) {
        return !duration.isNegative() && duration.compareTo(LONGEST) <= 0;
    }

    /// A closed loop of 50 connections to an echo server, one message of 64 bytes under way on each, measured for
    /// 10 seconds after 2 seconds of warm-up, with every byte compared.
    public static LoadSettings to(SocketAddress server) {
        return new LoadSettings(
                server,
                50,
                1,
                new EchoMessages(64, true),
                0,
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                0,
                Duration.ofSeconds(10),
                Optional.empty());
    }

    public LoadSettings connections(int count) {
        return new LoadSettings(
                to, count, depth, content, messagesPerSecond, warmUp, duration, messages, patience, stage);
    }

    public LoadSettings depth(int messagesUnderWay) {
        return new LoadSettings(
                to,
                connections,
                messagesUnderWay,
                content,
                messagesPerSecond,
                warmUp,
                duration,
                messages,
                patience,
                stage);
    }

    /// Other messages, and with them another kind of server.
    public LoadSettings with(LoadMessages what) {
        return new LoadSettings(
                to, connections, depth, what, messagesPerSecond, warmUp, duration, messages, patience, stage);
    }

    /// Messages of this size to an echo server, with every byte compared.
    public LoadSettings size(int bytes) {
        return with(new EchoMessages(bytes, true));
    }

    /// An open loop with a depth of [#OPEN_DEPTH].
    public LoadSettings rate(double perSecond) {
        return new LoadSettings(
                to, connections, OPEN_DEPTH, content, perSecond, warmUp, duration, messages, patience, stage);
    }

    public LoadSettings warmUp(Duration time) {
        return new LoadSettings(
                to, connections, depth, content, messagesPerSecond, time, duration, messages, patience, stage);
    }

    public LoadSettings duration(Duration time) {
        return new LoadSettings(to, connections, depth, content, messagesPerSecond, warmUp, time, 0, patience, stage);
    }

    public LoadSettings messages(long count) {
        return new LoadSettings(
                to, connections, depth, content, messagesPerSecond, warmUp, duration, count, patience, stage);
    }

    public LoadSettings patience(Duration time) {
        return new LoadSettings(
                to, connections, depth, content, messagesPerSecond, warmUp, duration, messages, time, stage);
    }

    /// With a stage in front of what is sent.
    public LoadSettings through(Stage with) {
        return new LoadSettings(
                to,
                connections,
                depth,
                content,
                messagesPerSecond,
                warmUp,
                duration,
                messages,
                patience,
                Optional.of(with));
    }

    /// One more connection.
    Connect connect() {
        var plain = Connect.to(to).timeout(patience);
        return stage.map(plain::through).orElse(plain);
    }

    /// Whether messages start when the schedule says so, and not when others have come back.
    public boolean isOpenLoop() {
        return messagesPerSecond > 0;
    }
}
