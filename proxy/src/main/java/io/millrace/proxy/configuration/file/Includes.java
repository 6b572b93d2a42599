package io.millrace.proxy.configuration.file;

import io.millrace.proxy.configuration.shape.FileReading;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Scalar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// The files that a configuration includes. Their sections are joined with its own before anything is read, and each
/// node still knows its file and line. Used by one thread, for one reading.
public final class Includes {
    private static final int MOST_LEVELS = 8;
    private static final int MOST_FILES = 256;
    private static final Set<String> JOINED = Set.of("listeners", "routes", "upstreams");

    static final Key<List<String>> KEY = Key.optional(
            "include",
            Listing.of(Scalar.text("a file", "[^\\x00]+", "routes/*.yaml")),
            "Other files with sections like these. Their listeners, routes and upstreams are added to those here; any other"
                    + " section may be in one file only. A file name is relative to the folder of the file that it is in."
                    + " A `*` in its last part matches any characters. Files may include others, " + MOST_LEVELS
                    + " levels deep.");

    private final FileReading reading;
    private final Deque<Path> way = new ArrayDeque<>();

    /// As they are named, by where they really are.
    private final Map<Path, Path> files = new LinkedHashMap<>();

    private final Set<Path> patterns = new LinkedHashSet<>();
    private final List<NodeTuple> tuples = new ArrayList<>();

    private Includes(FileReading reading) {
        this.reading = reading;
    }

    /// @param document with the sections of all files
    /// @param files that were included, and patterns that others may fit
    record Joined(Node document, List<Path> files) {}

    /// A document with everything that it includes; what cannot be included is a problem of the reading.
    ///
    /// @param label of the document's own file
    /// @param folder of that
    static Joined joined(FileReading reading, Path label, Path folder, Node document) {
        if (!(document instanceof MappingNode mapping)) return new Joined(document, List.of());
        var all = new Includes(reading);
        all.take(new Source(label, folder.resolve(String.valueOf(label.getFileName()))), mapping);
        var whole = with(mapping, all.tuples);
        return new Joined(
                whole,
                Stream.concat(all.files.values().stream(), all.patterns.stream())
                        .toList());
    }

    /// A file that includes others.
    ///
    /// @param label how messages name it: as it is written, without the values of variables
    private record Source(Path label, Path file) {
        Path folder() {
            return Objects.requireNonNull(file.toAbsolutePath().getParent());
        }

        /// One that it names.
        Source named(String text, String written) {
            return new Source(label.resolveSibling(written), folder().resolve(text));
        }

        /// Links are followed, so that a file is known by whatever name.
        Path real() {
            try {
                return file.toRealPath();
            } catch (IOException _) {
                return file.toAbsolutePath().normalize();
            }
        }
    }

    private void take(Source file, MappingNode document) {
        way.addLast(file.real());
        checkTwice(document);
        document.getValue().forEach(this::add);
        document.getValue().stream()
                .filter(tuple -> isIncluding(tuple.getKeyNode()))
                .forEach(tuple -> include(file, tuple.getValueNode()));
        way.removeLast();
    }

