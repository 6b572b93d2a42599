package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.sim.Simulation;
import java.time.Duration;

/// A client on a network that is shaken.
final class SimulatedClient {
    private static final Duration ENOUGH = Duration.ofSeconds(5);

    private SimulatedClient() {}

    static HttpClient start(Simulation network) {
        return HttpClient.of(ClientSettings.standard()
                .loops(network.loops())
                .connect(host -> network.to(host.getPort()))
                .connections(1 + network.random(5)));
    }

    /// Closes it, and asserts that no connection is left.
    static void close(HttpClient client, Simulation network) {
        client.close();
        network.advance(ENOUGH);
        for (var loop : network.loops().counters()) assertEquals(0, loop.connections(), loop::toString);
    }
}
