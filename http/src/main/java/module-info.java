/// HTTP/1.1 on the loops: a strict server, and values for requests and responses.
module io.millrace.http {
    requires static org.jspecify;
    requires transitive io.millrace.core;

    exports io.millrace.http;
}
