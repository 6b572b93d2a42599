package io.millrace.examples;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.millrace.Listen;
import io.millrace.Signals;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/// Plain JDBC in handlers, with a driver and a pool that know nothing of event loops:
/// `java … Database 8080 'jdbc:postgresql://localhost/test?user=me&password=secret'`.
public final class Database implements HttpHandler {
    private static final int WORLDS = 10_000;
    private static final Response PLAIN = Response.ok("Hello, World!");

    private final DataSource pool;

    private Database(DataSource pool) {
        this.pool = pool;
    }

    public static void main(String[] args) throws Exception {
        var settings = new HikariConfig();
        settings.setJdbcUrl(args[1]);
        settings.setMaximumPoolSize(16);
        // The shortest lifetime that is allowed: connections are replaced every half a minute.
        settings.setMaxLifetime(30_000);
        try (var pool = new HikariDataSource(settings);
                var signals = Signals.catchTermination()) {
            create(pool);
            try (var server = Http.serve(Listen.on(Integer.parseInt(args[0])), new Database(pool))) {
                signals.await();
                server.drain(Duration.ofSeconds(30));
            }
        }
    }

    private static void create(DataSource pool) throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS world (id int PRIMARY KEY, square int NOT NULL)");
            statement.execute("INSERT INTO world SELECT n, n * n FROM generate_series(1, " + WORLDS
                    + ") AS n ON CONFLICT DO NOTHING");
        }
    }

    @Override
    public Response handle(Request request) throws SQLException {
        return switch (request.path()) {
            case "/" -> PLAIN;
            case "/square" -> Response.ok(String.valueOf(square(id(request))));
            default -> Response.status(404);
        };
    }

    private static int id(Request request) {
        try {
            return Integer.parseInt(request.parameter("id").orElse(""));
        } catch (NumberFormatException _) {
            throw new HttpError(400, "id is a number");
        }
    }

    private int square(int id) throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.prepareStatement("SELECT square FROM world WHERE id = ?")) {
            statement.setInt(1, id);
            try (var rows = statement.executeQuery()) {
                if (!rows.next()) throw new HttpError(404, "no such id");
                return rows.getInt(1);
            }
        }
    }
}
