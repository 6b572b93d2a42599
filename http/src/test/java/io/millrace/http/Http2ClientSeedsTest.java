package io.millrace.http;

import static io.millrace.http.FrameText.DATA;
import static io.millrace.http.FrameText.END_HEADERS;
import static io.millrace.http.FrameText.HEADERS;
import static io.millrace.http.FrameText.HELLO;
import static io.millrace.http.FrameText.NO_ERROR;
import static io.millrace.http.FrameText.OK;
import static io.millrace.http.FrameText.REFUSED_STREAM;
import static io.millrace.http.FrameText.RST_STREAM;
import static io.millrace.http.FrameText.WINDOW_UPDATE;
import static io.millrace.http.FrameText.end;
import static io.millrace.http.FrameText.field;
import static io.millrace.http.FrameText.frame;
import static io.millrace.http.FrameText.goAway;
import static io.millrace.http.FrameText.headers;
import static io.millrace.http.FrameText.int32;
import static io.millrace.http.FrameText.setting;
import static io.millrace.http.FrameText.whole;

import java.util.List;

/// The same over HTTP/2.
class Http2ClientSeedsTest extends HttpClientSeedsTest {
    private static final String FIVE = headers(1, OK + field("content-length", "5"));

    @Override
    HttpVersion version() {
        return HttpVersion.HTTP_2;
    }

    @Override
    List<String> responses() {
        return List.of(
                HELLO + FIVE + end(1, "hello") + whole(3, OK),
                HELLO + headers(1, field(":status", "103")) + headers(1, OK) + whole(1, field("a", "b")),
                HELLO + FIVE + frame(DATA, 0, 1, "he") + goAway(1, NO_ERROR) + end(1, "llo"),
                HELLO + setting(3, 1) + goAway(0, NO_ERROR),
                HELLO + setting(4, 1) + frame(WINDOW_UPDATE, 0, 0, int32(1)) + whole(5, OK),
                HELLO + frame(RST_STREAM, 0, 1, int32(REFUSED_STREAM)) + whole(3, OK),
                HELLO + frame(HEADERS, 0, 1, OK) + frame(FrameText.CONTINUATION, END_HEADERS, 1, field("a", "b")));
    }

    @Override
    String others() {
        return "\0\1\2\3\4\5\6\7\10\11@\u0088\u00ff";
    }
}
