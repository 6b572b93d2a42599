/// The load generator: many connections that send messages or requests to a server and judge what comes back.
@NullMarked
package io.millrace.lab.load;

import org.jspecify.annotations.NullMarked;
