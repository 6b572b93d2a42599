/// WebSockets on their way through a proxy.
@NullMarked
package io.millrace.proxy.websocket;

import org.jspecify.annotations.NullMarked;
