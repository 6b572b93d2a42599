package io.millrace.acme;

import io.millrace.acme.Issuer.Progress.Issued;
import io.millrace.acme.Issuer.Progress.Pending;
import io.millrace.http.acme.AcmeChallenges;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.AccountBuilder;
import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Order;
import org.shredzone.acme4j.Problem;
import org.shredzone.acme4j.RenewalInfo;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.challenge.Challenge;
import org.shredzone.acme4j.challenge.Http01Challenge;
import org.shredzone.acme4j.challenge.TlsAlpn01Challenge;
import org.shredzone.acme4j.connector.Resource;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeLazyLoadingException;
import org.shredzone.acme4j.exception.AcmeNetworkException;
import org.shredzone.acme4j.exception.AcmeProtocolException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;
import org.shredzone.acme4j.exception.AcmeUserActionRequiredException;
import org.shredzone.acme4j.util.KeyPairUtils;

/// An authority that is asked with acme4j, which does the signing and the parsing; when to ask is decided here.
final class AcmeAuthority implements Issuer {
    /// Where acme4j signs with RSA alone, or would need a provider for other keys that is installed for the whole JVM.
    private static final int RSA_BITS = 2048;

    /// For each request.
    private static final Duration REQUEST = Duration.ofSeconds(20);

    private static final Duration PAUSE = Duration.ofSeconds(2);

    private static final System.Logger LOG = LoopLog.of("io.millrace.acme");

    private final AcmeChallenges challenges;

    AcmeAuthority(AcmeChallenges challenges) {
        this.challenges = challenges;
    }

    @Override
    public Issuing issue(AcmeSettings wanted, Path account, Optional<TlsIdentity> replaced) {
        return new AcmeOrder(wanted, account, replaced, challenges);
    }

    @Override
    public Optional<RenewalWindow> renewal(AcmeSettings of, Path account, TlsIdentity current) throws NotIssued {
        if (!Files.exists(account)) return Optional.empty();
        var provider = new ConfiguredProvider(of);
        return asked(of, provider, () -> {
            var session = session(of, provider);
            try {
                if (session.resourceUrlOptional(Resource.RENEWAL_INFO).isEmpty()) return Optional.empty();
                return window(login(session, of, account)
                        .bindRenewalInfo(current.chain().getFirst()));
            } finally {
                session.getHttpClient().shutdownNow();
            }
        });
    }

    private static Optional<RenewalWindow> window(RenewalInfo info) throws AcmeException {
        var again = info.fetch();
        var start = info.getSuggestedWindowStart();
        var end = info.getSuggestedWindowEnd();
        return start.isBefore(end) ? Optional.of(new RenewalWindow(start, end, again)) : Optional.empty();
    }

    private interface Question<T> {
        T ask() throws AcmeException, IOException, NotIssued;
    }

    /// Says of each failure what to do about it.
    private static <T> T asked(AcmeSettings of, ConfiguredProvider provider, Question<T> question) throws NotIssued {
        try {
            return question.ask();
        } catch (AcmeLazyLoadingException e) {
            var why = e.getCause() instanceof AcmeException cause ? reason(of, cause) : e.toString();
            throw new NotIssued(why, provider.retryAfter());
        } catch (AcmeException e) {
            throw new NotIssued(reason(of, e), provider.retryAfter());
        } catch (AcmeProtocolException e) {
            throw new NotIssued(of.directory() + " does not speak ACME: " + e.getMessage() + "; is it a directory?");
        } catch (IOException e) {
            throw new NotIssued("the account's key cannot be kept: " + Wording.of(e));
        }
    }

    private static String reason(AcmeSettings of, AcmeException e) {
        return switch (e) {
            case AcmeRateLimitedException limited ->
                "the authority limits the rate: " + text(limited.getProblem()) + ", nothing is to be done but wait";
            case AcmeUserActionRequiredException action ->
                "the authority wants an action of you: " + text(action.getProblem()) + "; see " + action.getInstance();
            case AcmeServerException refused -> "the authority refuses: " + text(refused.getProblem());
            case AcmeNetworkException network ->
                of.directory() + " cannot be reached (" + cause(network)
                        + "): check the directory, the network, and authorities if it is a private one";
            default -> of.directory() + ": " + e.getMessage();
        };
    }

    private static String cause(AcmeException e) {
        return e.getCause() instanceof IOException io ? Wording.of(io) : String.valueOf(e.getMessage());
    }

    private static String text(Problem problem) {
        return problem.getDetail()
                .or(problem::getTitle)
                .orElse(problem.getType().toString());
    }

    private static Session session(AcmeSettings of, ConfiguredProvider provider) {
        var session = new Session(of.directory(), provider);
        session.networkSettings().setTimeout(REQUEST);
        return session;
    }

    /// Logs in to the account, which is made when it is missing.
    private static Login login(Session session, AcmeSettings of, Path account) throws AcmeException, IOException {
        var builder = new AccountBuilder().agreeToTermsOfService().useKeyPair(accountKey(account));
        if (of.contact().isPresent())
            builder = builder.addContact("mailto:" + of.contact().get());
        return builder.createLogin(session);
    }

    private static KeyPair accountKey(Path file) throws IOException {
        if (Files.exists(file)) return KeyPairUtils.readKeyPair(new StringReader(Files.readString(file)));
        var made = KeyPairUtils.createKeyPair(RSA_BITS);
        var text = new StringWriter();
        KeyPairUtils.writeKeyPair(made, text);
        Storage.replace(file, text.toString());
        return made;
    }

