package io.millrace.http.h2;

import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.time.Duration;

/// A client of HTTP/2 on a simulated network. It looks at what has arrived, and answers it, whenever a test pumps.
final class SimulatedHttp2Peer {
    /// Between two looks at what has arrived.
    private static final Duration STEP = Duration.ofMillis(10);

    private static final int STEPS = 100;

    private final Simulation network;
    final Peer peer;
    final GotFrames got;
    private int read;
    private int nextId = 1;

    private SimulatedHttp2Peer(Simulation network, Peer peer, int windowBytes) {
        this.network = network;
        this.peer = peer;
        this.got = new GotFrames(windowBytes);
    }

    static SimulatedHttp2Peer connect(Simulation network, int port) {
        return connect(network, port, Http2Codes.USUAL_WINDOW);
    }

    static SimulatedHttp2Peer connect(Simulation network, int port, int windowBytes) {
        var made = new SimulatedHttp2Peer(network, network.connect(port), windowBytes);
        return made.send(SentFrames.preface(Http2Codes.WINDOW, windowBytes));
    }

    SimulatedHttp2Peer send(SentFrames frames) {
        return send(frames.toBytes());
    }

    SimulatedHttp2Peer send(byte... bytes) {
        peer.send(bytes);
        return this;
    }

    int nextId() {
        int id = nextId;
        nextId += 2;
        return id;
    }

    int get(String path, String... fields) {
        int id = nextId();
        send(new SentFrames().headers(id, true, SentFrames.request("GET", path, fields)));
        return id;
    }

    int post(String path, String... fields) {
        int id = nextId();
        send(new SentFrames().headers(id, false, SentFrames.request("POST", path, fields)));
        return id;
    }

    /// Takes what has arrived, and sends what is to be said of it.
    ///
    /// @return whether there was any
    boolean pump() {
        if (peer.receivedCount() == read) return false;
        var all = peer.receivedBytes();
        got.take(all, read, all.length);
        read = all.length;
        flush();
        return true;
    }

    /// Sends what it has to say of itself.
    void flush() {
        var answers = got.answers();
        if (answers.size() > 0 && peer.isOpen() && !peer.isEnded()) send(answers);
    }

    /// Until nothing more comes.
    SimulatedHttp2Peer settle() {
        do network.run();
        while (pump());
        return this;
    }

    /// For so long, and answers all the time.
    SimulatedHttp2Peer advance(Duration time) {
        var step = time.dividedBy(STEPS);
        if (step.compareTo(STEP) < 0) step = STEP;
        for (var left = time; left.isPositive(); left = left.minus(step)) {
            network.advance(left.compareTo(step) < 0 ? left : step);
            pump();
        }
        return settle();
    }

    GotStream stream(int id) {
        return got.stream(id);
    }
}
