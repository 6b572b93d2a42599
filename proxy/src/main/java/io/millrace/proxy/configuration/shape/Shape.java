package io.millrace.proxy.configuration.shape;

import org.jspecify.annotations.Nullable;

/// What may stand at a place of the file, and what is made of it. Immutable.
///
/// The JSON Schema and the reference are written from the same objects, by tests, so that they cannot say
/// anything else than what is read.
public sealed interface Shape<T>
        permits Choice, Flag, Listing, Named, Reference, Scalar, Section, Size, TextOr, WholeNumber {
    /// What stands there.
    ///
    /// @return null when it cannot be used, and the place has been told so
    @Nullable
    T read(Place place);

    /// A value as it would be written, for the reference.
    String text(T value);
}
