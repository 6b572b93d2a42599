/// The texts of the RFCs as functions: characters, targets, hosts, dates, tags, patterns for paths. It knows no
/// message.
@NullMarked
package io.millrace.http.grammar;

import org.jspecify.annotations.NullMarked;
