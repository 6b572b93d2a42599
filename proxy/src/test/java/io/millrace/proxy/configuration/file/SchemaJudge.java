package io.millrace.proxy.configuration.file;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// What an editor that knows the schema says of a file.
final class SchemaJudge {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Schema schema;

    SchemaJudge() {
        var file = Path.of(System.getProperty("basedir", ".")).resolve(ProxyReferenceTest.SCHEMA);
        try {
            schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                    .getSchema(new ObjectMapper().readTree(Files.readString(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<String> complaints(String yaml) {
        var document = (Yaml.Document) Yaml.compose("proxy.yaml", yaml);
        return schema.validate(json(document.root())).stream()
                .map(Object::toString)
                .toList();
    }

    private static JsonNode json(Node node) {
        return switch (node) {
            case MappingNode mapping -> {
                var object = JSON.objectNode();
                for (var tuple : mapping.getValue()) {
                    object.set(((ScalarNode) tuple.getKeyNode()).getValue(), json(tuple.getValueNode()));
                }
                yield object;
            }
            case SequenceNode sequence -> {
                var array = JSON.arrayNode();
                for (var item : sequence.getValue()) array.add(json(item));
                yield array;
            }
            case ScalarNode scalar -> scalar(scalar);
            default -> throw new AssertionError(node);
        };
    }

    private static JsonNode scalar(ScalarNode scalar) {
        var text = scalar.getValue();
        if (scalar.getTag().equals(Tag.INT)) return JSON.numberNode(new BigInteger(text));
        if (scalar.getTag().equals(Tag.FLOAT)) return JSON.numberNode(new BigDecimal(text));
        if (scalar.getTag().equals(Tag.BOOL)) return JSON.booleanNode(Boolean.parseBoolean(text));
        return scalar.getTag().equals(Tag.NULL) ? JSON.nullNode() : JSON.textNode(text);
    }
}
