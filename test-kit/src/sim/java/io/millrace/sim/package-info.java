/// A network in memory, with virtual time and one seed for all random choices: tests of your protocol without
/// ports, sleeps or flaky results.
@NullMarked
package io.millrace.sim;

import org.jspecify.annotations.NullMarked;
