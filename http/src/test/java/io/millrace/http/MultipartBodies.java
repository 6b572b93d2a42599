package io.millrace.http;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.memory.LoopInput;
import io.millrace.memory.SlabPool;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// Makes multipart bodies, offers them to a reader as a server does, and notes what it hands on.
final class MultipartBodies {
    static final String BOUNDARY = "b-b";

    /// What arrives here refers to values, and belongs to no pool.
    private static final SlabPool NO_SLABS = new SlabPool(4 << 20, false);

    private MultipartBodies() {}

    static Request request(byte[] body) {
        return request("multipart/form-data; boundary=" + BOUNDARY, body);
    }

    static Request request(String mediaType, byte[] body) {
        return Request.post("/", Bytes.of(body)).addHeader("Content-Type", mediaType);
    }

    /// A text with a bar for each line end.
    static byte[] lines(String text) {
        return text.replace("|", "\r\n").getBytes(StandardCharsets.UTF_8);
    }

    static Part field(String name, String value) {
        return new Part(new PartHead(name, Optional.empty(), Optional.empty()), Bytes.utf8(value));
    }

    static Part file(String name, String fileName, byte[] content) {
        return new Part(
                new PartHead(name, Optional.of(fileName), Optional.of("application/octet-stream")), Bytes.of(content));
    }

    static byte[] encoded(List<Part> parts) {
        var body = new ByteArrayOutputStream();
        for (var part : parts) {
            body.writeBytes(lines("--" + BOUNDARY + "|Content-Disposition: form-data; name=" + quoted(part.name())));
            part.head().fileName().ifPresent(name -> body.writeBytes(lines("; filename=" + quoted(name))));
            part.head().mediaType().ifPresent(type -> body.writeBytes(lines("|Content-Type: " + type)));
            body.writeBytes(lines("||"));
            body.writeBytes(part.content().toArray());
            body.writeBytes(lines("|"));
        }
        body.writeBytes(lines("--" + BOUNDARY + "--|"));
        return body.toByteArray();
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /// Parts with contents that look like boundaries, but are none.
    static List<Part> random(Random random) {
        var parts = new ArrayList<Part>();
        for (int count = random.nextInt(4); count > 0; count--) {
            var content = content(random);
            parts.add(
                    random.nextBoolean()
                            ? file("f" + count, "a\\\"ü;=" + count, content)
                            : new Part(
                                    new PartHead("n" + count, Optional.empty(), Optional.empty()), Bytes.of(content)));
        }
        return parts;
    }

    private static byte[] content(Random random) {
        while (true) {
            var content = new byte[random.nextInt(60)];
            for (int i = 0; i < content.length; i++) content[i] = (byte) "\r\n--bb\0ü".charAt(random.nextInt(8));
            var text = new String(content, StandardCharsets.ISO_8859_1);
            if (!("\r\n" + text).contains("\r\n--" + BOUNDARY)) return content;
        }
    }

    /// Offers a body in pieces, what is left in front of what comes, and its end.
    static Response offer(BodyReader reader, byte[] body, int... cuts) throws Exception {
        var input = new LoopInput(NO_SLABS);
        int from = 0;
        for (int i = 0; i <= cuts.length; i++) {
            int to = i < cuts.length ? cuts[i] : body.length;
            if (to > from) {
                input.endLoan(NO_SLABS);
                input.appendAll(LoopInput.of(Bytes.of(Arrays.copyOfRange(body, from, to))));
                input.lend(NO_SLABS);
                reader.onBody(input);
            }
            from = to;
        }
        return reader.onEnd();
    }

    static int[] everyByte(byte[] body) {
        var cuts = new int[body.length];
        Arrays.setAll(cuts, i -> i);
        return cuts;
    }

    static int[] randomCuts(Random random, int length) {
        return random.ints(random.nextInt(6), 0, length + 1).sorted().toArray();
    }

    /// Notes everything, and puts the parts together again.
    static class Notes implements PartReader {
        final List<String> calls = new ArrayList<>();
        final List<Part> parts = new ArrayList<>();
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private PartHead file = new PartHead("", Optional.empty(), Optional.empty());

        @Override
        public void onField(Part field) {
            calls.add("field " + field.name());
            parts.add(field);
        }

        @Override
        public void onFile(PartHead head) {
            calls.add("file " + head.name());
            file = head;
        }

        @Override
        public void onData(Input data) {
            content.writeBytes(data.readBytes(data.remaining()).toArray());
        }

        @Override
        public void onFileEnd() {
            calls.add("end of file");
            parts.add(new Part(file, Bytes.of(content.toByteArray())));
            content.reset();
        }

        @Override
        public Response onEnd() {
            calls.add("end");
            return Response.status(204);
        }

        @Override
        public void onAbort() {
            calls.add("abort");
        }
    }
}
