/// Small complete programs, quoted by the README.
module io.millrace.examples {
    requires io.millrace.acme;
    requires io.millrace.core;
    requires io.millrace.http;
    requires io.millrace.http.jackson;
    requires io.millrace.proxy;
    requires java.sql;
    requires com.fasterxml.jackson.annotation;
    requires com.zaxxer.hikari;
    requires static org.jspecify;

    opens io.millrace.examples to
            com.fasterxml.jackson.databind;
}
