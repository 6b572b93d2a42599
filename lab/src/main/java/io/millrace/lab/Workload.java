package io.millrace.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// What the lab can measure, with what it does unless told otherwise.
@SuppressWarnings("ImmutableEnumChecker") // its lists are immutable, which their type does not say
public enum Workload {
    /// Echo with a handler that may block: in a pool of threads, or on virtual threads (Netty and MINA, 2013).
    EXECUTOR(
            "echo with a handler that may block, over message sizes",
            List.of(
                    "c-epoll",
                    "millrace-epoll-direct",
                    "millrace-epoll-pool",
                    "netty-epoll-pool",
                    "mina-pool",
                    "grizzly-pool"),
            new Shapes(List.of(1024, 5 * 1024, 50 * 1024), List.of(50)),
            new Shapes(List.of(1024, 2048, 5 * 1024, 10 * 1024, 50 * 1024, 100 * 1024), List.of(50))),

    /// Echo of fixed-length messages, handler inline and in a pool (five frameworks, 2008).
    PINGPONG(
            "echo over message sizes and connections, handler inline and one that may block",
            List.of(
                    "c-epoll",
                    "millrace-epoll",
                    "millrace-epoll-direct",
                    "netty-epoll",
                    "netty-epoll-pool",
                    "netty-io_uring",
                    "mina",
                    "mina-pool",
                    "grizzly"),
            new Shapes(List.of(64, 16 * 1024), List.of(50)),
            new Shapes(List.of(64, 256, 1024, 4096, 16 * 1024), List.of(1, 10, 100, 1000))),

    /// What a connection costs that does nothing.
    IDLE(
            "memory of connections that are idle",
            List.of("c-epoll", "millrace-epoll", "millrace-epoll-direct", "netty-epoll", "mina", "jdk-virtual-threads"),
            new Shapes(List.of(64), List.of(5000)),
            new Shapes(List.of(64), List.of(5000)));

    /// Every size with every number of connections.
    public record Shapes(List<Integer> sizesBytes, List<Integer> connections) {}

    private final String words;
    private final List<String> fewPeers;
    private final Shapes few;
    private final Shapes all;

    Workload(String words, List<String> fewPeers, Shapes few, Shapes all) {
        this.words = words;
        this.fewPeers = fewPeers;
        this.few = few;
        this.all = all;
    }

    /// A line for a list.
    public String words() {
        return words;
    }

    /// Sizes and connections.
    ///
    /// @param isFull or only those that take three minutes
    public Shapes shapes(boolean isFull) {
        return isFull ? all : few;
    }

    List<String> peers(boolean isFull, Catalogue catalogue) {
        if (!isFull) return fewPeers;
        var names = new ArrayList<String>();
        for (var candidate : catalogue.all()) {
            if (this != EXECUTOR || candidate.kind() != Candidate.Kind.INLINE || isReference(candidate))
                names.add(candidate.name());
        }
        return names;
    }

    /// With `executor` some inline handlers stand beside those in pools, as they did in the published figures.
    private static boolean isReference(Candidate candidate) {
        return Stream.of("millrace-epoll", "netty-nio", "netty-epoll").anyMatch(candidate.name()::equals);
    }
}
