package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.sim.Simulation;
import java.time.Duration;

/// A client on a network that is shaken.
public final class SimulatedClient {
    private static final Duration ENOUGH = Duration.ofSeconds(5);

    /// In virtual time.
    static final Duration PATIENCE = Duration.ofHours(1);

    private SimulatedClient() {}

    public static HttpClient start(Simulation network, HttpVersion version) {
        return start(network, settings(network).version(version));
    }

    private static HttpClient start(Simulation network, ClientSettings settings) {
        return HttpClient.of(network.random(2) == 0 ? settings : settings.filter(slow(network)));
    }

    /// As patient as the slowest network requires, which may carry a kilobyte in a second.
    static HttpClient startPatient(Simulation network, HttpVersion version) {
        var settings = settings(network).version(version);
        return start(network, settings.firstByteTimeout(PATIENCE).timeout(PATIENCE));
    }

    /// For a peer that expects each request once.
    static HttpClient startUnfiltered(Simulation network) {
        return startUnfiltered(network, HttpVersion.NEGOTIATED);
    }

    public static HttpClient startUnfiltered(Simulation network, HttpVersion version) {
        return HttpClient.of(settings(network).version(version));
    }

    private static ClientSettings settings(Simulation network) {
        return ClientSettings.standard()
                .loops(network.loops())
                .connect(host -> network.to(host.getPort()))
                .connections(1 + network.random(5));
    }

    /// Passes all on, at once or later, and now and then asks twice.
    private static ClientFilter slow(Simulation network) {
        return (request, next) -> {
            boolean isAgain = request.method().equals("GET") && network.random(4) == 0;
            var first = isAgain ? next.send(request).thenCompose(_ -> next.send(request)) : next.send(request);
            if (network.random(2) == 0) return first;
            var time = Duration.ofMillis(network.random(20));
            return first.thenCompose(head -> next.delay(time).thenApply(_ -> head));
        };
    }

    /// Closes it, and asserts that no connection is left.
    public static void close(HttpClient client, Simulation network) {
        client.close();
        network.advance(ENOUGH);
        for (var loop : network.loops().counters()) assertEquals(0, loop.connections(), loop::toString);
    }
}
