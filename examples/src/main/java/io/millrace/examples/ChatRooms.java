package io.millrace.examples;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.millrace.Listen;
import io.millrace.codec.Group;
import io.millrace.codec.GroupMember;
import io.millrace.codec.GroupSettings;
import io.millrace.codec.Joining;
import io.millrace.http.HttpError;
import io.millrace.http.JsonCodec;
import io.millrace.http.PathParameters;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.server.Http;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.http.websocket.WebSocketSettings;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// A chat with rooms: who is in one, and what was said there last. `java … ChatRooms 8080`.
public final class ChatRooms {
    private static final int MOST_ROOMS = 1000;
    private static final GroupSettings ROOM =
            GroupSettings.standard().members(500).history(100);
    private static final WebSocketSettings SOCKET = WebSocketSettings.standard().messageBytes(4 << 10);

    /// One object, so that all members of a room share what it makes.
    private static final Function<News, String> JSON = ChatRooms::json;

    /// What a page hears of.
    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "kind")
    public sealed interface News {
        record Said(String from, String said) implements News {}

        record Seen(String user, boolean isHere) implements News {}

        record Here(Set<String> users) implements News {}
    }

    private final Map<String, Group<News>> rooms = new ConcurrentHashMap<>();

    public static void main(String[] args) throws InterruptedException {
        Http.listen(Listen.on(Integer.parseInt(args[0])), new ChatRooms().routes())
                .await();
    }

    public Routes routes() {
        var page = Page.of("chat.html");
        var script = Page.of("chat.js");
        return Routes.of()
                .get("/", _ -> Response.html(page))
                .get("/chat.js", _ -> Response.of(200, "text/javascript", script))
                .get("/rooms/{room}", this::enter)
                .get("/rooms/{room}/users", this::users);
    }

    private static String json(News news) {
        return JsonCodec.standard().write(news).utf8();
    }

    private Response enter(Request request, PathParameters path) {
        var user = request.parameter("as").orElseThrow(() -> new HttpError(400, "no user").detail("say ?as=NAME"));
        var name = path.text("room");
        if (rooms.size() >= MOST_ROOMS && !rooms.containsKey(name)) throw new HttpError(503, "no place for " + name);
        return WebSocket.accept(request, SOCKET, socket -> new Visit(name, user, socket).enter());
    }

    private Response users(Request request, PathParameters path) {
        var room = rooms.get(path.text("room"));
        if (room == null) throw new HttpError(404, "nobody is in " + path);
        return Response.json(room.users());
    }

    /// A user in a room. A room is there while somebody is in it.
    private final class Visit implements WebSocketHandler {
        private final String name;
        private final String user;
        private final WebSocket socket;
        private final GroupMember<News> member;

        Visit(String name, String user, WebSocket socket) {
            this.name = name;
            this.user = user;
            this.socket = socket;
            this.member = socket.as(JSON);
        }

        Visit enter() {
            rooms.compute(name, (_, known) -> {
                var room = known == null ? open() : known;
                if (!room.join(member, Joining.as(user).last(20))) socket.close(4001, "the room is full");
                return room;
            });
            return this;
        }

        private Group<News> open() {
            var room = new Group<News>(ROOM);
            room.keeps(News.Said.class::isInstance);
            room.welcome(News.Here::new);
            room.onPresence(who -> room.broadcast(new News.Seen(who.user(), who.isHere())));
            return room;
        }

        @Override
        public void onText(String text) {
            var room = rooms.get(name);
            if (room != null) room.broadcast(new News.Said(user, text));
        }

        @Override
        public void onClose(int code, String reason) {
            rooms.computeIfPresent(name, (_, room) -> {
                room.leave(member);
                return room.size() == 0 ? null : room;
            });
        }
    }
}
