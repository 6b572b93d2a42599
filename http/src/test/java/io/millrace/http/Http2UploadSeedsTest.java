package io.millrace.http;

/// The same over HTTP/2.
class Http2UploadSeedsTest extends UploadSeedsTest {
    @Override
    HttpVersion version() {
        return HttpVersion.HTTP_2;
    }
}
