package io.millrace.http.message;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.bytes.Bytes;
import io.millrace.loop.EventLoop;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.opentest4j.TestAbortedException;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;

/// The rules of Reactive Streams for those who subscribe, as their own test kit says them.
class PublishedBodyTest {
    private static final EventLoops LOOPS = EventLoops.configure().threads(1).start();

    @AfterAll
    static void close() {
        LOOPS.close();
    }

    /// Its methods are tests of TestNG.
    public static final class Verification extends FlowSubscriberBlackboxVerification<Bytes> {
        public Verification() {
            super(new TestEnvironment(500, 50));
        }

        @Override
        public Flow.Subscriber<Bytes> createFlowSubscriber() {
            return new PublishedBody(new PushedBody((EventLoop) LOOPS.next()));
        }

        @Override
        public Bytes createElement(int element) {
            return Bytes.utf8("part " + element);
        }
    }

    private static List<Method> rules() {
        return Arrays.stream(Verification.class.getMethods())
                .filter(method -> method.isAnnotationPresent(org.testng.annotations.Test.class))
                .filter(method -> method.getParameterCount() == 0)
                .toList();
    }

    @TestFactory
    Stream<DynamicTest> each_rule_holds() {
        return rules().stream().map(rule -> DynamicTest.dynamicTest(rule.getName(), () -> check(rule)));
    }

    private static void check(Method rule) throws Throwable {
        var verification = new Verification();
        verification.startPublisherExecutorService();
        verification.setUp();
        try {
            rule.invoke(verification);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof org.testng.SkipException skipped) throw new TestAbortedException("", skipped);
            throw e.getCause();
        } finally {
            verification.shutdownPublisherExecutorService();
        }
    }

    @Test
    void there_are_rules() {
        assertTrue(rules().size() >= 20, () -> rules().size() + " rules");
    }
}
