package io.millrace.acme;

import io.millrace.http.acme.AcmeSettings;
import io.millrace.tls.TlsIdentity;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Who issues certificates. Its calls block, for less than a minute each, and run on virtual threads.
interface Issuer {
    /// Begins to obtain a certificate; does not block.
    ///
    /// @param account the file of the account's key, which is made when it is missing
    /// @param replaced what this authority issued before, if anything
    Issuing issue(AcmeSettings wanted, Path account, Optional<TlsIdentity> replaced);

    /// When the authority wants the certificate to be renewed (RFC 9773).
    ///
    /// @return empty if it does not say so
    /// @throws NotIssued when it cannot be asked
    Optional<RenewalWindow> renewal(AcmeSettings of, Path account, TlsIdentity current) throws NotIssued;

    /// The end is after the start.
    ///
    /// @param again when to ask again, if the authority says so
    record RenewalWindow(Instant start, Instant end, Optional<Instant> again) {}

    /// One attempt to obtain a certificate. One thread at a time.
    interface Issuing extends AutoCloseable {
        /// The next step.
        ///
        /// @throws NotIssued when it has failed
        Progress advance() throws NotIssued;

        /// Ends it; its challenges are forgotten. Does not block.
        @Override
        void close();
    }

    /// What a step has come to.
    sealed interface Progress {
        /// The authority needs time.
        record Pending(Duration pause) implements Progress {}

        /// The certificate, the key's own first.
        record Issued(KeyPair key, List<X509Certificate> chain) implements Progress {}
    }

    /// Why there is no certificate.
    final class NotIssued extends Exception {
        private static final long serialVersionUID = 1;

        private final transient Optional<Instant> retryAfter;

        /// @param message the reason and the remedy
        /// @param retryAfter the earliest next attempt, if the authority named one
        NotIssued(String message, Optional<Instant> retryAfter) {
            super(message, null, false, false);
            this.retryAfter = retryAfter;
        }

        NotIssued(String message) {
            this(message, Optional.empty());
        }

        Optional<Instant> retryAfter() {
            return retryAfter;
        }
    }
}
