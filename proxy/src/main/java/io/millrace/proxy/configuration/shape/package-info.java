/// The shape of a file: one description for the reader, the JSON Schema and the reference. It knows YAML and
/// nothing about proxies.
@NullMarked
package io.millrace.proxy.configuration.shape;

import org.jspecify.annotations.NullMarked;
