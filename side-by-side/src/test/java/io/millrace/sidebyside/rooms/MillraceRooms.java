package io.millrace.sidebyside.rooms;

import io.millrace.Listen;
import io.millrace.http.Checks;
import io.millrace.http.ErrorResponses;
import io.millrace.http.HttpError;
import io.millrace.http.HttpSettings;
import io.millrace.http.PathParameters;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.server.Http;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

public final class MillraceRooms {
    public record Room(long id, String name, int seats) {}

    private final Map<Long, Room> rooms = new ConcurrentSkipListMap<>();
    private final AtomicLong ids = new AtomicLong();

    public static void main(String[] args) throws InterruptedException {
        var settings = HttpSettings.standard().errors(ErrorResponses.problems());
        var server = Http.serve(Listen.on(Integer.parseInt(args[0])), settings, new MillraceRooms().routes());
        System.out.println(server.port());
        server.await();
    }

    Routes routes() {
        return Routes.of()
                .get("/rooms", _ -> Response.json(rooms.values()))
                .post("/rooms", this::create)
                .get("/rooms/{id}", (_, path) -> Response.json(room(path)))
                .put("/rooms/{id}", this::change)
                .delete("/rooms/{id}", this::remove);
    }

    private Response create(Request request) {
        var room = checked(request, ids.incrementAndGet());
        rooms.put(room.id(), room);
        return Response.json(201, room).setHeader("Location", "/rooms/" + room.id());
    }

    private Response change(Request request, PathParameters path) {
        var room = checked(request, room(path).id());
        rooms.put(room.id(), room);
        return Response.json(room);
    }

    private Response remove(Request request, PathParameters path) {
        rooms.remove(room(path).id());
        return Response.status(204);
    }

    private Room room(PathParameters path) {
        var room = rooms.get(path.number("id"));
        if (room == null) throw new HttpError(404, "no room " + path).detail("there is no such room");
        return room;
    }

    private static Room checked(Request request, long id) {
        var room = request.json(Room.class);
        Checks.that(room.name() != null && !room.name().isBlank(), "/name", "is empty")
                .and(room.seats() > 0, "/seats", "is less than 1")
                .orThrow();
        return new Room(id, room.name(), room.seats());
    }
}
