package io.millrace.examples;

import io.millrace.Listen;
import io.millrace.bytes.Input;
import io.millrace.http.Cookie;
import io.millrace.http.Cookies;
import io.millrace.http.Form;
import io.millrace.http.HttpError;
import io.millrace.http.Multipart;
import io.millrace.http.PartHead;
import io.millrace.http.PartReader;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.server.Http;
import java.time.Duration;

/// Forms, uploads and a cookie: `java … Photos 8080`.
public final class Photos {
    private Photos() {}

    public static void main(String[] args) throws InterruptedException {
        Http.serve(Listen.on(Integer.parseInt(args[0])), routes()).await();
    }

    static Routes routes() {
        return Routes.of()
                .get("/theme", Photos::theme)
                .post("/theme", Photos::choose)
                .post("/avatar", Http.whole(2 << 20, Photos::avatar))
                .post("/album", Photos::album);
    }

    private static Response theme(Request request) {
        return Response.ok(Cookies.of(request).value("theme").orElse("light"));
    }

    private static Response choose(Request request) {
        var theme = Form.of(request).first("theme").orElseThrow(() -> new HttpError(400, "no theme"));
        return Cookie.of("theme", theme).maxAge(Duration.ofDays(365)).addTo(Response.status(204));
    }

    /// A small photo, whole.
    private static Response avatar(Request request) {
        var photo = Multipart.of(request).first("photo").orElseThrow(() -> new HttpError(400, "no photo"));
        return Response.ok(photo.content().length() + " bytes");
    }

    /// Photos of any size, as they arrive.
    private static Response album(Request request) {
        return Response.reading(Multipart.reader(request, new PartReader() {
            private long bytes;

            @Override
            public void onFile(PartHead head) {}

            @Override
            public void onData(Input data) {
                bytes += data.remaining();
                data.skip(data.remaining());
            }

            @Override
            public Response onEnd() {
                return Response.ok(bytes + " bytes");
            }
        }));
    }
}
