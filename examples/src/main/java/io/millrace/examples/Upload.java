package io.millrace.examples;

import io.millrace.http.Request;
import io.millrace.http.client.HttpClient;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/// Sends a file, of any size: `java … Upload http://localhost:8080/there file`.
public final class Upload {
    public static void main(String[] args) throws IOException {
        try (var client = HttpClient.create();
                var file = FileChannel.open(Path.of(args[1]))) {
            var request = Request.of("PUT", args[0], out -> out.write(file, 64 << 10) > 0);
            System.out.println(client.send(request.length(file.size())).status());
        }
    }
}
