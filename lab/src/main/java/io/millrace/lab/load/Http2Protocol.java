package io.millrace.lab.load;

import java.util.function.Supplier;

/// Requests to send in HTTP/2, and which responses are right; for the connections of one loop.
final class Http2Protocol implements Conversation.Protocol {
    private final RequestFrames frames;
    private final byte[] body;
    private final ExpectedResponse expected;
    private final ResponseFields fields = new ResponseFields();

    private Http2Protocol(Http2Messages messages, ExpectedResponse expected) {
        this.frames = new RequestFrames(messages.requests(), messages.scheme());
        this.body = messages.requests().body().toArray();
        this.expected = expected;
    }

    static Supplier<Conversation.Protocol> protocols(Http2Messages messages) {
        var expected = ExpectedResponse.to(messages.requests());
        return () -> new Http2Protocol(messages, expected.get());
    }

    @Override
    public Conversation begin(int connection) {
        return new Http2Conversation(this, connection);
    }

    /// What decodes the fields of responses.
    ResponseFields fields() {
        return fields;
    }

    RequestFrames frames() {
        return frames;
    }

    byte[] body() {
        return body;
    }

    ExpectedResponse expected() {
        return expected;
    }
}
