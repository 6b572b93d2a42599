package io.millrace.lab;

import io.millrace.lab.Candidate.Kind;
import java.util.ArrayList;
import java.util.List;

/// Servers of one protocol, in the order of the tables. Most are listed twice: with their handlers on the event
/// loop, and in a pool.
final class PeerList {
    private static final String INLINE = "--handler inline";
    private static final String POOL = "--handler pool:{threads}";

    private final List<MeasuredPeer> all = new ArrayList<>();

    /// Ours, on every transport: on the loop, in the way that may wait, and in a pool.
    ///
    /// @param command of the program, which starts a server
    /// @param way what names call the way that may wait, and `options` what asks for it
    PeerList millrace(String command, String way, String options) {
        for (var transport : List.of("epoll", "io_uring", "nio")) {
            var name = "millrace-" + transport;
            var on = "--transport " + (transport.equals("io_uring") ? "uring" : transport);
            all.add(MeasuredPeer.millrace(name, Kind.INLINE, command, on));
            all.add(MeasuredPeer.millrace(name + "-" + way, Kind.BLOCKING, command, on + " " + options));
            all.add(MeasuredPeer.millrace(name + "-pool", Kind.BLOCKING, command, on + " --dispatch pool:{threads}"));
        }
        return this;
    }

    /// One that runs on each transport of Netty, both ways.
    PeerList transports(String module, String mainClass) {
        for (var transport : List.of("nio", "epoll", "io_uring")) {
            var on = "--transport " + transport;
            twice(module + "-" + transport, module, mainClass, on, on + " " + POOL);
        }
        return this;
    }

    /// One of both ways.
    PeerList twice(String name, String module, String mainClass) {
        return twice(name, module, mainClass, INLINE, POOL);
    }

    private PeerList twice(String name, String module, String mainClass, String inline, String pool) {
        all.add(MeasuredPeer.foreign(name, Kind.INLINE, module, mainClass, inline));
        all.add(MeasuredPeer.foreign(name + "-pool", Kind.BLOCKING, module, mainClass, pool));
        return this;
    }

    /// One of a single way.
    PeerList once(String name, Kind kind, String module, String mainClass) {
        all.add(MeasuredPeer.foreign(name, kind, module, mainClass, INLINE));
        return this;
    }

    List<MeasuredPeer> list() {
        return List.copyOf(all);
    }
}
