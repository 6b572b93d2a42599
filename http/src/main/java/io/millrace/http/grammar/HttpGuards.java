package io.millrace.http.grammar;

import io.millrace.Guards;
import io.millrace.net.Guard;

/// The limits of HTTP and of its filters; `docs/limits.md` describes them.
public final class HttpGuards {
    public static final Guard REQUEST_LINE = Guards.declare("http.request-line", "the HTTP request line");
    public static final Guard HEAD = Guards.declare("http.head", "HTTP request line and fields, or trailer fields");
    public static final Guard FIELDS = Guards.declare("http.fields", "the number of HTTP fields");
    public static final Guard BODY = Guards.declare("http.body", "an HTTP body that a handler gets whole");
    public static final Guard UNREAD = Guards.declare("http.unread", "an unread HTTP body that does not end");
    public static final Guard BODY_RATE = Guards.declare("http.body.rate", "an HTTP body that arrives too slowly");
    public static final Guard HEAD_TIMEOUT = Guards.declare("http.timeout.head", "an HTTP head that does not end");
    public static final Guard IDLE_TIMEOUT =
            Guards.declare("http.timeout.idle", "an HTTP connection without a request");
    public static final Guard PER_ADDRESS =
            Guards.declare("http.connections-per-address", "HTTP connections from one address");
    public static final Guard FILES = Guards.declare("http.files", "responses that wait for the file system");
    public static final Guard CODINGS = Guards.declare("http.codings", "HTTP content codings on top of each other");
    public static final Guard DECODED = Guards.declare("http.decoded", "an HTTP body that a server decompresses");
    public static final Guard DECODED_RATIO =
            Guards.declare("http.decoded.ratio", "an HTTP body that a server decompresses, per byte sent");
    public static final Guard DEFLATERS = Guards.declare("http.deflaters", "HTTP bodies compressed at a time");
    public static final Guard INFLATERS = Guards.declare("http.inflaters", "HTTP bodies decompressed at a time");
    public static final Guard CLIENT_WAITING =
            Guards.declare("http.client.waiting", "requests that wait for one of a client's connections");
    public static final Guard CLIENT_HEAD =
            Guards.declare("http.client.head", "the head of a response, its trailer fields, or a chunk's line");
    public static final Guard CLIENT_FIELDS =
            Guards.declare("http.client.fields", "the number of fields of a response");
    public static final Guard CLIENT_BODY = Guards.declare("http.client.body", "a body that a client gets whole");
    public static final Guard CLIENT_DECODED =
            Guards.declare("http.client.decoded", "an HTTP body that a client decompresses");
    public static final Guard CLIENT_DECODED_RATIO =
            Guards.declare("http.client.decoded.ratio", "an HTTP body that a client decompresses, per byte sent");
    public static final Guard CLIENT_UNASKED =
            Guards.declare("http.client.unasked", "a server's bytes after its response, or before a request");
    public static final Guard CLIENT_FIRST_BYTE =
            Guards.declare("http.client.timeout.first-byte", "a response that does not begin");
    public static final Guard CLIENT_PROGRESS = Guards.declare(
            "http.client.timeout.progress",
            "a server takes nothing more of a request, or sends nothing more of a response");
    public static final Guard CLIENT_WAIT_TIMEOUT =
            Guards.declare("http.client.timeout.wait", "a request has waited for a connection for too long");
    public static final Guard CLIENT_HEAD_TIMEOUT =
            Guards.declare("http.client.timeout.head", "a response's head that did not come in one attempt's time");
    public static final Guard CLIENT_CONTINUE =
            Guards.declare("http.client.timeout.continue", "a body that waits until the server wants it");
    public static final Guard CLIENT_TIMEOUT = Guards.declare("http.client.timeout", "a response that is not complete");
    public static final Guard ACCESS_LOG =
            Guards.declare("access-log.waiting", "lines of an access log that are not written yet");
    public static final Guard RATE_LIMIT = Guards.declare("rate-limit", "requests of one key");
    public static final Guard RATE_LIMIT_KEYS = Guards.declare("rate-limit.keys", "keys that a rate limit remembers");
    public static final Guard BASIC_AUTH = Guards.declare("basic-auth.waiting", "passwords that wait to be checked");
    public static final Guard BASIC_AUTH_SHARE =
            Guards.declare("basic-auth.waiting-per-address", "passwords of one client that wait to be checked");
    public static final Guard BASIC_AUTH_MISTAKES =
            Guards.declare("basic-auth.mistakes", "wrong passwords of one client");

    /// Sessions that are kept in memory.
    public static final Guard SESSIONS = Guards.declare("http.sessions", "sessions that are kept in memory");

    private HttpGuards() {}

    /// Declares all of them, so that limits which have not acted yet are listed, too.
    public static void declare() {
        // The class initializer does it, once.
    }
}
