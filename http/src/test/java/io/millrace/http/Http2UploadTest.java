package io.millrace.http;

import io.millrace.http.client.ClientSettings;

/// The same over HTTP/2, in clear text.
class Http2UploadTest extends HttpClientUploadTest {
    @Override
    ClientSettings settings() {
        return ClientSettings.standard().version(HttpVersion.HTTP_2);
    }

    /// Frames need none.
    @Override
    String codingWithoutLength() {
        return "-";
    }
}
