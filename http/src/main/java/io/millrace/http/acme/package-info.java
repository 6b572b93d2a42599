/// What certificates from an authority (ACME, RFC 8555) need of a server. The client itself is in the artifact
/// `millrace-acme`.
@NullMarked
package io.millrace.http.acme;

import org.jspecify.annotations.NullMarked;
