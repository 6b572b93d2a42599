package io.millrace.lab.report;

import io.millrace.lab.load.Exchange;
import java.util.Comparator;

/// What was asked of every peer alike.
///
/// @param exchange what is exchanged
/// @param sizeBytes of a message, or of the body of a response
/// @param depth messages or requests under way on each connection
/// @param handler `inline`, or `pool:N` for a pool of N threads, or of proxies `layer 4` or `layer 7`; empty where each
///     peer has its own
public record Shape(Exchange exchange, int sizeBytes, int connections, int depth, String handler)
        implements Comparable<Shape> {
    private static final Comparator<Shape> ORDER = Comparator.comparing((Shape shape) -> shape.handler)
            .thenComparing(Shape::exchange)
            .thenComparingInt(Shape::depth)
            .thenComparingInt(shape -> shape.connections)
            .thenComparingInt(Shape::sizeBytes);

    /// Messages that come back, the next when the last one did.
    public static Shape echo(int sizeBytes, int connections, String handler) {
        return new Shape(Exchange.ECHO, sizeBytes, connections, 1, handler);
    }

    public Shape connections(int count) {
        return new Shape(exchange, sizeBytes, count, depth, handler);
    }

    public Shape handler(String name) {
        return new Shape(exchange, sizeBytes, connections, depth, name);
    }

    /// For a heading: `1 KiB × 50 connections, handler inline`, or `pipelined 16 deep × 256 connections`.
    public String words() {
        if (!exchange.hasSize()) return load();
        return Figures.bytes(sizeBytes) + (exchange == Exchange.BODIES ? " " : " × ") + load();
    }

    /// All but the size: what a curve over the size has in common.
    String load() {
        var counted = connections + (connections == 1 ? " connection" : " connections");
        return switch (exchange) {
            case ECHO -> counted + (depth == 1 ? "" : ", " + depth + " deep") + ", handler " + handler;
            case REQUESTS -> (depth == 1 ? "keep-alive" : "pipelined " + depth + " deep") + " × " + counted;
            case VARIED_REQUESTS -> "pipelined " + depth + " deep, every request different × " + counted;
            case PAGES -> counted + ", " + handler;
            case BODIES -> "both ways × " + counted;
            case HANDSHAKES -> "a whole handshake for each request × " + connections + " at once";
            case RESUMED -> "a resumed session for each request × " + connections + " at once";
            case CLOSE -> "a connection for each request × " + connections + " at once";
        };
    }

    /// What tables call the thing that is counted.
    String unit() {
        return switch (exchange) {
            case ECHO -> "message";
            case HANDSHAKES, RESUMED -> "handshake";
            case REQUESTS, VARIED_REQUESTS, CLOSE, PAGES, BODIES -> "request";
        };
    }

    @Override
    public int compareTo(Shape other) {
        return ORDER.compare(this, other);
    }
}
