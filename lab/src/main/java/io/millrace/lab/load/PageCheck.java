package io.millrace.lab.load;

import java.io.IOException;

/// Checks that a page arrives unchanged, and only its head for `HEAD`; each more than once, so that the server
/// has to find the ends of messages.
final class PageCheck {
    private static final int TIMES = 3;

    private PageCheck() {}

    /// @throws IOException with a sentence, when a response is not right or does not come
    static void run(Judge judge, int sizeBytes) throws IOException, InterruptedException {
        var target = Page.target(sizeBytes);
        var expected = Page.content(sizeBytes);
        for (int i = 0; i < TIMES; i++) {
            judge.judge(judge.request(target).GET().build(), expected);
            var request = judge.request(target).HEAD().build();
            var head = judge.judge(request, new byte[0]);
            var length = head.headers().firstValue("Content-Length").orElse("none");
            Judge.require(length.equals(Integer.toString(sizeBytes)), request, "has the Content-Length " + length);
        }
    }
}
