/// Small complete programs, quoted by the README.
module io.millrace.examples {
    requires io.millrace.core;
    requires io.millrace.http;
    requires static org.jspecify;
}
