package io.millrace.lab;

import io.millrace.lab.load.Exchange;
import io.millrace.lab.report.LoadShape;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a run of the lab should do.
///
/// @param workload what to measure
/// @param commandLine that repeats it, for the report
/// @param peers their names, at least one
/// @param shapes sizes, depths and connections; what is in more than one of them is measured once
/// @param rounds of each peer in each shape, in turns, 1 or more
/// @param seconds of a round
/// @param warmUpSeconds the most that a peer gets before the first round
/// @param poolThreads of peers whose handler runs in a pool
/// @param baselines the peers that ratios refer to: in each shape the first that takes part
/// @param key of servers over TLS; empty for those in clear text
/// @param isShaped whether to send through 1 Gbit/s instead of the loopback interface
public record Plan(
        Workload workload,
        String commandLine,
        List<String> peers,
        List<Workload.Shapes> shapes,
        int rounds,
        double seconds,
        double warmUpSeconds,
        int poolThreads,
        List<String> baselines,
        Optional<KeyKind> key,
        boolean isShaped) {
    private static final String INLINE = "inline";
    private static final String LAYER_4 = "layer 4";
    private static final String LAYER_7 = "layer 7";
    private static final int MOST_TRIAL_CONNECTIONS = 50;

    /// @throws IllegalArgumentException with a sentence, for a baseline that is not among the peers, and for a peer
    ///     that is there twice
    public Plan {
        peers = List.copyOf(peers);
        shapes = List.copyOf(shapes);
        baselines = List.copyOf(baselines);
        for (var peer : peers) {
            if (peers.indexOf(peer) != peers.lastIndexOf(peer)) {
                throw new IllegalArgumentException("the peer '" + peer + "' is listed twice; to compare it with "
                        + "itself, give its command a name with --extra");
            }
        }
        for (var baseline : baselines) {
            if (!peers.contains(baseline)) {
                throw new IllegalArgumentException(
                        "the baseline '" + baseline + "' does not take part; take one of " + String.join(", ", peers));
            }
        }
    }

    /// In the order they are measured.
    List<LoadShape> allShapes() {
        var all = new LinkedHashSet<LoadShape>();
        for (var handler : handlers()) {
            for (var some : shapes) addAll(some, handler, all);
        }
        return List.copyOf(all);
    }

    private void addAll(Workload.Shapes some, String handler, Set<LoadShape> to) {
        for (int depth : some.depths()) {
            for (int connections : some.connections()) {
                for (int sizeBytes : some.sizesBytes()) {
                    for (var exchange : some.exchanges()) {
                        if (depth > 1 || exchange != Exchange.VARIED_REQUESTS)
                            to.add(new LoadShape(exchange, sizeBytes, connections, depth, handler));
                    }
                }
            }
        }
    }

    /// Of messages or pages.
    List<Integer> sizesBytes() {
        return shapes.stream()
                .flatMap(some -> some.sizesBytes().stream())
                .distinct()
                .toList();
    }

    List<LoadShape> idleShapes() {
        return workload.idle(allShapes());
    }

    /// Whether there are rounds, and not only idle connections.
    boolean hasRounds() {
        return workload.hasRounds();
    }

    /// The workload, for the report.
    String words() {
        return workload.command() + (workload.mayBeOverTls() && key.isPresent() ? " over TLS" : "");
    }

    /// The first that a peer is measured in.
    LoadShape firstShape(Candidate candidate) {
        var all = allShapes();
        return all.stream()
                .filter(shape -> takesPart(candidate, shape))
                .findFirst()
                .orElse(all.getFirst());
    }

    /// What a peer is checked and warmed up with: the shapes it takes part in, as far as they differ in more than
    /// connections and handlers.
    List<LoadShape> trials(Candidate candidate) {
        int most = allShapes().stream().mapToInt(LoadShape::connections).max().orElse(1);
        return allShapes().stream()
                .filter(shape -> takesPart(candidate, shape))
                .map(shape -> shape.connections(Math.min(MOST_TRIAL_CONNECTIONS, most))
                        .handler(""))
                .distinct()
                .toList();
    }

    private List<String> handlers() {
        var pool = "pool:" + poolThreads;
        return switch (workload) {
            case EXECUTOR -> List.of(pool);
            case PINGPONG -> List.of(INLINE, pool);
            case IDLE -> List.of(INLINE);
            case CLOSE, PLAINTEXT, TLS, HTTP2, HTTP2_IDLE, HTTP2_PROXY, WS, BROADCAST -> List.of("");
            case PROXY -> List.of(LAYER_4, LAYER_7);
        };
    }

    /// Whether a peer is measured in a shape: `pingpong` separates handlers that may block from those that may
    /// not, `proxy` separates the layers, and some servers cannot send bodies back.
    boolean takesPart(Candidate candidate, LoadShape shape) {
        if (candidate.kind() == Candidate.Kind.WITHOUT_BODIES) return shape.exchange() != Exchange.BODIES;
        if (workload != Workload.PINGPONG && workload != Workload.PROXY) return true;
        return switch (candidate.kind()) {
            case INLINE -> shape.handler().equals(INLINE);
            case BLOCKING -> !shape.handler().equals(INLINE);
            case LAYER_4 -> shape.handler().equals(LAYER_4);
            case LAYER_7 -> shape.handler().equals(LAYER_7);
            case ANY, DIRECT, WITHOUT_BODIES -> true;
        };
    }
}
