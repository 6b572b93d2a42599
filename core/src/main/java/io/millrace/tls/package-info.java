/// TLS: [io.millrace.tls.Tls] is where to begin.
@org.jspecify.annotations.NullMarked
package io.millrace.tls;
