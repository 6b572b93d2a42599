/// The doors of Millrace: what a program opens first to listen, to serve and to connect.
@NullMarked
package io.millrace;

import org.jspecify.annotations.NullMarked;
