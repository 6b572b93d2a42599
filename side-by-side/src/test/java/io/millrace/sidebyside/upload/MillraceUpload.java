package io.millrace.sidebyside.upload;

import io.millrace.http.HttpError;
import io.millrace.http.Multipart;
import io.millrace.http.Part;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.server.Http;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

public final class MillraceUpload {
    public static void main(String[] args) throws InterruptedException {
        var folder = Path.of(args[1]);
        var app = Routes.of().post("/photos", Http.whole(1 << 20, request -> save(request, folder)));
        var server = Http.serve(Integer.parseInt(args[0]), app);
        System.out.println(server.port());
        server.await();
    }

    private static Response save(Request request, Path folder) throws IOException {
        var form = Multipart.of(request);
        var photo = form.first("photo").orElseThrow(() -> new HttpError(400, "no photo"));
        var title = form.first("title").map(Part::text).orElse("untitled");
        var id = UUID.randomUUID().toString();
        Files.write(folder.resolve(id), photo.content().toArray());
        return Response.of(201, "text/plain", title).setHeader("Location", "/photos/" + id);
    }
}
