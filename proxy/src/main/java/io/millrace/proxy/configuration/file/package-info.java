/// The configuration file: its keys, and its reader.
@NullMarked
package io.millrace.proxy.configuration.file;

import org.jspecify.annotations.NullMarked;
