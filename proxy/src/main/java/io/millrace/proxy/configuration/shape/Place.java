package io.millrace.proxy.configuration.shape;

import java.nio.file.Path;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// A place of a file, and what stands there.
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

    /// The place behind a key of this one.
    Place below(String name, Node value) {
        return new Place(reading.visiting(), key.isEmpty() ? name : key + "." + name, name, value);
    }

    /// The place of an item of this one.
    Place item(int index, Node value) {
        return new Place(reading.visiting(), key + "[" + index + "]", name, value);
    }

    /// Where a key stands that is a part of the way here.
    Place at(Node other) {
        return new Place(reading, key, name, other);
    }

    /// Says that what stands here cannot be used.
    ///
    /// @param why what is wrong, with the value and the remedy
    public void refuse(String why) {
        reading.refuse(key, node, why);
    }

    /// Says that this key has another name now.
    void refuseRenamed(String now) {
        reading.renamed(node, now);
        refuse("this key is called " + now + " now: write that, or let millrace proxy --convert do it");
    }

    /// The last key on the way here.
    String name() {
        return name;
    }

    Node node() {
        return node;
    }

    FileReading reading() {
        return reading;
    }

    /// The folder that names of files are relative to.
    public Path folder() {
        return reading.folder(node);
    }

    boolean isNothing() {
        return node.getTag().equals(Tag.NULL);
    }

    /// A text, with variables of the environment put in.
    ///
    /// @param wanted what should stand here, for the message
    /// @param form whether a text would do, for the message about what is none
    /// @return null when it is none, and that was said
    @Nullable
    String text(String wanted, Predicate<String> form) {
        if (!(node instanceof ScalarNode scalar) || isNothing() || isForeign()) {
            refuseKind(wanted);
            return null;
        }
        if (isText()) return reading.environment().putInto(scalar.getValue(), this);
        if (form.test(scalar.getValue())) refuse(shown() + " is " + kind() + " to YAML: put it in quotes");
        else refuseKind(wanted);
        return null;
    }

    /// A variable of the environment alone has a tag of its own.
    private boolean isText() {
        return node.getTag().equals(Tag.STR) || node.getTag().equals(Tag.ENV_TAG);
    }

    /// What stands here when it is no text: a number, or a truth value, also as the value of a variable.
    ///
    /// @return null when it is none of this tag, and that was said
    @Nullable
    String plain(Tag tag, String wanted) {
        if (node instanceof ScalarNode scalar) {
            if (node.getTag().equals(tag)) return scalar.getValue();
            if (isText() && scalar.getValue().contains("${")) {
                var value = reading.environment().putInto(scalar.getValue(), this);
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
        if (isNothing()) refuse("nothing stands behind the key: write " + wanted + ", or leave the key out");
        else if (isForeign()) refuse(foreign());
        else refuse((node instanceof ScalarNode ? shown() + " is " : "here is ") + kind() + ": write " + wanted);
    }

    private boolean isForeign() {
        return !isText()
                && (node.getTag().getValue().startsWith("!") || node.getTag().equals(Tag.BINARY));
    }

    private String foreign() {
        return "the tag " + node.getTag().getValue() + " means nothing here: leave it out";
    }

    private String kind() {
        if (node instanceof MappingNode) return "a mapping";
        if (node instanceof SequenceNode) return "a list";
        if (isText()) return "a text";
        return node.getTag().equals(Tag.BOOL) ? "a truth value" : "a number";
    }

    /// What stands here as it was written, so that a secret of the environment is not told.
    public String shown() {
        return node instanceof ScalarNode scalar ? quoted(scalar.getValue()) : kind();
    }

    static String quoted(String text) {
        var cut = text.length() > 80 ? text.substring(0, 80) + "…" : text;
        return "'" + cut.replaceAll("\\p{Cntrl}", "·") + "'";
    }
}
