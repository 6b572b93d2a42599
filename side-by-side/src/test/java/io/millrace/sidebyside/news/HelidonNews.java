package io.millrace.sidebyside.news;

import io.helidon.http.Status;
import io.helidon.http.sse.SseEvent;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.sse.SseSink;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

public final class HelidonNews {
    private final Set<BlockingQueue<String>> readers = ConcurrentHashMap.newKeySet();

    public static void main(String[] args) {
        var news = new HelidonNews();
        var server = WebServer.builder()
                .port(Integer.parseInt(args[0]))
                .routing(routing -> routing.get("/news", news::open).post("/news", news::publish))
                .build()
                .start();
        System.out.println(server.port());
    }

    /// On the virtual thread of the connection; what is sent to a reader that is gone throws.
    private void open(ServerRequest request, ServerResponse response) throws InterruptedException {
        var reader = new ArrayBlockingQueue<String>(100);
        try (var sink = response.sink(SseSink.TYPE)) {
            readers.add(reader);
            while (true) {
                sink.emit(SseEvent.builder().name("news").data(reader.take()).build());
            }
        } finally {
            readers.remove(reader);
        }
    }

    private void publish(ServerRequest request, ServerResponse response) {
        var text = request.content().as(String.class);
        for (var reader : readers) reader.offer(text);
        response.status(Status.NO_CONTENT_204).send();
    }
}
