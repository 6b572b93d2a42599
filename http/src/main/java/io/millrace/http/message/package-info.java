/// Requests and responses as values, whatever carries them over a network.
@NullMarked
package io.millrace.http.message;

import org.jspecify.annotations.NullMarked;
