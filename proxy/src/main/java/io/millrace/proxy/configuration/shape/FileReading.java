package io.millrace.proxy.configuration.shape;

import io.millrace.proxy.configuration.Problem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;

/// One reading of one file and of those that it includes: the problems, and the names in them. Used by one thread.
public final class FileReading {
    /// Why a key is refused that one file has twice.
    public static final String TWICE = "this key is here twice: leave one of them out";

    /// With aliases, one node could be visited any number of times.
    private static final int MOST_NODES = 200_000;

    private static final String TOO_MANY = "more than " + MOST_NODES + " values with all aliases: write fewer";

    private final String file;
    private final Map<String, Path> folders = new HashMap<>();
    private final Environment environment;
    private final List<Problem> problems = new ArrayList<>();
    private final Map<String, Set<String>> declared = new HashMap<>();
    private final List<Mention> mentions = new ArrayList<>();
    private final List<Renamed> renamed = new ArrayList<>();
    private int nodes;

    /// A key with its old name.
    ///
    /// @param before the key's node
    public record Renamed(Node before, String now) {}

    private record Mention(String kind, String name, Place place) {}

    /// Ends a reading that would take too long.
    private static final class Exhausted extends RuntimeException {
        private static final long serialVersionUID = 1;

        Exhausted() {
            super(null, null, false, false);
        }
    }

    /// A reading that has not begun.
    ///
    /// @param folder the folder that file names are relative to
    public FileReading(String file, Path folder, Map<String, String> environment) {
        this.file = file;
        folders.put(file, folder);
        this.environment = new Environment(Map.copyOf(environment));
    }

    /// The value of a whole document.
    ///
    /// @return null if there are problems
    public <T> @Nullable T read(Shape<T> shape, Node document) {
        try {
            var value = shape.read(new Place(this, "", "", document));
            checkMentions();
            return problems.isEmpty() ? value : null;
        } catch (Exhausted e) {
            refuse("", document, TOO_MANY);
            return null;
        }
    }

    /// The value of a part of a document.
    ///
    /// @return null when there is a problem with it
    public <T> @Nullable T part(Shape<T> shape, String key, Node node) {
        try {
            return shape.read(new Place(this, key, key, node));
        } catch (Exhausted e) {
            refuse("", node, TOO_MANY);
            return null;
        }
    }

    /// Another file is read, too.
    ///
    /// @param label of its nodes
    /// @param folder what names of files in it are relative to
    public void folder(String label, Path folder) {
        folders.put(label, folder);
    }

    /// By file, each in its order.
    public List<Problem> problems() {
        return problems.stream()
                .distinct()
                .sorted(Comparator.comparing(
                                (Problem problem) -> !problem.file().equals(file))
                        .thenComparing(Problem::file)
                        .thenComparingInt(Problem::line)
                        .thenComparingInt(Problem::column))
                .toList();
    }

    /// The keys with old names, as far as the file could be read.
    public List<Renamed> renamed() {
        return List.copyOf(renamed);
    }

    void renamed(Node before, String now) {
        renamed.add(new Renamed(before, now));
    }

    /// Notes that a node cannot be used.
    public void refuse(String key, Node node, String why) {
        var mark = node.getStartMark();
        int line = mark.map(m -> m.getLine() + 1).orElse(0);
        int column = mark.map(m -> m.getColumn() + 1).orElse(0);
        add(new Problem(fileOf(node), line, column, key, why));
    }

    /// Notes a problem.
    public void add(Problem problem) {
        problems.add(problem);
    }

    /// As its nodes are labelled.
    String fileOf(Node node) {
        return node.getStartMark().map(Mark::getName).orElse(file);
    }

    /// @throws Exhausted if it is called too often
    FileReading visiting() {
        if (++nodes > MOST_NODES) throw new Exhausted();
        return this;
    }

    /// What names of files are relative to that stand in the file of a node.
    Path folder(Node node) {
        return Objects.requireNonNull(folders.get(fileOf(node)), "no file of such a label was read");
    }

    Environment environment() {
        return environment;
    }

    // Names that other places refer to.

    void declare(String kind, String name) {
        declared.computeIfAbsent(kind, _ -> new TreeSet<>()).add(name);
    }

    void mention(String kind, String name, Place place) {
        mentions.add(new Mention(kind, name, place));
    }

    private void checkMentions() {
        for (var mention : mentions) {
            var known = declared.getOrDefault(mention.kind(), Set.of());
            if (known.contains(mention.name())) continue;
            mention.place()
                    .refuse("there is no " + mention.kind() + " " + Place.quoted(mention.name()) + ": "
                            + Nearest.remedy(mention.name(), known));
        }
    }

    /// Variables that texts of a file may name: `${NAME}`, or `${NAME:-TEXT}` for those that may be missing or empty.
    /// Two dollar signs in front of a brace are a literal one.
    record Environment(Map<String, String> variables) {
        /// The name between the braces is checked later, for a message of its own.
        private static final Pattern VARIABLE = Pattern.compile("\\$?\\$\\{([^}]*)\\}");

        private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

        /// A text with the values of its variables.
        ///
        /// @param literally how they are written
        /// @return null if one is missing, which has been refused
        @Nullable
        String putInto(String text, Place place, UnaryOperator<String> literally) {
            if (!text.contains("${")) return text;
            var result = new StringBuilder();
            boolean isComplete = true;
            var found = VARIABLE.matcher(text);
            while (found.find()) {
                if (text.startsWith("$$", found.start())) {
                    found.appendReplacement(
                            result, Matcher.quoteReplacement(found.group().substring(1)));
                    continue;
                }
                var value = valueOf(found.group(1), place);
                isComplete &= value != null;
                found.appendReplacement(result, value == null ? "" : Matcher.quoteReplacement(literally.apply(value)));
            }
            found.appendTail(result);
            return isComplete ? result.toString() : null;
        }

        private @Nullable String valueOf(String words, Place place) {
            int otherwise = words.indexOf(":-");
            var name = otherwise < 0 ? words : words.substring(0, otherwise);
            if (!NAME.matcher(name).matches()) {
                place.refuse("${" + words + "} does not name a variable: use letters, digits and underscores,"
                        + " or write $${ for a literal ${");
                return null;
            }
            var value = variables.get(name);
            if (otherwise >= 0 && (value == null || value.isEmpty())) return words.substring(otherwise + 2);
            if (value == null)
                place.refuse("the environment has no variable " + name + ": set it, or write the value here");
            return value;
        }
    }
}
