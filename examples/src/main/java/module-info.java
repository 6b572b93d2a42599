/// Programs of at most fifteen lines, compiled and run by the tests, quoted by the README.
module io.millrace.examples {
    requires io.millrace.core;
    requires static org.jspecify;
}
