/// The floor of Millrace: bytes, event loops, TCP and a simulated network. Needs only the JDK.
module io.millrace.core {
    requires jdk.jfr;
    requires static org.jspecify;
}
