/// The benchmark lab.
module io.millrace.lab {
    requires com.fasterxml.jackson.databind;
    requires static org.jspecify;

    exports io.millrace.lab.report;
    exports io.millrace.lab.stats;

    opens io.millrace.lab.report to
            com.fasterxml.jackson.databind;
}
