package io.millrace.proxy.configuration.shape;

import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// A place in a file, and its node.
public final class Place {
    private final FileReading reading;
    private final String key;
    private final String name;
    private final Node node;

    Place(FileReading reading, String key, String name, Node node) {
        this.reading = reading;
        this.key = key;
        this.name = name;
        this.node = node;
    }

    /// The place of a key's value.
    Place below(String name, Node value) {
        return new Place(reading.visiting(), key.isEmpty() ? name : key + "." + name, name, value);
    }

    /// The place of a list's item.
    Place item(int index, Node value) {
        return new Place(reading.visiting(), key + "[" + index + "]", name, value);
    }

    /// The place of the key that leads here.
    Place at(Node other) {
        return new Place(reading, key, name, other);
    }

    /// Refuses the value at this place.
    ///
    /// @param why what is wrong, with the value and the remedy
    public void refuse(String why) {
        reading.refuse(key, node, why);
    }

    /// Refuses a key's old name.
    void refuseRenamed(String now) {
        reading.renamed(node, now);
        refuse("this key is called " + now + " now: write that, or let millrace proxy --convert do it");
    }

    /// The last key of the path to this place.
    String name() {
        return name;
    }

    Node node() {
        return node;
    }

    FileReading reading() {
        return reading;
    }

    /// The folder that file names are relative to.
    public Path folder() {
        return reading.folder(node);
    }

    boolean isNothing() {
        return node.getTag().equals(Tag.NULL);
    }

    /// A text, with its environment variables replaced.
    ///
    /// @param wanted what is expected, for the message
    /// @param form whether a text would be accepted, for the message about a value that is not a text
    /// @return null if it is not a text, which has been refused
    @Nullable
    String text(String wanted, Predicate<String> form) {
        return text(wanted, form, value -> value);
    }

    /// The same.
    ///
    /// @param literally how the value of a variable is written
    @Nullable
    String text(String wanted, Predicate<String> form, UnaryOperator<String> literally) {
        if (!(node instanceof ScalarNode scalar) || isNothing() || isForeign()) {
            refuseKind(wanted);
            return null;
        }
        if (isText()) return reading.environment().putInto(scalar.getValue(), this, literally);
        if (form.test(scalar.getValue())) refuse(shown() + " is " + kind() + " to YAML: put it in quotes");
        else refuseKind(wanted);
        return null;
    }

    /// An environment variable alone has a tag of its own.
    private boolean isText() {
        return node.getTag().equals(Tag.STR) || node.getTag().equals(Tag.ENV_TAG);
    }

    /// What stands here when it is no text: a number, or a truth value, also as the value of a variable.
    ///
    /// @return null if it has another tag, which has been refused
    @Nullable
    String plain(Tag tag, String wanted) {
        if (node instanceof ScalarNode scalar) {
            if (node.getTag().equals(tag)) return scalar.getValue();
            if (isText() && scalar.getValue().contains("${")) {
                var value = reading.environment().putInto(scalar.getValue(), this, text -> text);
                if (value == null || isOf(tag, value)) return value;
            }
        }
        refuseKind(wanted);
        return null;
    }

    private static boolean isOf(Tag tag, String value) {
        return value.matches(tag.equals(Tag.BOOL) ? "true|false" : "-?(0|[1-9][0-9]*)");
    }

    void refuseKind(String wanted) {
        if (isNothing()) refuse("the key has no value: write " + wanted + ", or leave the key out");
        else if (isForeign()) refuse(foreign());
        else refuse((node instanceof ScalarNode ? shown() + " is " : "it is ") + kind() + ": write " + wanted);
    }

    private boolean isForeign() {
        return !isText()
                && (node.getTag().getValue().startsWith("!") || node.getTag().equals(Tag.BINARY));
    }

    private String foreign() {
        return "the tag " + node.getTag().getValue() + " is not used here: leave it out";
    }

    private String kind() {
        if (node instanceof MappingNode) return "a mapping";
        if (node instanceof SequenceNode) return "a list";
        if (isText()) return "a text";
        return node.getTag().equals(Tag.BOOL) ? "a boolean" : "a number";
    }

    /// The value as it was written, so that a message shows no secret from the environment.
    public String shown() {
        return node instanceof ScalarNode scalar ? quoted(scalar.getValue()) : kind();
    }

    static String quoted(String text) {
        var cut = text.length() > 80 ? text.substring(0, 80) + "…" : text;
        return "'" + cut.replaceAll("\\p{Cntrl}", "·") + "'";
    }
}
