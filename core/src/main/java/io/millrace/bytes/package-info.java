/// The three types through which users see memory, with one rule each: an [io.millrace.bytes.Input] is lent, an
/// [io.millrace.bytes.Output] is a place, [io.millrace.bytes.Bytes] are a value.
@NullMarked
package io.millrace.bytes;

import org.jspecify.annotations.NullMarked;
