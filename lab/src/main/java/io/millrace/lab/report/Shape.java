package io.millrace.lab.report;

import java.util.Comparator;

/// What was asked of every peer alike.
///
/// @param sizeBytes of a message
/// @param handler `inline`, or `pool:N` for a pool of N threads
public record Shape(int sizeBytes, int connections, String handler) implements Comparable<Shape> {
    private static final Comparator<Shape> ORDER = Comparator.comparing(Shape::handler)
            .thenComparingInt(Shape::connections)
            .thenComparingInt(Shape::sizeBytes);

    /// For a heading: `1 KiB × 50 connections, handler inline`.
    public String words() {
        return Figures.bytes(sizeBytes) + " × " + load();
    }

    /// All but the size: what a curve over the size has in common.
    String load() {
        return connections + (connections == 1 ? " connection" : " connections") + ", handler " + handler;
    }

    @Override
    public int compareTo(Shape other) {
        return ORDER.compare(this, other);
    }
}
