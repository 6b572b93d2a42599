package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The `Date` of a response in a simulation comes from its clock: of another day it would have another length in
/// HTTP/2, and the same seed would be another run.
@Tag("simulation")
class SimulatedDatesTest {
    private static final int PORT = 80;

    @ParameterizedTest
    @EnumSource(HttpVersion.class)
    void a_response_has_the_date_of_the_simulation(HttpVersion version) {
        try (var network = new Simulation(1)) {
            try (var _ = Http.listen(network.on(PORT), _ -> Response.ok("Hello"));
                    var client = client(network, version)) {
                assertEquals("Sat, 01 Jan 2000 00:00:00 GMT", date(network, client));
                network.advance(Duration.ofDays(31));
                assertEquals("Tue, 01 Feb 2000 00:00:00 GMT", date(network, client));
            }
        }
    }

    private static HttpClient client(Simulation network, HttpVersion version) {
        return HttpClient.of(ClientSettings.standard()
                .loops(network.loops())
                .version(version)
                .connect(host -> network.to(host.getPort())));
    }

    private static String date(Simulation network, HttpClient client) {
        network.delays(Duration.ZERO, Duration.ofMillis(1));
        var asked =
                client.sendAsync(Request.get("http://127.0.0.1:" + PORT + "/")).toCompletableFuture();
        network.run();
        return asked.join().header("Date").orElseThrow();
    }
}
