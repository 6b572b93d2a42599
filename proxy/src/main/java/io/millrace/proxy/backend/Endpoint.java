package io.millrace.proxy.backend;

import io.millrace.loop.Wording;
import java.net.SocketAddress;

/// A server's address, and its share of the work.
///
/// @param address a [java.net.InetSocketAddress], perhaps unresolved, or a Unix socket's
/// @param weight its share of the work, relative to the others'; 1 or more
/// @param priority servers with 0 are used first; those with a higher number get what lower ones cannot
/// take
/// @param zone the zone that it is in, or empty
public record Endpoint(SocketAddress address, int weight, int priority, String zone) {
    public Endpoint {
        if (weight < 1)
            throw new IllegalArgumentException(
                    "the weight of " + Wording.of(address) + " is " + weight + ": take 1 or more");
        if (priority < 0) {
            throw new IllegalArgumentException(
                    "the priority of " + Wording.of(address) + " is " + priority + ": take 0 or more");
        }
    }

    /// A server with weight 1, priority 0 and no zone.
    public static Endpoint of(SocketAddress address) {
        return new Endpoint(address, 1, 0, "");
    }
}
