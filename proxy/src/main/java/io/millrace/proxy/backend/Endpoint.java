package io.millrace.proxy.backend;

import io.millrace.loop.Wording;
import java.net.SocketAddress;

/// Where a server can be reached, and what part of the work it is to get.
///
/// @param address an [java.net.InetSocketAddress], which may be unresolved, or that of a Unix socket
/// @param weight its share of the work, relative to that of the others; 1 or more
/// @param priority 0 is asked first; higher ones get what those before them cannot take
/// @param zone where it is, or empty
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

    /// One of many alike.
    public static Endpoint of(SocketAddress address) {
        return new Endpoint(address, 1, 0, "");
    }
}
