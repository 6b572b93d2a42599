/// What an exchange is in every version of HTTP: one request and its response, and what may become of them.
@NullMarked
package io.millrace.http.exchange;

import org.jspecify.annotations.NullMarked;
