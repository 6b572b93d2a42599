package io.millrace.proxy.admin;

import io.millrace.bytes.Bytes;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;

/// Answers in words.
final class Texts {
    private Texts() {}

    static Response answer(int status, String text) {
        return BuiltResponse.of(status, new Body.Whole(Bytes.utf8(text))).type("text/plain; charset=utf-8");
    }
}
