package io.millrace.lab.load;

import java.net.InetSocketAddress;
import java.time.Duration;

/// What the lab tells a [LoadAgent] to do: a closed loop, or connections to be held idle.
///
/// @param kind what to do
/// @param host  of the server
/// @param sizeBytes of a message
/// @param warmUpSeconds before the measurement
/// @param seconds to measure
/// @param verify whether each byte is compared
/// @param patienceSeconds for a connection, and for messages that do not come back
public record LoadOrder(
        Kind kind,
        String host,
        int port,
        int connections,
        int sizeBytes,
        double warmUpSeconds,
        double seconds,
        boolean verify,
        double patienceSeconds) {
    /// What an agent can do.
    public enum Kind {
        /// Send and measure; the answers are [LoadAnswer.Begun], [LoadAnswer.Second] and [LoadAnswer.Done].
        LOAD,
        /// Open the connections, exchange one message on each and keep them; the answer is [LoadAnswer.Held].
        HOLD,
        /// Close what is held; the answer is [LoadAnswer.Held] with those that the server had not closed.
        RELEASE
    }

    InetSocketAddress server() {
        return new InetSocketAddress(host, port);
    }

    LoadSettings settings() {
        return LoadSettings.to(server())
                .withConnections(connections)
                .with(new EchoMessages(sizeBytes, verify))
                .withWarmUp(duration(warmUpSeconds))
                .withDuration(duration(seconds))
                .withPatience(duration(patienceSeconds));
    }

    Duration patience() {
        return duration(patienceSeconds);
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }
}
