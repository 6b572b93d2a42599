package io.millrace.proxy.configuration.shape;

import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;

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
