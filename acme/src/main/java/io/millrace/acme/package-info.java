/// A client for certificate authorities (RFC 8555), on acme4j.
@NullMarked
package io.millrace.acme;

import org.jspecify.annotations.NullMarked;
