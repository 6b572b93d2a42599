package io.millrace.proxy.configuration.shape;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// A list.
///
/// @param least the fewest items
public record Listing<T>(Shape<T> item, int least) implements Shape<List<T>> {
    /// A list of at least one item.
    public static <T> Listing<T> of(Shape<T> item) {
        return new Listing<>(item, 1);
    }

    @Override
    public @Nullable List<T> read(Place place) {
        if (!(place.node() instanceof SequenceNode sequence)) {
            place.refuseKind("a list, like [a, b]");
            return null;
        }
        var nodes = sequence.getValue();
        if (nodes.size() < least) {
            place.refuse("the list is empty: write an item, or leave the key out");
            return null;
        }
        var items = new ArrayList<T>(nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            var value = item.read(place.item(i, nodes.get(i)));
            if (value != null) items.add(value);
        }
        return items.size() == nodes.size() ? List.copyOf(items) : null;
    }

    @Override
    public String text(List<T> value) {
        return value.stream().map(item::text).collect(Collectors.joining(", ", "[", "]"));
    }
}
