package io.millrace.examples;

import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.filter.Compression;
import io.millrace.http.filter.Decompression;
import io.millrace.http.server.Http;

/// Compresses responses and decompresses requests: `java … Packed 8080`, then `curl --compressed …/report`.
public final class Packed {
    public static void main(String[] args) throws InterruptedException {
        HttpHandler report = _ -> Response.ok("all is well\n".repeat(1000));
        HttpHandler log =
                Http.whole(8 << 20, request -> Response.ok(request.body().remaining() + " bytes"));

        HttpHandler app = Routes.of()
                .get("/report", report)
                .post("/log", log)
                .filter(Compression.gzip(), Decompression.upTo(8 << 20));
        Http.listen(Integer.parseInt(args[0]), app).await();
    }
}
