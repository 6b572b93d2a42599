package io.millrace.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Random;
import org.junit.jupiter.api.Test;

class InFlightTest {
    @Test
    void knows_what_has_begun_and_not_ended() {
        for (int seed = 0; seed < 100; seed++) {
            var random = new Random(seed);
            var known = new HashMap<Long, Long>();
            var inFlight = new InFlight(1 + random.nextInt(20));
            for (long begun = 0; begun < 2000; begun++) {
                inFlight.begin(begun, 3 * begun);
                known.put(begun, 3 * begun);
                while (known.size() > random.nextInt(50)) {
                    // Seldom the first one, so that it is in the way.
                    long ending = known.keySet().stream()
                            .skip(known.size() > 1 && random.nextInt(100) > 0 ? 1 : 0)
                            .findFirst()
                            .orElseThrow();
                    inFlight.end(ending);
                    known.remove(ending);
                }
                for (long index = 0; index <= begun; index++)
                    assertEquals(known.getOrDefault(index, InFlight.NONE), inFlight.get(index, begun + 1));
            }
        }
    }
}
