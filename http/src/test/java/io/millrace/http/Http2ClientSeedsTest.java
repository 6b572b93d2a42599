package io.millrace.http;

/// The same over HTTP/2.
class Http2ClientSeedsTest extends HttpClientSeedsTest {
    @Override
    HttpVersion version() {
        return HttpVersion.HTTP_2;
    }
}
