package io.millrace.sidebyside.upload;

import io.helidon.http.BadRequestException;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.http.media.multipart.MultiPart;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

public final class HelidonUpload {
    public static void main(String[] args) {
        var folder = Path.of(args[1]);
        var server = WebServer.builder()
                .port(Integer.parseInt(args[0]))
                .maxPayloadSize(1 << 20)
                .routing(routing -> routing.post("/photos", (request, response) -> save(request, response, folder)))
                .build()
                .start();
        System.out.println(server.port());
    }

    private static void save(ServerRequest request, ServerResponse response, Path folder) throws IOException {
        var id = UUID.randomUUID().toString();
        var title = "untitled";
        var saved = false;
        var parts = request.content().as(MultiPart.class);
        while (parts.hasNext()) {
            var part = parts.next();
            switch (part.name()) {
                case "title" -> title = part.as(String.class);
                case "photo" -> {
                    try (var content = part.inputStream()) {
                        Files.copy(content, folder.resolve(id));
                    }
                    saved = true;
                }
                default -> part.consume();
            }
        }
        if (!saved) throw new BadRequestException("no photo");
        response.status(Status.CREATED_201)
                .header(HeaderNames.LOCATION, "/photos/" + id)
                .send(title);
    }
}
