/// The network in memory below a simulation: sockets with a kernel's manners, and a time that stands still until
/// somebody moves it on.
@NullMarked
package io.millrace.sim.network;

import org.jspecify.annotations.NullMarked;
