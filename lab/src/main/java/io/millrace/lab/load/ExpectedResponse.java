package io.millrace.lab.load;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// Which responses are right, for the connections of one loop.
final class ExpectedResponse {
    private final HttpMessages messages;

    /// The length that all loops agree on; [HttpMessages#AS_THE_FIRST] before there was a response.
    private final AtomicLong agreed;

    private long length;

    private ExpectedResponse(HttpMessages messages, AtomicLong agreed) {
        this.messages = messages;
        this.agreed = agreed;
        this.length = messages.length();
    }

    /// One for each loop.
    static Supplier<ExpectedResponse> to(HttpMessages messages) {
        var agreed = new AtomicLong(messages.length());
        return () -> new ExpectedResponse(messages, agreed);
    }

    /// What is wrong with a response; empty when it is right.
    String complaint(int status, long bodyBytes) {
        if (!isRight(status)) return "has status " + status + " instead of " + messages.statusInWords();
        if (length == HttpMessages.AS_THE_FIRST) length = agree(bodyBytes);
        if (length == bodyBytes || length == HttpMessages.ANY_LENGTH) return "";
        return "has a body of " + bodyBytes + " bytes instead of " + length;
    }

    private boolean isRight(int status) {
        return messages.status() == HttpMessages.ANY_SUCCESS ? status / 100 == 2 : status == messages.status();
    }

    private long agree(long bodyBytes) {
        long known = agreed.compareAndExchange(HttpMessages.AS_THE_FIRST, bodyBytes);
        return known == HttpMessages.AS_THE_FIRST ? bodyBytes : known;
    }
}
