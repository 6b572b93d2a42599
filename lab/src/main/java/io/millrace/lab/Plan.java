package io.millrace.lab;

import io.millrace.lab.report.Shape;
import java.util.ArrayList;
import java.util.List;

/// What a run of the lab shall do.
///
/// @param workload what to measure
/// @param commandLine that repeats it, for the report
/// @param peers their names, at least one
/// @param shapes every size with every number of connections
/// @param rounds of each peer in each shape, in turns, 1 or more
/// @param seconds of a round
/// @param warmUpSeconds the most that a peer gets before the first round
/// @param poolThreads of peers whose handler runs in a pool
/// @param baseline the peer that ratios refer to
/// @param isShaped whether to send through 1 Gbit/s instead of the loopback interface
public record Plan(
        Workload workload,
        String commandLine,
        List<String> peers,
        Workload.Shapes shapes,
        int rounds,
        double seconds,
        double warmUpSeconds,
        int poolThreads,
        String baseline,
        boolean isShaped) {
    private static final String INLINE = "inline";

    /// @throws IllegalArgumentException with a sentence, for a baseline that is not among the peers, and for a peer
    ///     that is there twice
    public Plan {
        peers = List.copyOf(peers);
        for (var peer : peers) {
            if (peers.indexOf(peer) != peers.lastIndexOf(peer)) {
                throw new IllegalArgumentException("the peer '" + peer + "' is there twice; to compare it with itself,"
                        + " give its command a name with --extra");
            }
        }
        if (!peers.contains(baseline)) {
            throw new IllegalArgumentException(
                    "the baseline '" + baseline + "' does not take part; take one of " + String.join(", ", peers));
        }
    }

    /// In the order they are measured.
    List<Shape> allShapes() {
        var all = new ArrayList<Shape>();
        for (var handler : handlers()) {
            for (int connections : shapes.connections()) {
                for (int sizeBytes : shapes.sizesBytes()) all.add(new Shape(sizeBytes, connections, handler));
            }
        }
        return all;
    }

    private List<String> handlers() {
        var pool = "pool:" + poolThreads;
        return switch (workload) {
            case EXECUTOR -> List.of(pool);
            case PINGPONG -> List.of(INLINE, pool);
            case IDLE -> List.of(INLINE);
        };
    }

    /// Whether a peer is measured in a shape: `pingpong` does not mix handlers that may block with those that may not.
    boolean takesPart(Candidate candidate, Shape shape) {
        if (workload != Workload.PINGPONG) return true;
        return switch (candidate.kind()) {
            case INLINE -> shape.handler().equals(INLINE);
            case BLOCKING -> !shape.handler().equals(INLINE);
            case ANY -> true;
        };
    }
}
