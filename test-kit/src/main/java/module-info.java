/// For tests: a network in memory with virtual time, and handlers of HTTP on it.
module io.millrace.test {
    requires jdk.net;
    requires static org.jspecify;
    requires transitive io.millrace.core;
    requires transitive io.millrace.http;

    exports io.millrace.http.kit;
    exports io.millrace.sim;
}
