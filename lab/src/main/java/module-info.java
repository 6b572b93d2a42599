/// The benchmark lab.
module io.millrace.lab {
    requires static org.jspecify;
}
