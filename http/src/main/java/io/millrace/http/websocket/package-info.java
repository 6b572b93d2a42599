/// WebSocket (RFC 6455), over HTTP/1.1 and HTTP/2 (RFC 8441): servers and clients, in callback and in direct style.
@NullMarked
package io.millrace.http.websocket;

import org.jspecify.annotations.NullMarked;
