package io.millrace.proxy.configuration.file;

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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.stream.Collectors;

/// The reference of a configuration file, written from what is read.
final class ReferenceText {
    private static final String BEGINNING = """
            # Every key of the proxy's configuration

            `ProxyReferenceTest` writes this page from the description that files are read with, and the JSON Schema, which
            is in the module as `io/millrace/proxy/millrace-proxy.schema.json`. An editor with a YAML language server checks
            a file as you type if the file begins with

            ```yaml
            # yaml-language-server: $schema=millrace-proxy.schema.json
            ```

            **Values.** A duration is a whole number and `ms`, `s`, `m`, `h` or `d`. A size is a number of bytes, or one with
            `B`, `KiB`, `MiB` or `GiB`. An address is `HOST:PORT`, IPv6 in brackets, or `unix:PATH`. Put texts that look like
            a number or a boolean in quotes. In any text, and in place of a number or a boolean, `"${NAME}"` is an environment
            variable, which has to be set; `"${NAME:-TEXT}"` is TEXT if it is not set, or empty. Its value never becomes a key
            or a list. `$${` is a literal `${`.

            **Errors.** A file is used as a whole or not at all. All its errors are reported at once, each with line, column,
            key, value and remedy; a key that is not on this page is an error. A file may have 1 MiB, 32 levels, 200 aliases,
            and 200 000 values with all aliases expanded. It may include 256 files, 8 levels deep.

            **Which route answers.** The most specific one of those whose conditions all hold. The first difference in this
            list decides:

            1. host: a named one, then `*.a.example.org`, then `*.example.org`, then any;
            2. path: a literal one; then patterns and prefixes, from left to right: a literal segment, a parameter, the rest of
               a path, a prefix; then any path;
            3. method: a named one (for `HEAD` then also `GET`), then any;
            4. headers: more conditions before fewer;
            5. the order of the file.

            If a condition of the most specific route does not hold, the next one is tried, also one of a less specific host. If
            no route is left, the response is 404. Paths are compared, and forwarded, in their canonical form. For the client's
            address, the requested host, and what rules see of a request, see [proxy-tables.md](proxy-tables.md).
            """;

    private static final String VALUES = """

            ## Values of a request

            Values of fields, locations and formats of logs are texts in which a name in braces stands for a value of the
            request; `{{` and `}}` are braces. The value of a variable of the environment is only text.

            | name | value |
            |---|---|
            | `{client}` | the client's address without its port, after `real-ip`; nothing for a Unix socket |
            | `{client-port}` | its port; nothing if `real-ip` found the client |
            | `{host}` | the requested host without its port; nothing if it is no name in DNS and no address |
            | `{port}` | the requested port, or that of the scheme |
            | `{scheme}` | `http` or `https` |
            | `{method}` | the method |
            | `{path}` | the canonical path, before a `rewrite` |
            | `{query}` | the query with its question mark, or nothing |
            | `{request-id}` | 32 hexadecimal digits, the same wherever the request names them |
            | `{tls-name}` | the host that the client's TLS asked for |
            | `{tls-subject}` | the subject of the certificate that the client presented |
            | `{header:NAME}` | a field of the client, several lines joined with `, ` |
            | `{id}` | the parameter of the matched path that is called so, escaped as it came; not in logs |

            Logs have more:

            | name | value |
            |---|---|
            | `{time}`, `{local-time}` | the end of the request: `2026-11-22T17:16:57.123Z`, `22/Nov/2026:18:16:57 +0100` |
            | `{status}` | the status of the response; 499 if the client left before |
            | `{grpc-status}` | the status with which a call of gRPC ended, 0 to 16 |
            | `{request-bytes}`, `{response-bytes}` | bytes of both bodies, without framing |
            | `{seconds}`, `{first-byte-seconds}` | from the head of the request to the end, and to the beginning, of the response |
            | `{protocol}` | `HTTP/2.0`, `HTTP/1.1` or `HTTP/1.0` |
            | `{user}` | the user that `Authorization: Basic` names, unless the status is 401 |
            | `{route}` | the name of the route |
            | `{upstream}`, `{backend}`, `{attempts}` | where it was forwarded, the last backend, and how many attempts it took |
            | `{upstream-seconds}` | how long the last attempt took, to the end of the backend's response |
            | `{closed}` | of a WebSocket: who closed it first, and with which code: `client 1000`; write it as `"{closed}"`, because of its blank |
            | `{trace}` | the trace that the backend got |
            | `{failure}` | why there is no whole response, as `"{failure}"` |
            | `{refused}` | the first line of what was no request; it has no other values than the client and those in this table |

            | place | what happens to a value |
            |---|---|
            | a field | characters that a field must not have become `%HH` of their UTF-8. Between double quotes, `"` and `\\` get a backslash. A field is left out if none of its values is there, or beyond 8 KiB |
            | a location | in a path, `{path}` and parameters stay as they came; in a query, `&`, `=` and the like become `%HH`, too. Other values are escaped but for letters, digits and `-._~`. Without the host that it needs, or if it would lead to another host, another directory, or beyond 8 KiB, the response is 400 |
            | a line of a log | what is not printable ASCII, `"` and `\\` become `\\xHH`; outside of double quotes a blank does, too, and `,`, `;`, `\\|` and `]` if the format's own text has them. Nothing is `-`. Values are cut after 4096 characters |
            | JSON | escaped as RFC 8259 says, in ASCII; cut after 4096 characters |
            """;

