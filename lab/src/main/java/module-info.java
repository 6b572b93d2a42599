/// The benchmark lab, and the load generator.
@SuppressWarnings("requires-automatic") // HdrHistogram is no named module
module io.millrace.lab {
    requires HdrHistogram;
    requires com.fasterxml.jackson.core;
    requires jdk.management;
    requires static org.jspecify;
    requires transitive io.millrace.core;

    exports io.millrace.lab.load;
}
