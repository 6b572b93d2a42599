/// The benchmark lab, and the load generator.
@SuppressWarnings("requires-automatic") // HdrHistogram is no named module
module io.millrace.lab {
    requires HdrHistogram;
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.databind;
    requires java.management;
    requires java.net.http;
    requires java.management.rmi;
    requires jdk.attach;
    requires jdk.management;
    requires static org.jspecify;
    requires transitive io.millrace.core;
    requires transitive io.millrace.http;

    exports io.millrace.lab;
    exports io.millrace.lab.load;
    exports io.millrace.lab.report;
    exports io.millrace.lab.stats;

    opens io.millrace.lab.load to
            com.fasterxml.jackson.databind;
    opens io.millrace.lab.report to
            com.fasterxml.jackson.databind;
}
