package io.millrace.lab.report;

import io.millrace.lab.load.Exchange;
import java.util.Comparator;

/// The load that every peer got.
///
/// @param exchange what is exchanged
/// @param sizeBytes of a message, or of the body of a response
/// @param depth messages or requests in flight on each connection
/// @param handler `inline`, or `pool:N` for a pool of N threads, or for proxies `layer 4` or `layer 7`; empty
///     where each peer has its own
public record LoadShape(Exchange exchange, int sizeBytes, int connections, int depth, String handler)
        implements Comparable<LoadShape> {
    private static final Comparator<LoadShape> ORDER = Comparator.comparing((LoadShape shape) -> shape.handler)
            .thenComparing(LoadShape::exchange)
            .thenComparingInt(LoadShape::depth)
            .thenComparingInt(shape -> shape.connections)
            .thenComparingInt(LoadShape::sizeBytes);

    /// Messages that come back, the next when the last one did.
    public static LoadShape echo(int sizeBytes, int connections, String handler) {
        return new LoadShape(Exchange.ECHO, sizeBytes, connections, 1, handler);
    }

    public LoadShape connections(int count) {
        return new LoadShape(exchange, sizeBytes, count, depth, handler);
    }

    public LoadShape handler(String name) {
        return new LoadShape(exchange, sizeBytes, connections, depth, name);
    }

    /// For a heading: `1 KiB × 50 connections, handler inline`, `pipelined 16 deep × 256 connections`, or
    /// `10 streams × 32 connections`.
    public String words() {
        if (!exchange.hasSize()) return load();
        return Figures.bytes(sizeBytes) + (exchange == Exchange.BODIES ? " " : " × ") + load();
    }

    /// Everything except the size: the common part of a curve over the size.
    String load() {
        var counted = connections + (connections == 1 ? " connection" : " connections");
        return switch (exchange) {
            case ECHO -> counted + (depth == 1 ? "" : ", " + depth + " deep") + ", handler " + handler;
            case REQUESTS -> (depth == 1 ? "keep-alive" : "pipelined " + depth + " deep") + " × " + counted;
            case VARIED_REQUESTS -> "pipelined " + depth + " deep, every request different × " + counted;
            case STREAMS, STREAMED_PAGES -> depth + (depth == 1 ? " stream × " : " streams × ") + counted;
            case PAGES -> counted + ", " + handler;
            case BODIES -> "both ways × " + counted;
            case HANDSHAKES -> "a full handshake for each request × " + connections + " at once";
            case RESUMED -> "a resumed session for each request × " + connections + " at once";
            case WS_ECHO -> counted;
            case BROADCAST -> "all of " + counted;
            case SLOW_BROADCAST -> "all of " + counted + ", one in a hundred slow";
            case PACKED_BROADCAST -> "all of " + counted + ", compressed";
            case CLOSE -> "a connection for each request × " + connections + " at once";
        };
    }

    /// What tables call the thing that is counted.
    String unit() {
        return switch (exchange) {
            case ECHO, WS_ECHO -> "message";
            case BROADCAST, SLOW_BROADCAST, PACKED_BROADCAST -> "delivery";
            case HANDSHAKES, RESUMED -> "handshake";
            case REQUESTS, VARIED_REQUESTS, CLOSE, PAGES, BODIES, STREAMS, STREAMED_PAGES -> "request";
        };
    }

    @Override
    public int compareTo(LoadShape other) {
        return ORDER.compare(this, other);
    }
}
