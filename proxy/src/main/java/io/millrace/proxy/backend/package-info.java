/// The settings of an upstream's backends: where they are, how requests are shared among them, how their
/// health is checked, and how much each may get.
@NullMarked
package io.millrace.proxy.backend;

import org.jspecify.annotations.NullMarked;
