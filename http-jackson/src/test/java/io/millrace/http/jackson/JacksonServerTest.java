package io.millrace.http.jackson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.millrace.bytes.Bytes;
import io.millrace.http.BadJson;
import io.millrace.http.ErrorResponses;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.JsonType;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Values from a client to a server and back.
class JacksonServerTest {
    record Room(String roomName, int places) {}

    private static final HttpHandler APP = Routes.of()
            .get("/rooms", _ -> Response.json(List.of(new Room("blue", 3), new Room("red", 4))))
            .post("/rooms", Http.whole(1 << 20, request -> Response.json(201, request.json(Room.class))));

    @Test
    void a_handler_needs_no_server() throws Exception {
        var response = APP.handle(Request.json("POST", "/rooms", new Room("blue", 3)));
        assertEquals("{\"roomName\":\"blue\",\"places\":3}", response.text());
        assertEquals(new Room("blue", 3), response.json(Room.class));
        assertEquals(
                2,
                APP.handle(Request.get("/rooms"))
                        .json(new JsonType<List<Room>>() {})
                        .size());
        assertThrows(BadJson.class, () -> response.json(new JsonType<List<Room>>() {}));
    }

    @Test
    void a_client_and_a_server_exchange_values() {
        Simulation.forEachSeed(30, network -> {
            try (var _ = Http.listen(network.on(80), APP);
                    var client = HttpClient.of(ClientSettings.standard()
                            .loops(network.loops())
                            .connect(host -> network.to(host.getPort())))) {
                var answer = client.sendAsync(Request.json("POST", "http://a/rooms", new Room("größe", 3)));
                network.run();
                assertEquals(
                        new Room("größe", 3),
                        answer.toCompletableFuture().join().json(Room.class));
            }
        });
    }

    @Test
    void the_settings_of_a_server_name_another_codec() {
        var snake = JacksonCodec.of(JacksonCodec.mapper()
                .rebuild()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build());
        var answer = answer(HttpSettings.standard().json(snake), "{\"room_name\":\"blue\",\"places\":3}");
        assertTrue(answer.endsWith("\r\n\r\n{\"room_name\":\"blue\",\"places\":3}"), answer);
    }

    @Test
    void what_is_wrong_is_told_in_words_of_the_body() {
        var settings = HttpSettings.standard().errors(ErrorResponses.problems());
        var answer = answer(settings, "{\n\"places\": \"many\"}");
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
        assertTrue(
                answer.endsWith("\"detail\":\"line 2, column 11, /places: this is not a whole number\","
                        + "\"errors\":[{\"detail\":\"this is not a whole number\",\"pointer\":\"#/places\"}]}"),
                answer);
        var deep = answer(settings, "[".repeat(100_000));
        assertTrue(deep.startsWith("HTTP/1.1 400 "), deep);
    }

    private static String answer(HttpSettings settings, String body) {
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), settings, APP)) {
            var peer = network.connect(80)
                    .send("POST /rooms HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
                            + Bytes.utf8(body).length() + "\r\n\r\n" + body);
            network.run();
            return peer.received();
        }
    }
}