    /// A key for P-256, made by the JDK.
    static KeyPair newKey() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM cannot make a key for P-256", e);
        }
    }

    /// One order (RFC 8555 section 7.1.3).
    ///
    /// ```
    ///   NEW ── answers are there ──► PROVING ── all are valid ──► FINALIZING ── it is issued ──► OVER
    /// ```
    private static final class AcmeOrder implements Issuing {
        private final AcmeSettings wanted;
        private final Path account;
        private final Optional<TlsIdentity> replaced;
        private final AcmeChallenges challenges;
        private final ConfiguredProvider provider;
        private final List<String> open = new ArrayList<>();
        private @Nullable Session session;
        private @Nullable Order order;
        private @Nullable KeyPair key;

        AcmeOrder(AcmeSettings wanted, Path account, Optional<TlsIdentity> replaced, AcmeChallenges challenges) {
            this.wanted = wanted;
            this.account = account;
            this.replaced = replaced;
            this.challenges = challenges;
            this.provider = new ConfiguredProvider(wanted);
        }

        @Override
        public Progress advance() throws NotIssued {
            return asked(wanted, provider, () -> {
                if (order == null) return begin();
                return key == null ? prove(order) : complete(order, key);
            });
        }

        private Progress begin() throws AcmeException, IOException, NotIssued {
            var its = session(wanted, provider);
            synchronized (this) {
                session = its;
            }
            var made = order(login(its, wanted, account));
            for (var authorization : made.getAuthorizations())
                if (authorization.getStatus() != Status.VALID) answer(authorization);
            order = made;
            return new Pending(PAUSE);
        }

        /// An authority that knows which certificate is replaced may have room for it beyond its limits. It may also
        /// have been replaced already, for a process that was killed before it had kept the new one.
        private Order order(Login login) throws AcmeException {
            boolean isKnown = login.getSession()
                    .resourceUrlOptional(Resource.RENEWAL_INFO)
                    .isPresent();
            if (isKnown && replaced.isPresent()) {
                try {
                    return login.newOrder()
                            .domains(wanted.names())
                            .replaces(replaced.get().chain().getFirst())
                            .create();
                } catch (AcmeRateLimitedException | AcmeUserActionRequiredException e) {
                    throw e;
                } catch (AcmeServerException | AcmeProtocolException e) {
                    if (provider.retryAfter().isPresent()) throw e;
                    LOG.log(Level.DEBUG, "the authority does not replace {0}: {1}", wanted, e.getMessage());
                }
            }
            return login.newOrder().domains(wanted.names()).create();
        }

        private void answer(Authorization authorization) throws AcmeException, IOException, NotIssued {
            var name = authorization.getIdentifier().getDomain();
            switch (wanted.challenge()) {
                case HTTP_01 -> {
                    var found = found(authorization, Http01Challenge.class, name);
                    open(found.getToken());
                    challenges.answer(found.getToken(), found.getAuthorization());
                    found.trigger();
                }
                case TLS_ALPN_01 -> {
                    var found = found(authorization, TlsAlpn01Challenge.class, name);
                    var pair = KeyPairUtils.createKeyPair(RSA_BITS);
                    var certificate = found.createCertificate(pair, authorization.getIdentifier());
                    open(name);
                    challenges.prove(name, TlsIdentity.of(pair.getPrivate(), List.of(certificate)));
                    found.trigger();
                }
            }
        }

        private synchronized void open(String tokenOrName) {
            open.add(tokenOrName);
        }

        private <T extends Challenge> T found(Authorization of, Class<T> kind, String name) throws NotIssued {
            return of.findChallenge(kind)
                    .orElseThrow(() -> new NotIssued(
                            "the authority does not offer the challenge for " + name + ": take another one"));
        }

        private Progress prove(Order its) throws AcmeException, NotIssued {
            var later = Optional.<Instant>empty();
            boolean isProven = true;
            for (var authorization : its.getAuthorizations()) {
                if (authorization.getStatus() == Status.VALID) continue;
                later = authorization.fetch();
                if (authorization.getStatus() == Status.INVALID) throw unproven(authorization);
                isProven &= authorization.getStatus() == Status.VALID;
            }
            if (!isProven) return pending(later);
            forget();
            var made = newKey();
            var meanwhile = its.fetch();
            requireUsable(its);
            if (its.getStatus() != Status.READY) return pending(meanwhile);
            its.execute(made);
            key = made;
            return new Pending(PAUSE);
        }

        private NotIssued unproven(Authorization authorization) {
            var name = authorization.getIdentifier().getDomain();
            var why = authorization.getChallenges().stream()
                    .flatMap(challenge -> challenge.getError().stream())
                    .findFirst()
                    .map(AcmeAuthority::text)
                    .orElse("it does not say why");
            int port = wanted.challenge() == AcmeSettings.Challenge.HTTP_01 ? 80 : 443;
            return new NotIssued("the authority could not verify " + name + ": " + why + "; the name must lead to this"
                    + " server, and port " + port + " of it must be open to everybody");
        }

        private static Pending pending(Optional<Instant> until) {
            return new Pending(
                    until.map(at -> Duration.between(Instant.now(), at)).orElse(PAUSE));
        }

        private Progress complete(Order its, KeyPair pair) throws AcmeException, NotIssued {
            var later = its.fetch();
            requireUsable(its);
            if (its.getStatus() != Status.VALID) return pending(later);
            return new Issued(pair, its.getCertificate().getCertificateChain());
        }

        private static void requireUsable(Order its) throws NotIssued {
            if (its.getStatus() != Status.INVALID) return;
            throw new NotIssued("the authority refuses the order: "
                    + its.getError().map(AcmeAuthority::text).orElse("it does not say why"));
        }

        private synchronized void forget() {
            open.forEach(challenges::forget);
            open.clear();
        }

        @Override
        public synchronized void close() {
            forget();
            if (session != null) session.getHttpClient().shutdownNow();
        }
    }
}
