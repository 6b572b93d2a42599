package io.millrace.lab.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.List;

/// Checks that a server answers the HTTP workloads' request completely.
final class PlaintextCheck {
    static final String TARGET = "/plaintext";

    private static final byte[] HELLO = "Hello, World!".getBytes(US_ASCII);
    private static final List<String> FIELDS = List.of("Server", "Date", "Content-Length");

    private PlaintextCheck() {}

    /// Asks once.
    ///
    /// @param needsType whether the response must say what it is; if it does, that must be right in any case
    /// @throws IOException with a sentence, when the response is not right or does not come
    static void run(Judge judge, boolean needsType) throws IOException, InterruptedException {
        var request = judge.request(TARGET).build();
        var headers = judge.judge(request, HELLO).headers();
        for (var name : FIELDS) {
            Judge.require(headers.firstValue(name).isPresent(), request, "has no field " + name);
        }
        var type = headers.firstValue("Content-Type").orElse("");
        boolean isRight = type.isEmpty() ? !needsType : type.startsWith("text/plain");
        Judge.require(isRight, request, "is of the type '" + type + "' instead of text/plain");
    }
}
