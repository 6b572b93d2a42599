/// TLS; [io.millrace.tls.Tls] is the entry point.
@org.jspecify.annotations.NullMarked
package io.millrace.tls;
