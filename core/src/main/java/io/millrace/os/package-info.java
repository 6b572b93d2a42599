/// Linux as its man pages describe it: system calls, structs, constants and error numbers, nothing else.
///
/// [io.millrace.os.Linux] is the door. Calls answer with a count or with `-errno`, take native memory as absolute
/// addresses, and allocate nothing.
@NullMarked
package io.millrace.os;

import org.jspecify.annotations.NullMarked;
