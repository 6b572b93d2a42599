package io.millrace.sidebyside.proxy;

import io.millrace.http.Routes;
import io.millrace.http.server.Http;
import io.millrace.proxy.Upstream;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Health;
import java.time.Duration;

public final class MillraceProxy {
    public static void main(String[] args) throws InterruptedException {
        var health = Health.http("/health")
                .interval(Duration.ofMillis(500))
                .healthyThreshold(1)
                .unhealthyThreshold(1);
        var api = Upstream.of(args[1], args[2]).balance(Balance.ROUND_ROBIN).health(health);
        var web = Upstream.of(args[3]).health(health);
        var server = Http.listen(
                Integer.parseInt(args[0]), Routes.of().mount("/api", api).otherwise(web));
        System.out.println(server.port());
        server.await();
    }
}
