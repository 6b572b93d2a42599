/// Messages instead of bytes: a [io.millrace.codec.Framing] says where they end, a [io.millrace.codec.Codec] what
/// they mean, and [io.millrace.codec.Messages] or [io.millrace.codec.BlockingMessages] pass them to your code.
@NullMarked
package io.millrace.codec;

import org.jspecify.annotations.NullMarked;
