package io.millrace.sidebyside.rooms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.javalin.Javalin;
import io.javalin.json.JavalinJackson;
import io.javalin.testtools.JavalinTest;
import io.millrace.sidebyside.rooms.JavalinRooms.Room;
import java.util.List;
import org.junit.jupiter.api.Test;

class JavalinRoomsTest {
    private final Javalin app = new JavalinRooms().app();

    @Test
    void a_room_is_made_changed_and_removed() {
        JavalinTest.test(app, (_, client) -> {
            var made = client.post("/rooms", new Room(0, "blue", 3));
            assertEquals(201, made.code());
            assertEquals(List.of("/rooms/1"), made.headers().get("Location"));

            var changed = client.put("/rooms/1", new Room(0, "red", 4));
            assertEquals(200, changed.code());
            var read = client.get("/rooms/1").body().string();
            assertEquals(new Room(1, "red", 4), new JavalinJackson().fromJsonString(read, Room.class));

            var removed = client.delete("/rooms/1");
            assertEquals(204, removed.code());
            assertEquals(404, client.get("/rooms/1").code());
        });
    }

    @Test
    void all_that_is_wrong_is_said_at_once() {
        JavalinTest.test(app, (_, client) -> {
            var refused = client.post("/rooms", new Room(0, " ", 0));
            assertEquals(400, refused.code());
            var body = refused.body().string();
            assertTrue(body.contains("is empty") && body.contains("is less than 1"), body);
        });
    }
}
