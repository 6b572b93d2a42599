package io.millrace.proxy.configuration.file;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape;
import io.millrace.proxy.configuration.shape.Shape.Flag;
import io.millrace.proxy.configuration.shape.Shape.Reference;
import io.millrace.proxy.configuration.shape.Shape.TextOr;
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.util.ArrayList;
import java.util.List;

/// The JSON Schema of a configuration file, written from what is read.
final class SchemaText {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /// Any text, number or truth value may be a variable of the environment.
    private static final String VARIABLE = "\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}";

    private final ObjectNode sections = JSON.objectNode();

    static String write(Section<?> file) {
        var text = new SchemaText();
        var root = JSON.objectNode();
        root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        root.put("title", "Millrace proxy");
        root.setAll(text.section(file));
        root.set("$defs", text.sections);
        var printer = new DefaultPrettyPrinter()
                .withArrayIndenter(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE.withLinefeed("\n"))
                .withObjectIndenter(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE.withLinefeed("\n"));
        try {
            return new ObjectMapper().writer(printer).writeValueAsString(root) + "\n";
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private ObjectNode of(Shape<?> shape) {
        return switch (shape) {
            case Scalar<?> scalar ->
                string(scalar.form()).set("examples", JSON.arrayNode().add(scalar.example()));
            case WholeNumber whole -> orVariable(integer(whole.least(), whole.most()));
            case Size size -> anyOf(integer(size.least(), size.most()), string(Size.FORM));
            case Flag _ -> orVariable(JSON.objectNode().put("type", "boolean"));
            case Choice<?> choice -> choice(choice);
            case Reference _ -> JSON.objectNode().put("type", "string");
            case Listing<?> listing -> {
                var array = JSON.objectNode().put("type", "array").put("minItems", listing.least());
                yield array.set("items", of(listing.item()));
            }
            case Named<?> named -> {
                var object = JSON.objectNode().put("type", "object");
                object.set("propertyNames", JSON.objectNode().put("pattern", "^(" + named.form() + ")$"));
                yield object.set("additionalProperties", of(named.item()));
            }
            case TextOr<?> either -> anyOf(of(either.text()), of(either.section()));
            case Section<?> section -> reference(section);
        };
    }

    private static ObjectNode string(String form) {
        return JSON.objectNode().put("type", "string").put("pattern", "^(" + form + ")$|" + VARIABLE);
    }

    private static ObjectNode orVariable(ObjectNode plain) {
        return anyOf(plain, JSON.objectNode().put("type", "string").put("pattern", "^" + VARIABLE + "$"));
    }

    private static ObjectNode integer(long least, long most) {
        return JSON.objectNode().put("type", "integer").put("minimum", least).put("maximum", most);
    }

    private static ObjectNode choice(Choice<?> choice) {
        var words = JSON.arrayNode();
        for (var word : choice.words().keySet()) {
            if (choice.isNumeric()) words.add(Integer.parseInt(word));
            else words.add(word);
        }
        ObjectNode named = JSON.objectNode().set("enum", words);
        return choice.isNumeric() ? orVariable(named) : anyOf(named, string("^$"));
    }

    private static ObjectNode anyOf(ObjectNode... some) {
        return JSON.objectNode().set("anyOf", JSON.arrayNode().addAll(List.of(some)));
    }

    private ObjectNode reference(Section<?> section) {
        var name = section.name().replace(' ', '-');
        if (!sections.has(name)) {
            sections.putObject(name);
            sections.set(name, section(section));
        }
        return JSON.objectNode().put("$ref", "#/$defs/" + name);
    }

    private ObjectNode section(Section<?> section) {
        var object = JSON.objectNode().put("description", section.says()).put("type", "object");
        var required = JSON.arrayNode();
        var properties = JSON.objectNode();
        for (var key : section.keys()) {
            if (key.isRequired()) required.add(key.name());
            properties.set(key.name(), property(key));
        }
        object.set("properties", properties);
        object.put("additionalProperties", false);
        if (!required.isEmpty()) object.set("required", required);
        var rules = JSON.arrayNode();
        for (var rule : section.rules()) add(rule, rules);
        if (!rules.isEmpty()) object.set("allOf", rules);
        return object;
    }

    private ObjectNode property(Key<?> key) {
        var property = JSON.objectNode().put("description", key.says());
        addStandard(key, property);
        return property.setAll(of(key.shape()));
    }

    private static void addStandard(Key<?> key, ObjectNode property) {
        var text = key.standardText().orElse("");
        switch (key.shape()) {
            case WholeNumber _ when !text.isEmpty() -> property.put("default", Long.parseLong(text));
            case Flag _ when !text.isEmpty() -> property.put("default", Boolean.parseBoolean(text));
            case Choice<?> choice
            when choice.isNumeric() && !text.isEmpty() -> property.put("default", Integer.parseInt(text));
            case Scalar<?> _, Size _, Choice<?> _ -> key.standard().ifPresent(_ -> property.put("default", text));
            default -> {}
        }
    }

    private static void add(Rule rule, ArrayNode rules) {
        switch (rule) {
            case Rule.Count count -> {
                if (count.least() > 0) rules.add(anyRequired(count.keys()));
                if (count.most() == 1) rules.addObject().set("not", pairs(count.keys()));
            }
            case Rule.Needs needs -> {
                var condition = rules.addObject();
                condition.set("if", required(needs.key().name()));
                condition.set("then", anyRequired(needs.wanted()));
            }
            case Rule.When<?> when -> add(when, rules);
        }
    }

    private static <T> void add(Rule.When<T> when, ArrayNode rules) {
        var key = when.key();
        var word = key.shape().text(when.value());
        var value = JSON.objectNode();
        if (((Choice<?>) key.shape()).isNumeric()) value.put("const", Integer.parseInt(word));
        else value.put("const", word);
        boolean isStandard = key.standard().filter(when.value()::equals).isPresent();
        ObjectNode condition = isStandard ? JSON.objectNode() : required(key.name());
        condition.set("properties", JSON.objectNode().set(key.name(), value));
        var then = when.wanted().size() > 1
                ? anyRequired(when.wanted())
                : required(when.wanted().stream().map(Key::name).toArray(String[]::new));
        if (!when.unwanted().isEmpty()) then.set("not", anyRequired(when.unwanted()));
        rules.addObject().<ObjectNode>set("if", condition).set("then", then);
    }

    private static ObjectNode required(String... names) {
        var array = JSON.arrayNode();
        for (var name : names) array.add(name);
        return JSON.objectNode().set("required", array);
    }

    private static ObjectNode anyRequired(List<Key<?>> keys) {
        return anyOf(keys.stream().map(key -> required(key.name())).toArray(ObjectNode[]::new));
    }

    private static ObjectNode pairs(List<Key<?>> keys) {
        var pairs = new ArrayList<ObjectNode>();
        for (int i = 0; i < keys.size(); i++) {
            for (int j = i + 1; j < keys.size(); j++) {
                pairs.add(required(keys.get(i).name(), keys.get(j).name()));
            }
        }
        return anyOf(pairs.toArray(ObjectNode[]::new));
    }
}
