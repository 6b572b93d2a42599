/// Proxying: upstreams and their backends, and the rules of passing HTTP on.
module io.millrace.proxy {
    requires static org.jspecify;
    requires transitive io.millrace.core;
    requires transitive io.millrace.http;

    exports io.millrace.proxy;
}
