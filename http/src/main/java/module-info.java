/// HTTP/1.1 on the loops: a strict server, and values for requests and responses.
module io.millrace.http {
    requires static org.jspecify;
    requires transitive io.millrace.core;

    uses io.millrace.http.JsonCodec;

    exports io.millrace.http;
    exports io.millrace.http.acme;
    exports io.millrace.http.client;
    exports io.millrace.http.exchange to
            io.millrace.proxy;
    exports io.millrace.http.filter;
    exports io.millrace.http.grammar to
            io.millrace.lab,
            io.millrace.proxy;
    exports io.millrace.http.h1 to
            io.millrace.lab;
    exports io.millrace.http.h2 to
            io.millrace.lab;
    exports io.millrace.http.message to
            io.millrace.proxy;
    exports io.millrace.http.operation to
            io.millrace.proxy;
    exports io.millrace.http.pool to
            io.millrace.proxy;
    exports io.millrace.http.server;
    exports io.millrace.http.websocket;
    exports io.millrace.http.ws to
            io.millrace.proxy;
}
