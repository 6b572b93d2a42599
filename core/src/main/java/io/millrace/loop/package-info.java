/// The event loop: the thread that owns connections, its timers, its tasks and what one turn of it does.
@NullMarked
package io.millrace.loop;

import org.jspecify.annotations.NullMarked;
