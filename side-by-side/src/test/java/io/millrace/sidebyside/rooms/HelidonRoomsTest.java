package io.millrace.sidebyside.rooms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webclient.http1.Http1Client;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.testing.junit5.RoutingTest;
import io.helidon.webserver.testing.junit5.SetUpRoute;
import io.millrace.sidebyside.rooms.HelidonRooms.Room;
import org.junit.jupiter.api.Test;

@RoutingTest
class HelidonRoomsTest {
    private final Http1Client client;

    HelidonRoomsTest(Http1Client client) {
        this.client = client;
    }

    @SetUpRoute
    static void routing(HttpRouting.Builder routing) {
        HelidonRooms.routing(routing);
    }

    @Test
    void a_room_is_made_changed_and_removed() {
        var made = client.post("/rooms").submit(new Room(0, "blue", 3), Room.class);
        assertEquals(Status.CREATED_201, made.status());
        var location = "/rooms/" + made.entity().id();
        assertEquals(location, made.headers().get(HeaderNames.LOCATION).get());

        var changed = client.put(location).submit(new Room(0, "red", 4), Room.class);
        assertEquals(Status.OK_200, changed.status());
        assertEquals("red", client.get(location).requestEntity(Room.class).name());

        var removed = client.delete(location).request(String.class);
        assertEquals(Status.NO_CONTENT_204, removed.status());
        var gone = client.get(location).request(String.class);
        assertEquals(Status.NOT_FOUND_404, gone.status());
    }

    @Test
    void all_that_is_wrong_is_said_at_once() {
        var refused = client.post("/rooms").submit(new Room(0, " ", 0), String.class);
        assertEquals(Status.UNPROCESSABLE_CONTENT_422, refused.status());
        var body = refused.entity();
        assertTrue(body.contains("is empty") && body.contains("is less than 1"), body);
    }
}
