/// The load generator: many connections that send messages to an echo server and judge what comes back.
@NullMarked
package io.millrace.lab.load;

import org.jspecify.annotations.NullMarked;
