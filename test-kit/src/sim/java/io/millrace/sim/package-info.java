/// A network in memory, with virtual time and one seed for everything that luck decides: tests of your protocol
/// without ports, sleeps or flakes.
@NullMarked
package io.millrace.sim;

import org.jspecify.annotations.NullMarked;
