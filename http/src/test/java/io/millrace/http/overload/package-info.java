/// Many peers at a time that mean no good, and one that asks for a page.
@NullMarked
package io.millrace.http.overload;

import org.jspecify.annotations.NullMarked;
