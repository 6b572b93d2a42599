/// The contracts between the network and your code: connections in both styles, handlers and sessions, the loop
/// that they run on, and every way a connection can fail.
@NullMarked
package io.millrace.net;

import org.jspecify.annotations.NullMarked;
