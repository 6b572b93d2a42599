package io.millrace.proxy.configuration.shape;

import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// What may stand at a place of the file, and what is made of it. Immutable.
///
/// The JSON Schema and the reference are written from the same objects, by tests, so that they cannot say
/// anything else than what is read.
public sealed interface Shape<T>
        permits Choice, Shape.Flag, Listing, Named, Shape.Reference, Scalar, Section, Size, Shape.TextOr, WholeNumber {
    /// What stands there.
    ///
    /// @return null when it cannot be used, and the place has been told so
    @Nullable
    T read(Place place);

    /// A value as it would be written, for the reference.
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

    /// The name of something that stands elsewhere in the file.
    ///
    /// @param kind what it is; a [Named] declares names of this kind
    public record Reference(String kind) implements Shape<String> {
        @Override
        public @Nullable String read(Place place) {
            var name = place.text("the name of one, as it stands below " + kind + "s", _ -> false);
            if (name != null) place.reading().mention(kind, name, place);
            return name;
        }

        @Override
        public String text(String value) {
            return value;
        }
    }

    /// A text for the usual case, or a section that says more.
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
