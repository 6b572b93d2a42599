/// Processes of the lab: servers as children that never outlive it, what they use, and the machine and the
/// network they run on.
@NullMarked
package io.millrace.lab.process;

import org.jspecify.annotations.NullMarked;
