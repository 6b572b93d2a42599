/// The event loop: the thread that owns connections, its timers, its tasks and what it does in a turn.
@NullMarked
package io.millrace.loop;

import org.jspecify.annotations.NullMarked;
