/// What may stand where in a file: one description for reading, for the JSON Schema, and for the reference. It
/// knows YAML and nothing of proxies.
@NullMarked
package io.millrace.proxy.configuration.shape;

import org.jspecify.annotations.NullMarked;
