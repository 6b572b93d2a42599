package io.millrace.sidebyside.rooms;

import io.javalin.Javalin;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.javalin.http.NotFoundResponse;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

public final class JavalinRooms {
    public record Room(long id, String name, int seats) {}

    private final Map<Long, Room> rooms = new ConcurrentSkipListMap<>();
    private final AtomicLong ids = new AtomicLong();

    public static void main(String[] args) {
        var app = new JavalinRooms().app().start(Integer.parseInt(args[0]));
        System.out.println(app.port());
    }

    Javalin app() {
        return Javalin.create(config -> {
            config.routes.get("/rooms", ctx -> ctx.json(rooms.values()));
            config.routes.post("/rooms", this::create);
            config.routes.get("/rooms/{id}", ctx -> ctx.json(room(ctx)));
            config.routes.put("/rooms/{id}", this::change);
            config.routes.delete("/rooms/{id}", this::remove);
        });
    }

    private void create(Context ctx) {
        var room = checked(ctx, ids.incrementAndGet());
        rooms.put(room.id(), room);
        ctx.status(HttpStatus.CREATED).header("Location", "/rooms/" + room.id()).json(room);
    }

    private void change(Context ctx) {
        var room = checked(ctx, room(ctx).id());
        rooms.put(room.id(), room);
        ctx.json(room);
    }

    private void remove(Context ctx) {
        rooms.remove(room(ctx).id());
        ctx.status(HttpStatus.NO_CONTENT);
    }

    private Room room(Context ctx) {
        var room = rooms.get(ctx.pathParamAsClass("id", Long.class).get());
        if (room == null) throw new NotFoundResponse("there is no such room");
        return room;
    }

    private static Room checked(Context ctx, long id) {
        var room = ctx.bodyValidator(Room.class)
                .check("name", it -> it.name() != null && !it.name().isBlank(), "is empty")
                .check("seats", it -> it.seats() > 0, "is less than 1")
                .get();
        return new Room(id, room.name(), room.seats());
    }
}
