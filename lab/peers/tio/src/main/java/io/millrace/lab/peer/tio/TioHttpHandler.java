package io.millrace.lab.peer.tio;

import io.millrace.lab.peer.HttpPeer;
import org.tio.http.common.HeaderName;
import org.tio.http.common.HeaderValue;
import org.tio.http.common.HttpConfig;
import org.tio.http.common.HttpRequest;
import org.tio.http.common.HttpResponse;
import org.tio.http.common.HttpResponseStatus;
import org.tio.http.common.RequestLine;
import org.tio.http.common.handler.HttpRequestHandler;

/// Answers without the routes and controllers of its default handler. `Server` and `Date` are its own.
final class TioHttpHandler implements HttpRequestHandler {
    private static final byte[] HELLO = HttpPeer.hello();

    private final HttpConfig config;
    private final boolean isClosing;

    TioHttpHandler(HttpConfig config, boolean isClosing) {
        this.config = config;
        this.isClosing = isClosing;
    }

    @Override
    public HttpResponse handler(HttpRequest request) {
        return switch (request.getRequestLine().getPath()) {
            case HttpPeer.PLAINTEXT -> {
                HttpResponse response = response(request, HELLO);
                response.addHeader(HeaderName.Content_Type, HeaderValue.Content_Type.TEXT_PLAIN_TXT);
                yield response;
            }
            case HttpPeer.ECHO -> response(request, request.getBody());
            default -> resp404(request, request.getRequestLine());
        };
    }

    private HttpResponse response(HttpRequest request, byte[] body) {
        var response = new HttpResponse(request);
        response.setBody(body);
        // Otherwise it compresses, whether or not the client can take it.
        response.setHasGzipped(true);
        if (isClosing) {
            response.addHeader(HeaderName.Connection, HeaderValue.Connection.close);
            // What it closes after is the request's wish.
            request.setConnection("close");
        }
        return response;
    }

    @Override
    public HttpResponse resp404(HttpRequest request, RequestLine requestLine) {
        HttpResponse response = response(request, new byte[0]);
        response.setStatus(HttpResponseStatus.C404);
        return response;
    }

    @Override
    public HttpResponse resp500(HttpRequest request, RequestLine requestLine, Throwable cause) {
        HttpResponse response = response(request, new byte[0]);
        response.setStatus(HttpResponseStatus.C500);
        return response;
    }

    @Override
    public HttpConfig getHttpConfig(HttpRequest request) {
        return config;
    }

    @Override
    public void clearStaticResCache() {}
}
