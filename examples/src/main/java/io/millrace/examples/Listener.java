package io.millrace.examples;

import io.millrace.EventLoops;
import io.millrace.http.Request;
import io.millrace.http.client.HttpClient;
import io.millrace.http.websocket.ReconnectingWebSocket;
import io.millrace.net.Loop;

/// Prints what is said in a room: `java … Listener http://localhost:8080/rooms/lobby?as=listener`.
public final class Listener {
    public static void main(String[] args) {
        try (var loops = EventLoops.of(1);
                var client = HttpClient.on(loops);
                var room = listen(client, loops.next(), args[0])) {
            room.ended().toCompletableFuture().join();
        }
    }

    static ReconnectingWebSocket listen(HttpClient client, Loop loop, String url) {
        return ReconnectingWebSocket.start(client, loop, Request.get(url), (socket, before) -> {
            if (before.missed() > 0) socket.send("I could not say " + before.missed() + " things");
            return System.out::println;
        });
    }
}
