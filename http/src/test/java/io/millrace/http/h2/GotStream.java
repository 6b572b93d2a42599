package io.millrace.http.h2;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a peer has got of one stream so far.
final class GotStream {
    static final int NO_RESET = -1;

    final int id;

    /// 0 before the head.
    int status;

    Map<String, String> headers = new LinkedHashMap<>();
    final List<Integer> interims = new ArrayList<>();
    final Map<String, String> trailers = new LinkedHashMap<>();
    boolean hasEnded;
    int resetCode = NO_RESET;

    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    GotStream(int id) {
        this.id = id;
    }

    void fields(List<HpackField> fields, boolean ends) {
        var got = status != 0 ? trailers : new LinkedHashMap<String, String>();
        for (var field : fields) got.merge(field.name, field.value, (a, b) -> a + ", " + b);
        hasEnded = ends;
        if (status != 0) {
            if (!ends) throw new AssertionError("fields in the middle of stream " + id);
            return;
        }
        int code = Integer.parseInt(got.remove(":status"));
        if (code < 200) {
            interims.add(code);
            return;
        }
        status = code;
        headers = got;
    }

    void data(byte[] part, boolean ends) {
        if (status == 0) throw new AssertionError("a body in front of its head, on stream " + id);
        if (isOver()) throw new AssertionError("a body behind the end of stream " + id);
        body.writeBytes(part);
        hasEnded = ends;
    }

    /// Whether nothing more comes.
    boolean isOver() {
        return hasEnded || resetCode != NO_RESET;
    }

    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    byte[] body() {
        return body.toByteArray();
    }

    int bodyBytes() {
        return body.size();
    }

    String text() {
        return body.toString(UTF_8);
    }

    @Override
    public String toString() {
        return "stream " + id + ": " + status + " " + headers + ", " + body.size() + " bytes"
                + (hasEnded ? ", ended" : "") + (resetCode == NO_RESET ? "" : ", reset with " + resetCode);
    }
}
