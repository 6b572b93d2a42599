/// Files as responses: finds them below a root, selects the requested part, and reads them on threads of
/// their own.
@NullMarked
package io.millrace.http.file;

import org.jspecify.annotations.NullMarked;
