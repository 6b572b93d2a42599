/// What a client does besides HTTP: connections in pools, requests that wait for one, and callers that wait for a
/// response.
@NullMarked
package io.millrace.http.pool;

import org.jspecify.annotations.NullMarked;
