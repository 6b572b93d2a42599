package io.millrace.sidebyside.upload;

import io.javalin.Javalin;
import io.javalin.config.SizeUnit;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.ContentTooLargeResponse;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.javalin.util.FileUtil;
import java.nio.file.Path;
import java.util.Objects;
import java.util.UUID;

public final class JavalinUpload {
    private static final int MOST_BYTES = 1 << 20;

    public static void main(String[] args) {
        var folder = Path.of(args[1]);
        var app = Javalin.create(config -> {
                    config.jetty.multipartConfig.maxTotalRequestSize(MOST_BYTES, SizeUnit.BYTES);
                    config.routes.post("/photos", ctx -> save(ctx, folder));
                })
                .start(Integer.parseInt(args[0]));
        System.out.println(app.port());
    }

    private static void save(Context ctx, Path folder) {
        // Without this, Jetty's refusal of a long body is answered with 500.
        if (ctx.contentLength() > MOST_BYTES) throw new ContentTooLargeResponse();
        var photo = ctx.uploadedFile("photo");
        if (photo == null) throw new BadRequestResponse("no photo");
        var title = Objects.requireNonNullElse(ctx.formParam("title"), "untitled");
        var id = UUID.randomUUID().toString();
        FileUtil.streamToFile(photo.content(), folder.resolve(id).toString());
        ctx.status(HttpStatus.CREATED).header("Location", "/photos/" + id).result(title);
    }
}
