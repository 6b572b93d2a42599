/// Event loops, bytes and TCP in both styles; depends on the JDK alone.
module io.millrace.core {
    requires java.management;
    requires jdk.jfr;
    requires jdk.management;
    requires jdk.net;
    requires jdk.unsupported;
    requires static org.jspecify;

    exports io.millrace;
    exports io.millrace.bytes;
    exports io.millrace.codec;
    exports io.millrace.net;
    exports io.millrace.tls;
    exports io.millrace.loop to
            io.millrace.acme,
            io.millrace.cli,
            io.millrace.http,
            io.millrace.proxy,
            io.millrace.test;
    exports io.millrace.memory to
            io.millrace.http,
            io.millrace.proxy,
            io.millrace.test;
    exports io.millrace.transport to
            io.millrace.test;

    provides java.util.function.Consumer with
            io.millrace.loop.OpenToSimulation;
}
