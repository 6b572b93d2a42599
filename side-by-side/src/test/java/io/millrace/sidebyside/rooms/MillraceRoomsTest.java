package io.millrace.sidebyside.rooms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpError;
import io.millrace.http.Request;
import io.millrace.http.Routes;
import io.millrace.sidebyside.rooms.MillraceRooms.Room;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MillraceRoomsTest {
    private final Routes app = new MillraceRooms().routes();

    @Test
    void a_room_is_made_changed_and_removed() throws Exception {
        var made = app.handle(Request.json("POST", "/rooms", new Room(0, "blue", 3)));
        assertEquals(201, made.status());
        assertEquals(Optional.of("/rooms/1"), made.header("Location"));

        var changed = app.handle(Request.json("PUT", "/rooms/1", new Room(0, "red", 4)));
        assertEquals(200, changed.status());
        assertEquals(new Room(1, "red", 4), app.handle(Request.get("/rooms/1")).json(Room.class));

        var removed = app.handle(Request.of("DELETE", "/rooms/1", Bytes.EMPTY));
        assertEquals(204, removed.status());
        var gone = assertThrows(HttpError.class, () -> app.handle(Request.get("/rooms/1")));
        assertEquals(404, gone.status());
    }

    @Test
    void all_that_is_wrong_is_said_at_once() {
        var bad = Request.json("POST", "/rooms", new Room(0, " ", 0));
        var refused = assertThrows(HttpError.class, () -> app.handle(bad));
        assertEquals(422, refused.status());
        assertEquals(2, refused.fields().size());
    }
}
