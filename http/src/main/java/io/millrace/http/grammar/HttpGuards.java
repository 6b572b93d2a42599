package io.millrace.http.grammar;

import io.millrace.loop.CountedGuard;
import io.millrace.net.Guard;

/// The limits of HTTP and of its filters; `docs/limits.md` describes them.
public final class HttpGuards {
    public static final Guard REQUEST_LINE = CountedGuard.declare("http.request-line", "the request line of HTTP");
    public static final Guard HEAD =
            CountedGuard.declare("http.head", "request line and fields of HTTP, or trailer fields");
    public static final Guard FIELDS = CountedGuard.declare("http.fields", "the number of fields of HTTP");
    public static final Guard BODY = CountedGuard.declare("http.body", "a body of HTTP that a handler gets whole");
    public static final Guard UNREAD =
            CountedGuard.declare("http.unread", "a body of HTTP that nobody reads, and whose end does not come");
    public static final Guard BODY_RATE =
            CountedGuard.declare("http.body.rate", "a body of HTTP that arrives too slowly");
    public static final Guard HEAD_TIMEOUT =
            CountedGuard.declare("http.timeout.head", "a head of HTTP that does not come to its end");
    public static final Guard IDLE_TIMEOUT =
            CountedGuard.declareEveryday("http.timeout.idle", "a connection of HTTP without a request");
    public static final Guard PER_ADDRESS =
            CountedGuard.declare("http.connections-per-address", "connections of HTTP from one address");
    public static final Guard HTTP2_WORK =
            CountedGuard.declare("http.work", "work for a peer of HTTP/2 without progress");
    public static final Guard HTTP2_STREAMS =
            CountedGuard.declare("http.streams", "streams of a connection of HTTP/2 at a time");
    public static final Guard HTTP2_HEADS =
            CountedGuard.declare("http.heads", "heads of the requests that a connection of HTTP/2 has open");
    public static final Guard HTTP2_WINDOW =
            CountedGuard.declare("http.window", "a response that waits for a window of HTTP/2 to open");
    public static final Guard HTTP2_UNSENT =
            CountedGuard.declare("http.stream.unsent", "a response that waits for a peer of HTTP/2");
    public static final Guard FILES = CountedGuard.declare("http.files", "responses that wait for the file system");
    public static final Guard CODINGS =
            CountedGuard.declare("http.codings", "content codings of HTTP on top of each other");
    public static final Guard DECODED = CountedGuard.declare("http.decoded", "a body of HTTP that a server unpacks");
    public static final Guard DECODED_RATIO = CountedGuard.declare(
            "http.decoded.ratio", "a body of HTTP that a server unpacks, for each byte that was sent");
    public static final Guard DEFLATERS =
            CountedGuard.declare("http.deflaters", "bodies of HTTP that are packed at a time");
    public static final Guard INFLATERS =
            CountedGuard.declare("http.inflaters", "bodies of HTTP that are unpacked at a time");
    public static final Guard WS_QUEUE =
            CountedGuard.declare("http.websocket.queue", "a WebSocket whose peer does not read");
    public static final Guard WS_IDLE =
            CountedGuard.declareEveryday("http.websocket.idle", "a WebSocket whose peer is silent");
    public static final Guard WS_CLOSE = CountedGuard.declareEveryday(
            "http.websocket.close", "a WebSocket whose peer does not answer a close frame");
    public static final Guard WS_MESSAGE =
            CountedGuard.declare("http.websocket.message", "a message of a WebSocket, as sent and as unpacked");
    public static final Guard WS_RATIO = CountedGuard.declare(
            "http.websocket.ratio", "a message of a WebSocket that is unpacked, for each byte that was sent");
    public static final Guard WS_FRAGMENTS =
            CountedGuard.declare("http.websocket.fragments", "fragments of a message of a WebSocket");
    public static final Guard WS_CONTROL =
            CountedGuard.declare("http.websocket.control", "pings and pongs of a WebSocket in a row");
    public static final Guard WS_WINDOWS = CountedGuard.declare(
            "http.websocket.windows", "WebSockets that keep their windows of compression between messages");
    public static final Guard CLIENT_WAITING =
            CountedGuard.declare("http.client.waiting", "requests that wait for one of a client's connections");
    public static final Guard CLIENT_HEAD = CountedGuard.declare(
            "http.client.head", "the head of a response, or its trailer fields, or the line of a chunk");
    public static final Guard CLIENT_FIELDS =
            CountedGuard.declare("http.client.fields", "the number of fields of a response");
    public static final Guard CLIENT_BODY = CountedGuard.declare("http.client.body", "a body that a client gets whole");
    public static final Guard CLIENT_DECODED =
            CountedGuard.declare("http.client.decoded", "a body of HTTP that a client unpacks");
    public static final Guard CLIENT_DECODED_RATIO = CountedGuard.declare(
            "http.client.decoded.ratio", "a body of HTTP that a client unpacks, for each byte that was sent");
    public static final Guard CLIENT_UNASKED = CountedGuard.declare(
            "http.client.unasked", "bytes of a server behind its response, or in front of a request");
    public static final Guard CLIENT_FIRST_BYTE =
            CountedGuard.declare("http.client.timeout.first-byte", "a response of which nothing comes");
    public static final Guard CLIENT_PROGRESS = CountedGuard.declare(
            "http.client.timeout.progress",
            "a server takes nothing more of a request, or sends nothing more of a response");
    public static final Guard CLIENT_WAIT_TIMEOUT =
            CountedGuard.declare("http.client.timeout.wait", "a request has waited for a connection for too long");
    public static final Guard CLIENT_HEAD_TIMEOUT =
            CountedGuard.declare("http.client.timeout.head", "no head of a response came in the time of one attempt");
    public static final Guard CLIENT_CONTINUE =
            CountedGuard.declare("http.client.timeout.continue", "a body that waits until the server wants it");
    public static final Guard CLIENT_TIMEOUT =
            CountedGuard.declare("http.client.timeout", "a response that is not complete");
    public static final Guard ACCESS_LOG =
            CountedGuard.declare("access-log.waiting", "lines of an access log that are not written yet");
    public static final Guard RATE_LIMIT = CountedGuard.declare("rate-limit", "requests of one key");
    public static final Guard RATE_LIMIT_KEYS =
            CountedGuard.declare("rate-limit.keys", "keys that a rate limit remembers");
    public static final Guard BASIC_AUTH =
            CountedGuard.declare("basic-auth.waiting", "passwords that wait to be checked");
    public static final Guard BASIC_AUTH_SHARE =
            CountedGuard.declare("basic-auth.waiting-per-address", "passwords of one client that wait to be checked");
    public static final Guard BASIC_AUTH_MISTAKES =
            CountedGuard.declare("basic-auth.mistakes", "wrong passwords of one client");

    /// Sessions that are kept in memory.
    public static final Guard SESSIONS = CountedGuard.declare("http.sessions", "sessions that are kept in memory");

    private HttpGuards() {}

    /// Declares all of them, so that limits which have not acted yet are listed, too.
    public static void declare() {
        // The class initializer does it, once.
    }
}
