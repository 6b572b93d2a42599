package io.millrace.proxy.configuration.shape;

import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// What a place in the file may contain, and the value that is made of it. Immutable.
///
/// Tests write the JSON Schema and the reference from the same objects, so that both agree with the reader.
public sealed interface Shape<T>
        permits Choice, Shape.Flag, Listing, Named, Shape.Reference, Scalar, Section, Size, Shape.TextOr, WholeNumber {
    /// Reads the value at a place.
    ///
    /// @return null if it cannot be used, which the place has refused
    @Nullable
    T read(Place place);

    /// A value as a file would have it, for the reference.
    String text(T value);

    /// `true` or `false`.
    public record Flag() implements Shape<Boolean> {
        @Override
        public @Nullable Boolean read(Place place) {
            var text = place.plain(Tag.BOOL, "true or false");
            return text == null ? null : Boolean.valueOf(text);
        }

        @Override
        public String text(Boolean value) {
            return value.toString();
        }
    }

    /// The name of something elsewhere in the file.
    ///
    /// @param kind what it is; a [Named] declares names of this kind
    public record Reference(String kind) implements Shape<String> {
        @Override
        public @Nullable String read(Place place) {
            var name = place.text("a name from " + kind + "s", _ -> false);
            if (name != null) place.reading().mention(kind, name, place);
            return name;
        }

        @Override
        public String text(String value) {
            return value;
        }
    }

    /// A text for the usual case, or a section with more settings.
    public record TextOr<T>(Shape<T> text, Section<T> section) implements Shape<T> {
        @Override
        public @Nullable T read(Place place) {
            return place.node() instanceof MappingNode ? section.read(place) : text.read(place);
        }

        @Override
        public String text(T value) {
            return text.text(value);
        }
    }
}
