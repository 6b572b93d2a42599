package io.millrace.examples;

import io.millrace.Listen;
import io.millrace.codec.Group;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;

/// What one page says, all of them show: `java … Shout 8080`, and a browser at `http://localhost:8080/`.
public final class Shout {
    private final Group<String> everybody = new Group<>();
    private final String page = Page.of("shout.html");

    public static void main(String[] args) throws InterruptedException {
        Http.listen(Listen.on(Integer.parseInt(args[0])), new Shout()::handle).await();
    }

    Response handle(Request request) {
        return switch (request.path()) {
            case "/" -> Response.html(page);
            case "/ws" -> WebSocket.accept(request, this::open);
            default -> Response.status(404);
        };
    }

    private WebSocketHandler open(WebSocket socket) {
        everybody.join(socket);
        return everybody::broadcast;
    }
}
