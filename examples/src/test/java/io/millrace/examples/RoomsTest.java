package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.examples.Rooms.Entry;
import io.millrace.examples.Rooms.Room;
import io.millrace.http.ErrorResponses;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.JsonType;
import io.millrace.http.Request;
import io.millrace.http.Routes;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RoomsTest {
    private final HttpHandler app = Routes.of().mount("/rooms", new Rooms().routes());

    @Test
    void a_room_is_made_changed_and_removed() throws Exception {
        var made = app.handle(Request.json("POST", "/rooms", new Room("blue", 3)));
        assertEquals(201, made.status());
        assertEquals(Optional.of("/rooms/1"), made.header("Location"));
        assertEquals(new Entry(1, new Room("blue", 3)), made.json(Entry.class));

        assertEquals(
                200,
                app.handle(Request.json("PUT", "/rooms/1", new Room("red", 4))).status());
        assertEquals(new Room("red", 4), app.handle(Request.get("/rooms/1")).json(Room.class));
        var all = app.handle(Request.get("/rooms")).json(new JsonType<List<Entry>>() {});
        assertEquals(List.of(new Entry(1, new Room("red", 4))), all);

        assertEquals(
                204, app.handle(Request.of("DELETE", "/rooms/1", Bytes.EMPTY)).status());
        var gone = assertThrows(HttpError.class, () -> app.handle(Request.get("/rooms/1")));
        assertEquals(404, gone.status());
    }

    @Test
    void all_that_is_wrong_with_a_room_is_said_at_once() {
        var refused = assertThrows(HttpError.class, () -> app.handle(Request.json("POST", "/rooms", new Room(" ", 0))));
        assertEquals(422, refused.status());
        assertEquals(2, refused.fields().size());
    }

    @Test
    void a_client_reads_what_is_wrong() {
        var settings = HttpSettings.standard().errors(ErrorResponses.problems());
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), settings, Http.whole(1000, app))) {
            var peer = network.connect(80)
                    .send("POST /rooms HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                            + "Content-Length: 20\r\n\r\n{\"name\":7,\"seats\":0}");
            network.run();
            assertTrue(peer.received().contains("\"title\":\"Unprocessable Content\",\"status\":422"), peer::received);
            assertTrue(
                    peer.received().contains("{\"detail\":\"is less than 1\",\"pointer\":\"#/seats\"}"),
                    peer::received);
        }
    }
}
