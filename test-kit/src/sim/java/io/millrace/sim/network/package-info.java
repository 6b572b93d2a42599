/// The network in memory below a simulation: sockets that behave like a kernel's, and a time that stands still
/// until it is advanced.
@NullMarked
package io.millrace.sim.network;

import org.jspecify.annotations.NullMarked;