    /// Two sections of one file are not joined.
    private void checkTwice(MappingNode document) {
        var names = new HashSet<String>();
        for (var tuple : document.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key) || names.add(key.getValue())) continue;
            reading.refuse(key.getValue(), key, FileReading.TWICE);
        }
    }

    private static boolean isIncluding(Node key) {
        return key instanceof ScalarNode name && name.getValue().equals(KEY.name());
    }

    /// A section that another file has as well is one with that, if it has names; otherwise it stands there twice.
    private void add(NodeTuple section) {
        for (int i = 0; i < tuples.size(); i++) {
            var before = tuples.get(i);
            if (!isContinued(before, section)) continue;
            var mapping = (MappingNode) before.getValueNode();
            var more = (MappingNode) section.getValueNode();
            var both = Stream.concat(mapping.getValue().stream(), more.getValue().stream())
                    .toList();
            tuples.set(i, new NodeTuple(before.getKeyNode(), with(mapping, both)));
            return;
        }
        boolean isSecondInclude = isIncluding(section.getKeyNode()) && way.size() > 1;
        if (!isSecondInclude) tuples.add(section);
    }

    private static boolean isContinued(NodeTuple before, NodeTuple section) {
        return before.getKeyNode() instanceof ScalarNode one
                && section.getKeyNode() instanceof ScalarNode other
                && JOINED.contains(one.getValue())
                && one.getValue().equals(other.getValue())
                && before.getValueNode() instanceof MappingNode
                && section.getValueNode() instanceof MappingNode
                && !label(one).equals(label(other));
    }

    private static Optional<String> label(Node node) {
        return node.getStartMark().map(mark -> mark.getName());
    }

    private static MappingNode with(MappingNode mapping, List<NodeTuple> tuples) {
        return new MappingNode(
                mapping.getTag(), true, tuples, mapping.getFlowStyle(), mapping.getStartMark(), mapping.getEndMark());
    }

    // Files.

    private void include(Source from, Node list) {
        // Of the first file these are read once more, with the rest of it.
        if (way.size() > 1 && reading.part(KEY.shape(), KEY.name(), list) == null) return;
        if (!(list instanceof SequenceNode items)) return;
        for (int i = 0; i < items.getValue().size(); i++) {
            var item = new Item(KEY.name() + "[" + i + "]", items.getValue().get(i));
            var text = reading.part(((Listing<String>) KEY.shape()).item(), item.key, item.node);
            if (text != null) include(from, text, item);
        }
    }

    /// A line that includes something.
    private record Item(String key, Node node) {
        String written() {
            return node instanceof ScalarNode scalar ? scalar.getValue() : "";
        }
    }

    private void include(Source from, String text, Item item) {
        try {
            for (var file : named(from, text, item)) {
                var why = refusal(file);
                if (why.isEmpty()) open(file, item);
                else reading.refuse(item.key, item.node, why);
            }
        } catch (IOException e) {
            reading.refuse(item.key, item.node, "'" + item.written() + "': " + ConfigurationFile.refusal(e));
        } catch (InvalidPathException _) {
            reading.refuse(item.key, item.node, "'" + item.written() + "' is not a file name: name a file");
        }
    }

    /// The file, or those that the pattern in the last part of a name fits.
    private List<Source> named(Source from, String text, Item item) throws IOException {
        var named = from.named(text, item.written());
        if (named.file.getFileName() == null) throw new InvalidPathException(text, "no file");
        if (!isPattern(named.file)) return List.of(named);
        patterns.add(named.file);
        return matching(named.file).stream()
                .map(file -> new Source(named.label.resolveSibling(String.valueOf(file.getFileName())), file))
                .toList();
    }

    /// Why a file is not included; empty if it is.
    private String refusal(Source file) {
        var path = file.real();
        if (way.contains(path)) {
            var circle = Stream.concat(way.stream().dropWhile(one -> !one.equals(path)), Stream.of(path))
                    .map(one -> String.valueOf(one.getFileName()))
                    .collect(Collectors.joining(" → "));
            return "the files include each other (" + circle + "): leave one of these lines out";
        }
        if (files.containsKey(path)) return "'" + file.label + "' is included already: leave one of these lines out";
        if (way.size() > MOST_LEVELS) return "more than " + MOST_LEVELS + " levels of files: include fewer";
        if (files.size() >= MOST_FILES) return "more than " + MOST_FILES + " files: include fewer";
        return "";
    }

    private void open(Source file, Item item) throws IOException {
        files.put(file.real(), file.file);
        var label = file.label.toString();
        reading.folder(label, file.folder());
        switch (Yaml.compose(label, ConfigurationFile.text(file.file))) {
            case Yaml.Unreadable unreadable -> reading.add(unreadable.why());
            case Yaml.Document document when document.root() instanceof MappingNode mapping -> take(file, mapping);
            case Yaml.Document _ ->
                reading.refuse(
                        item.key,
                        item.node,
                        "'" + label + "' has no sections: write listeners, routes or upstreams there");
        }
    }

    // Patterns.

    /// Whether the last part of a path has a `*`, which stands for any characters; every other character stands for
    /// itself.
    public static boolean isPattern(Path path) {
        return String.valueOf(path.getFileName()).indexOf('*') >= 0;
    }

    /// The files of its folder that fit, by name. Folders do not fit, and hidden files only if the pattern begins with
    /// a dot.
    ///
    /// @throws IOException if the folder cannot be read
    public static List<Path> matching(Path pattern) throws IOException {
        var name = String.valueOf(pattern.getFileName());
        var form = Pattern.compile(
                Arrays.stream(name.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")),
                Pattern.DOTALL);
        var folder = Objects.requireNonNull(pattern.toAbsolutePath().getParent());
        try (var all = Files.list(folder)) {
            return all.filter(file -> fits(String.valueOf(file.getFileName()), name, form))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static boolean fits(String name, String pattern, Pattern form) {
        boolean isHidden = name.startsWith(".") && !pattern.startsWith(".");
        return !isHidden && form.matcher(name).matches();
    }
}
