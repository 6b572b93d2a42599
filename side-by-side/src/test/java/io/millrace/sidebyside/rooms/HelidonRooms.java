package io.millrace.sidebyside.rooms;

import io.helidon.http.BadRequestException;
import io.helidon.http.HeaderNames;
import io.helidon.http.NotFoundException;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

public final class HelidonRooms implements HttpService {
    public record Room(long id, String name, int seats) {}

    public record Problem(String field, String detail) {}

    private static final class Invalid extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient List<Problem> problems;

        private Invalid(List<Problem> problems) {
            this.problems = problems;
        }
    }

    private final Map<Long, Room> rooms = new ConcurrentSkipListMap<>();
    private final AtomicLong ids = new AtomicLong();

    public static void main(String[] args) {
        var server = WebServer.builder()
                .port(Integer.parseInt(args[0]))
                .routing(HelidonRooms::routing)
                .build()
                .start();
        System.out.println(server.port());
    }

    static void routing(HttpRouting.Builder routing) {
        routing.register("/rooms", new HelidonRooms())
                .error(
                        Invalid.class,
                        (_, response, invalid) -> response.status(Status.UNPROCESSABLE_CONTENT_422)
                                .send(invalid.problems));
    }

    @Override
    public void routing(HttpRules rules) {
        rules.get("/", (_, response) -> response.send(List.copyOf(rooms.values())))
                .post("/", this::create)
                .get("/{id}", (request, response) -> response.send(room(request)))
                .put("/{id}", this::change)
                .delete("/{id}", this::remove);
    }

    private void create(ServerRequest request, ServerResponse response) {
        var room = checked(request, ids.incrementAndGet());
        rooms.put(room.id(), room);
        response.status(Status.CREATED_201)
                .header(HeaderNames.LOCATION, "/rooms/" + room.id())
                .send(room);
    }

    private void change(ServerRequest request, ServerResponse response) {
        var room = checked(request, room(request).id());
        rooms.put(room.id(), room);
        response.send(room);
    }

    private void remove(ServerRequest request, ServerResponse response) {
        rooms.remove(room(request).id());
        response.status(Status.NO_CONTENT_204).send();
    }

    private Room room(ServerRequest request) {
        try {
            var room = rooms.get(Long.parseLong(request.path().pathParameters().get("id")));
            if (room == null) throw new NotFoundException("there is no such room");
            return room;
        } catch (NumberFormatException e) {
            throw new BadRequestException("the id is no number", e);
        }
    }

    private static Room checked(ServerRequest request, long id) {
        Room room;
        try {
            room = request.content().as(Room.class);
        } catch (RuntimeException e) {
            throw new BadRequestException("the body is no room", e);
        }
        var problems = new ArrayList<Problem>();
        if (room.name() == null || room.name().isBlank()) problems.add(new Problem("name", "is empty"));
        if (room.seats() < 1) problems.add(new Problem("seats", "is less than 1"));
        if (!problems.isEmpty()) throw new Invalid(problems);
        return new Room(id, room.name(), room.seats());
    }
}
