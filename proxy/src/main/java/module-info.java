/// Proxying: upstreams and their backends, and the rules of passing HTTP on.
@SuppressWarnings("requires-automatic") // RE2/J is no named module
module io.millrace.proxy {
    requires com.fasterxml.jackson.core;
    requires static org.jspecify;
    requires transitive io.millrace.core;
    requires transitive io.millrace.http;
    requires org.snakeyaml.engine;
    requires re2j;

    exports io.millrace.proxy;
    exports io.millrace.proxy.backend;
    exports io.millrace.proxy.admin to
            io.millrace.cli;
    exports io.millrace.proxy.configuration to
            io.millrace.cli;
    exports io.millrace.proxy.configuration.file to
            io.millrace.cli;
    exports io.millrace.proxy.service to
            io.millrace.cli;
}
