package io.millrace.sidebyside.news;

import io.javalin.Javalin;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.javalin.http.sse.SseClient;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

public final class JavalinNews {
    private final Set<SseClient> readers = ConcurrentHashMap.newKeySet();

    public static void main(String[] args) {
        var news = new JavalinNews();
        var app = Javalin.create(config -> {
                    config.routes.sse("/news", news::open);
                    config.routes.post("/news", news::publish);
                })
                .start(Integer.parseInt(args[0]));
        System.out.println(app.port());
    }

    private void open(SseClient reader) {
        reader.keepAlive();
        reader.onClose(() -> readers.remove(reader));
        readers.add(reader);
    }

    private void publish(Context ctx) {
        var text = ctx.body();
        for (var reader : readers) reader.sendEvent("news", text);
        ctx.status(HttpStatus.NO_CONTENT);
    }
}
