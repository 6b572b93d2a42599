package io.millrace.proxy.configuration.file;

import io.millrace.proxy.configuration.Problem;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import org.snakeyaml.engine.v2.schema.JsonSchema;

/// One YAML 1.2 document, as nodes that know their positions.
///
/// The parser is iterative, but the composer recurses for each level: so the levels are counted first.
final class Yaml {
    private static final int MOST_LEVELS = 32;
    private static final int MOST_ALIASES = 200;

    sealed interface Result {}

    record Document(Node root) implements Result {}

    record Unreadable(Problem why) implements Result {}

    private Yaml() {}

    static Result compose(String file, String text) {
        var settings = LoadSettings.builder()
                .setLabel(file)
                .setSchema(new JsonSchema())
                .setCodePointLimit(ConfigurationFile.MOST_BYTES)
                .setMaxAliasesForCollections(MOST_ALIASES)
                .build();
        try {
            var excess = excess(settings, text);
            if (excess.isPresent()) return excess.get().at(file);
            var root = new Composer(settings, parser(settings, text)).getSingleNode();
            if (root.isPresent()) return new Document(root.get());
            return unreadable(file, Optional.empty(), "it is empty: write listeners, routes and upstreams");
        } catch (MarkedYamlEngineException e) {
            var mark = e.getProblemMark().or(e::getContextMark);
            var why = e.getContext() == null ? e.getProblem() : e.getContext() + ", " + e.getProblem();
            return unreadable(
                    file,
                    mark,
                    "it is not YAML (" + why + "): look at the indentation, colons and quotes here and above");
        } catch (YamlEngineException e) {
            return unreadable(
                    file, Optional.empty(), "it is not YAML (" + e.getMessage() + "): save it as text in UTF-8");
        }
    }

    private static ParserImpl parser(LoadSettings settings, String text) {
        return new ParserImpl(settings, new StreamReader(settings, text));
    }

    private record Excess(Optional<Mark> mark, String why) {
        Unreadable at(String file) {
            return unreadable(file, mark, why);
        }
    }

    private static Optional<Excess> excess(LoadSettings settings, String text) {
        int levels = 0;
        int aliases = 0;
        int documents = 0;
        for (var parser = parser(settings, text); parser.hasNext(); ) {
            var event = parser.next();
            if (event instanceof CollectionStartEvent) levels++;
            if (event instanceof CollectionEndEvent) levels--;
            if (event instanceof AliasEvent) aliases++;
            if (event instanceof DocumentStartEvent) documents++;
            var mark = event.getStartMark();
            if (levels > MOST_LEVELS)
                return Optional.of(new Excess(mark, "more than " + MOST_LEVELS + " levels: write it flatter"));
            if (aliases > MOST_ALIASES) {
                return Optional.of(new Excess(mark, "more than " + MOST_ALIASES + " aliases: write some of them out"));
            }
            if (documents > 1) {
                return Optional.of(new Excess(mark, "a second document begins here: keep one of them, without ---"));
            }
        }
        return Optional.empty();
    }

    private static Unreadable unreadable(String file, Optional<Mark> mark, String why) {
        int line = mark.map(m -> m.getLine() + 1).orElse(0);
        int column = mark.map(m -> m.getColumn() + 1).orElse(0);
        return new Unreadable(new Problem(file, line, column, "", why.replaceAll("\\p{Cntrl}+", " ")));
    }
}
