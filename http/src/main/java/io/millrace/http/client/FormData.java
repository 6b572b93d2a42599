package io.millrace.http.client;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.file.MediaTypes;
import io.millrace.net.CheckReturnValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A form with fields and files, to be sent as `multipart/form-data` (RFC 7578) as browsers do. Immutable:
/// methods that add a part return a copy.
///
/// ```java
/// var form = FormData.of().field("title", "Cats").file("photo", Path.of("cat.jpg"));
/// client.send(form.post("https://example.org/photos"))
/// ```
/// Millrace servers read it with [io.millrace.http.Multipart].
@CheckReturnValue
public final class FormData {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BOUNDARY_BYTES = 16;
    private static final int PIECE_BYTES = 64 << 10;

    /// @param head without boundary and empty line
    /// @param content null for a file's content
    private record Piece(
            String head, @Nullable Bytes content, @Nullable Path file) {}

    private final List<Piece> pieces;

    private FormData(List<Piece> pieces) {
        this.pieces = pieces;
    }

    /// A form without parts.
    public static FormData of() {
        return new FormData(List.of());
    }

    /// A text, in UTF-8.
    ///
    /// @throws IllegalArgumentException for a name with control characters other than line ends, or with a
    ///     backslash at its end; so do the other methods
    public FormData field(String name, String value) {
        return with(new Piece(disposition(name), Bytes.utf8(value), null));
    }

    /// A file from memory.
    ///
    /// @param type its media type, `image/png` for instance
    /// @throws IllegalArgumentException for a media type that must not be sent
    public FormData file(String name, String fileName, String type, Bytes content) {
        return with(new Piece(disposition(name, fileName, type), content, null));
    }

    /// A file of this machine. Its name is the last part of the path, which also decides the media type. It is
    /// read piece by piece on the connection's loop when the request is sent.
    public FormData file(String name, Path file) {
        var fileName = String.valueOf(file.getFileName());
        return with(new Piece(disposition(name, fileName, MediaTypes.of(fileName)), null, file));
    }

    private FormData with(Piece piece) {
        var all = new ArrayList<>(pieces);
        all.add(piece);
        return new FormData(List.copyOf(all));
    }

    private static String disposition(String name) {
        return "Content-Disposition: form-data; name=\"" + quoted(name) + "\"\r\n";
    }

    private static String disposition(String name, String fileName, String type) {
        var line = disposition(name).strip() + "; filename=\"" + quoted(fileName) + "\"\r\n";
        return line + "Content-Type: "
                + Headers.EMPTY.with("Content-Type", type).value(0) + "\r\n";
    }

    /// As in the HTML standard (multipart/form-data encoding algorithm).
    ///
    /// @throws IllegalArgumentException for a name that a receiver might misread
    private static String quoted(String name) {
        boolean isControl = name.chars().anyMatch(c -> Character.isISOControl(c) && c != '\r' && c != '\n');
        if (isControl || name.endsWith("\\"))
            throw new IllegalArgumentException("a form part with the name '" + name
                    + "': leave out control characters, and a backslash at the end");
        return name.replace("\"", "%22").replace("\r", "%0D").replace("\n", "%0A");
    }

    /// A `POST` of this form.
    ///
    /// @throws IOException when a file cannot be read
    /// @throws IllegalArgumentException for a target that must not be sent
    public Request post(String target) throws IOException {
        return request("POST", target);
    }

    /// A request with this form: without files of this machine its body is a value; with them it is written as
    /// the server takes it, and can be sent once.
    ///
    /// @throws IOException when a file cannot be read
    /// @throws IllegalArgumentException for a method or a target that must not be sent
    public Request request(String method, String target) throws IOException {
        var random = new byte[BOUNDARY_BYTES];
        RANDOM.nextBytes(random);
        return request(method, target, "millrace-" + HexFormat.of().formatHex(random));
    }

    private Request request(String method, String target, String boundary) throws IOException {
        var body = new FormWriter();
        for (var piece : pieces) {
            body.add(Bytes.utf8("--" + boundary + "\r\n" + piece.head + "\r\n"));
            if (piece.content != null) body.add(piece.content);
            if (piece.file != null) body.add(piece.file);
            body.add(Bytes.utf8("\r\n"));
        }
        body.add(Bytes.utf8("--" + boundary + "--\r\n"));
        return body.request(method, target).addHeader("Content-Type", "multipart/form-data; boundary=" + boundary);
    }

    /// Writes texts and files, one after the other.
    private static final class FormWriter implements BodyWriter {
        /// [Bytes] or [Path].
        private final ArrayDeque<Object> left = new ArrayDeque<>();

        private long length;
        private boolean hasFile;
        private @Nullable FileChannel open;

        void add(Bytes content) {
            length += content.length();
            left.add(content);
        }

        void add(Path file) throws IOException {
            if (!Files.isReadable(file)) throw new IOException(file + " cannot be read");
            length += Files.size(file);
            hasFile = true;
            left.add(file);
        }

        Request request(String method, String target) {
            return hasFile ? Request.of(method, target, this).length(length) : Request.of(method, target, whole());
        }

        private Bytes whole() {
            var all = new ByteArrayOutputStream();
            for (var one : left) if (one instanceof Bytes bytes) all.writeBytes(bytes.toArray());
            return Bytes.of(all.toByteArray());
        }

        @Override
        public boolean write(Output out) throws IOException {
            // An empty file is followed by more.
            boolean isWritten = false;
            while (!isWritten) isWritten = writeSome(out);
            return open != null || !left.isEmpty();
        }

        private boolean writeSome(Output out) throws IOException {
            var file = open;
            if (file != null) {
                boolean isMore = out.write(file, PIECE_BYTES) > 0;
                if (!isMore) onClose();
                return isMore;
            }
            var next = left.remove();
            if (next instanceof Path path) open = FileChannel.open(path);
            if (next instanceof Bytes bytes) out.write(bytes);
            return next instanceof Bytes bytes && bytes.length() > 0;
        }

        @Override
        public void onClose() {
            try {
                if (open != null) open.close();
            } catch (IOException _) {
                // The file was only read; there is nothing to lose.
            }
            open = null;
        }
    }
}
