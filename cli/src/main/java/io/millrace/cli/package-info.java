/// The command `millrace` and its subcommands, one file each.
@NullMarked
package io.millrace.cli;

import org.jspecify.annotations.NullMarked;
