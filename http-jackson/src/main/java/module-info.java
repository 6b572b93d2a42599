/// JSON for requests and responses with Jackson: installing the module is enough.
module io.millrace.http.jackson {
    requires static org.jspecify;
    requires transitive io.millrace.http;
    requires transitive com.fasterxml.jackson.databind;
    requires com.fasterxml.jackson.datatype.jdk8;
    requires com.fasterxml.jackson.datatype.jsr310;

    exports io.millrace.http.jackson;

    opens io.millrace.http.jackson to
            com.fasterxml.jackson.databind;

    provides io.millrace.http.JsonCodec with
            io.millrace.http.jackson.JacksonCodec;
}
