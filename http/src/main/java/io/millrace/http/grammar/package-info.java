/// The grammar of the RFCs as functions: characters, targets, hosts, dates, tags, path patterns. It does not
/// depend on messages.
@NullMarked
package io.millrace.http.grammar;

import org.jspecify.annotations.NullMarked;