    private final StringBuilder text = new StringBuilder(BEGINNING);
    private final SequencedSet<Section<?>> sections = new LinkedHashSet<>();

    /// @param example a file that is good
    static String of(Section<?> file, String example) {
        var reference = new ReferenceText();
        reference.text.append("\n```yaml\n").append(example).append("```\n").append(VALUES);
        reference.sections.add(file);
        var todo = new ArrayList<Section<?>>(List.of(file));
        while (!todo.isEmpty()) reference.write(todo.removeFirst(), todo);
        return reference.text.toString();
    }

    private void write(Section<?> section, List<Section<?>> todo) {
        text.append("\n## ")
                .append(section.name())
                .append("\n\n")
                .append(section.says())
                .append("\n\n");
        text.append("| key | value | default | |\n|---|---|---|---|\n");
        var below = new ArrayList<Section<?>>();
        for (var key : section.keys()) {
            addSections(key.shape(), below);
            text.append(
                    "| `%s` | %s | %s | %s |\n".formatted(key.name(), value(key.shape()), standard(key), key.says()));
        }
        if (!section.rules().isEmpty()) text.append('\n');
        for (var rule : section.rules())
            text.append("- ").append(sentence(rule)).append('\n');
        todo.addAll(0, below);
    }

    private void addSections(Shape<?> shape, List<Section<?>> below) {
        switch (shape) {
            case Section<?> section -> {
                if (sections.add(section)) below.add(section);
            }
            case Listing<?> listing -> addSections(listing.item(), below);
            case Named<?> named -> addSections(named.item(), below);
            case TextOr<?> either -> addSections(either.section(), below);
            default -> {}
        }
    }

    private static String value(Shape<?> shape) {
        return switch (shape) {
            case Scalar<?> scalar ->
                scalar.range().isEmpty()
                        ? scalar.name() + ", like " + code(scalar.example())
                        : scalar.name() + ", " + scalar.range();
            case WholeNumber whole -> whole.range();
            case Size size -> "a size, " + size.text(size.least()) + " to " + size.text(size.most());
            case Flag _ -> "`true` or `false`";
            case Choice<?> choice ->
                choice.words().keySet().stream().map(ReferenceText::code).collect(Collectors.joining(", "));
            case Reference reference -> "a name from `" + reference.kind() + "s`";
            case Listing<?> listing -> "a list of: " + value(listing.item());
            case Named<?> named -> "names, and for each: " + value(named.item());
            case TextOr<?> either -> value(either.text()) + "; or " + value(either.section());
            case Section<?> section ->
                "[" + section.name() + "](#" + section.name().replace(' ', '-') + ")";
        };
    }

    private static String standard(Key<?> key) {
        if (key.isRequired()) return "**required**";
        if (key.shape() instanceof Section<?> && key.standard().isPresent()) return "all of its defaults";
        var standard = key.standardText().filter(value -> !value.isEmpty());
        return standard.map(ReferenceText::code).orElse("–");
    }

    private static String code(String text) {
        return "`" + text.replace("|", "\\|") + "`";
    }

    private static String sentence(Rule rule) {
        return switch (rule) {
            case Rule.Count count when count.least() == 0 -> "At most one of " + names(count.keys()) + ".";
            case Rule.Count count when count.most() == 1 -> "Exactly one of " + names(count.keys()) + ".";
            case Rule.Count count -> "At least one of " + names(count.keys()) + ".";
            case Rule.Needs needs -> code(needs.key().name()) + " only with " + names(needs.wanted()) + ".";
            case Rule.When<?> when -> sentence(when);
        };
    }

    private static <T> String sentence(Rule.When<T> when) {
        var parts = new ArrayList<String>();
        if (!when.wanted().isEmpty())
            parts.add((when.wanted().size() > 1 ? "one of " : "") + names(when.wanted()) + " is required");
        if (!when.unwanted().isEmpty()) parts.add("not " + names(when.unwanted()));
        return "With " + code(when.key() + ": " + when.key().shape().text(when.value())) + ": "
                + String.join(", ", parts) + ".";
    }

    private static String names(List<Key<?>> keys) {
        return keys.stream().map(key -> code(key.name())).collect(Collectors.joining(", "));
    }
}
