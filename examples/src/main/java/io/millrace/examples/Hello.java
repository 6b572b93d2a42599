package io.millrace.examples;

import io.millrace.http.Response;
import io.millrace.http.server.Http;

/// HTTP on the loop: `java … Hello 8080`, then open http://localhost:8080/.
public final class Hello {
    public static void main(String[] args) throws InterruptedException {
        Http.listen(Integer.parseInt(args[0]), request -> switch (request.path()) {
                    case "/" -> Response.ok("hello");
                    default -> Response.status(404);
                })
                .await();
    }
}
