/// The entry points of Millrace: what a program needs first to listen, to serve and to connect.
@NullMarked
package io.millrace;

import org.jspecify.annotations.NullMarked;
