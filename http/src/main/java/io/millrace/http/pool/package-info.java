/// A client without the protocol: connection pools, requests that wait for a connection, and callers that
/// wait for a response.
@NullMarked
package io.millrace.http.pool;

import org.jspecify.annotations.NullMarked;
