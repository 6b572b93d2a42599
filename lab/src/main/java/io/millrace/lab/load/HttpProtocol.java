package io.millrace.lab.load;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/// Requests to send, and which responses are right; for the connections of one loop.
final class HttpProtocol implements Conversation.Protocol {
    private final HttpMessages messages;
    private final byte[] request;

    /// Behind the last digit of the number in a request; 0 where there is none.
    private final int numberEnd;

    private final ResponseHeads heads = new ResponseHeads();

    private final ExpectedResponse expected;

    private HttpProtocol(HttpMessages messages, byte[] request, ExpectedResponse expected) {
        this.messages = messages;
        this.request = request;
        this.numberEnd = numberEnd(messages, request);
        this.expected = expected;
    }

    static Supplier<Conversation.Protocol> protocols(HttpMessages messages) {
        var expected = ExpectedResponse.to(messages);
        return () -> new HttpProtocol(messages, messages.request(), expected.get());
    }

    private static int numberEnd(HttpMessages messages, byte[] request) {
        if (!messages.headers().has(HttpMessages.NUMBER)) return 0;
        var head = new String(request, StandardCharsets.ISO_8859_1);
        return head.indexOf("\r\n", head.indexOf("\r\n" + HttpMessages.NUMBER + ": ") + 2);
    }

    @Override
    public Conversation begin(int connection) {
        return new HttpConversation(this, connection);
    }

    int requestBytes() {
        return request.length;
    }

    /// A request as it is sent; until the next call.
    byte[] request(long number) {
        if (numberEnd == 0) return request;
        long left = number;
        for (int i = 1; i <= HttpMessages.NUMBER_DIGITS; i++) {
            request[numberEnd - i] = (byte) ('0' + left % 10);
            left /= 10;
        }
        return request;
    }

    boolean isClosing() {
        return messages.isClosing();
    }

    boolean hasBodies() {
        return !messages.method().equals("HEAD");
    }

    ResponseHeads heads() {
        return heads;
    }

    ExpectedResponse expected() {
        return expected;
    }
}
