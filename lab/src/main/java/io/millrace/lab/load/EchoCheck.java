package io.millrace.lab.load;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Random;

/// Whether a body comes back as it was sent, more than once on a connection.
final class EchoCheck {
    static final String TARGET = "/echo";
    private static final int TIMES = 3;

    private EchoCheck() {}

    /// @throws IOException with a sentence, when a response is not right or does not come
    static void run(Judge judge, int sizeBytes) throws IOException, InterruptedException {
        var body = body(sizeBytes);
        for (int i = 0; i < TIMES; i++) {
            judge.judge(
                    judge.request(TARGET).POST(BodyPublishers.ofByteArray(body)).build(), body);
        }
    }

    /// What is sent, which nothing can pack.
    static byte[] body(int sizeBytes) {
        var body = new byte[sizeBytes];
        new Random(sizeBytes).nextBytes(body);
        return body;
    }
}
