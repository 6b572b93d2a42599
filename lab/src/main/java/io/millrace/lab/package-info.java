/// The benchmark lab: compares Millrace with other frameworks on the machine at hand.
@NullMarked
package io.millrace.lab;

import org.jspecify.annotations.NullMarked;
