package io.millrace.proxy.configuration.shape;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/// A mapping's entries, by key: keys are texts, and differ.
///
/// @param isGood whether all entries can be used; otherwise their places have been refused
record Entries(Map<String, NodeTuple> tuples, boolean isGood) {
    /// The entries at a place.
    ///
    /// @return null if it is not a mapping
    static @Nullable Entries of(Place place, String wanted) {
        if (!(place.node() instanceof MappingNode mapping)) {
            place.refuseKind(wanted);
            return null;
        }
        var tuples = new LinkedHashMap<String, NodeTuple>();
        boolean isGood = true;
        for (var tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                place.at(tuple.getKeyNode()).refuse("the key is not a word: look for a colon or a brace too many here");
                isGood = false;
                continue;
            }
            var name = key.getValue();
            var first = tuples.get(name);
            if (first != null) {
                place.below(name, key).refuse(twice(place, first.getKeyNode(), key));
                isGood = false;
                continue;
            }
            tuples.put(name, tuple);
        }
        return new Entries(tuples, isGood);
    }

    private static String twice(Place place, Node first, Node second) {
        var file = place.reading().fileOf(first);
        return file.equals(place.reading().fileOf(second))
                ? FileReading.TWICE
                : "this key is in " + file + ", too: leave one of them out";
    }
}
