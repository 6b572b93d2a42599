package io.millrace;

import io.millrace.net.Session;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.util.Objects;

/// A process that runs simulations while it holds a monitor, with sessions that park.
final class MonitoredSimulation {
    private static final Object MONITOR = new Object();
    private static final Session ECHO = conn -> {
        while (conn.read()) conn.output().move(conn.input());
    };

    private MonitoredSimulation() {}

    public static void main(String[] arguments) throws Exception {
        for (long seed = 1; seed <= 20; seed++) {
            try (var network = new Simulation(seed)) {
                network.serve(7, ECHO);
                var peer = network.connect(7).send("hello");
                runMonitored(network);
                peer.send("!").end();
                runMonitored(network);
                if (!Objects.equals(peer.received(), "hello!")) throw new AssertionError(peer.received());
                talk(network);
            }
        }
        System.out.println("done");
    }

    /// The session waits when the monitor is let go.
    private static void runMonitored(Simulation network) {
        synchronized (MONITOR) {
            network.run();
        }
    }

    private static void talk(Simulation network) throws IOException {
        synchronized (MONITOR) {
            try (var client = Tcp.connect(network.to(7))) {
                client.output().writeUtf8("hello");
                client.flush();
                if (!client.read()) throw new AssertionError("nothing comes");
            }
        }
    }
}
