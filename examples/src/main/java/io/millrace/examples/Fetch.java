package io.millrace.examples;

import io.millrace.http.Request;
import io.millrace.http.client.HttpClient;
import java.io.IOException;

/// An HTTP client: `java … Fetch http://localhost:8080/`.
public final class Fetch {
    public static void main(String[] args) throws IOException {
        try (var client = HttpClient.create()) {
            var response = client.send(Request.get(args[0]));
            System.out.println(response.status() + " " + response.text());
        }
    }
}
