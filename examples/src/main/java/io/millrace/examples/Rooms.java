package io.millrace.examples;

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
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/// An interface for programs: JSON, routes, checks and errors. `java … Rooms 8080`.
public final class Rooms {
    public record Room(String name, int seats) {}

    public record Entry(long id, Room room) {}

    private final Map<Long, Room> rooms = new ConcurrentSkipListMap<>();
    private final AtomicLong ids = new AtomicLong();

    public static void main(String[] args) throws InterruptedException {
        var settings = HttpSettings.standard().errors(ErrorResponses.problems());
        Http.serve(Listen.on(Integer.parseInt(args[0])), settings, Routes.of().mount("/rooms", new Rooms().routes()))
                .await();
    }

    public Routes routes() {
        return Routes.of()
                .get("/", _ -> Response.json(all()))
                .post("/", this::create)
                .get("/{id}", (_, path) -> Response.json(room(path)))
                .put("/{id}", this::change)
                .delete("/{id}", this::remove);
    }

    private List<Entry> all() {
        return rooms.entrySet().stream()
                .map(entry -> new Entry(entry.getKey(), entry.getValue()))
                .toList();
    }

    private Response create(Request request) {
        var room = checked(request.json(Room.class));
        long id = ids.incrementAndGet();
        rooms.put(id, room);
        return Response.json(201, new Entry(id, room)).setHeader("Location", Routes.mountedAt(request) + "/" + id);
    }

    private Response change(Request request, PathParameters path) {
        room(path);
        var room = checked(request.json(Room.class));
        rooms.put(path.number("id"), room);
        return Response.json(room);
    }

    private Response remove(Request request, PathParameters path) {
        room(path);
        rooms.remove(path.number("id"));
        return Response.status(204);
    }

    private Room room(PathParameters path) {
        var room = rooms.get(path.number("id"));
        if (room == null) throw new HttpError(404, "no room " + path).detail("there is no such room");
        return room;
    }

    private static Room checked(Room room) {
        Checks.that(room.name() != null && !room.name().isBlank(), "/name", "is empty")
                .and(room.seats() > 0, "/seats", "is less than 1")
                .orThrow();
        return room;
    }
}
