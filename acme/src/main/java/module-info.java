/// Certificates from an authority over ACME (RFC 8555), obtained and renewed.
@SuppressWarnings("requires-automatic") // jose4j, behind acme4j, is no named module
module io.millrace.acme {
    requires java.net.http;
    requires static org.jspecify;
    requires org.shredzone.acme4j;
    requires transitive io.millrace.http;

    exports io.millrace.acme;
}
