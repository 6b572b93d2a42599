package io.millrace.sidebyside.news;

import io.millrace.http.EventStream;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.server.Http;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

public final class MillraceNews {
    private final Set<EventStream> readers = ConcurrentHashMap.newKeySet();

    public static void main(String[] args) throws InterruptedException {
        var news = new MillraceNews();
        var app = Routes.of().get("/news", _ -> Response.events(news::open)).post("/news", news::publish);
        var server = Http.serve(Integer.parseInt(args[0]), app);
        System.out.println(server.port());
        server.await();
    }

    private void open(EventStream reader) {
        readers.add(reader);
        reader.onClose(() -> readers.remove(reader));
    }

    private Response publish(Request request) {
        var text = request.text();
        for (var reader : readers) if (!reader.isFull()) reader.send("news", text);
        return Response.status(204);
    }
}
