package io.millrace.http.acme;

import io.millrace.http.filter.MetricSource;
import java.util.Collection;

/// Obtains certificates from authorities, and renews them in time, in the files of their [AcmeSettings]: whoever
/// uses these reads them again when they change. `millrace-acme` has one. Of several processes that share a storage,
/// one renews. Any thread.
public interface CertificateKeeper extends MetricSource, AutoCloseable {
    /// The artifact that has one.
    String ARTIFACT = "millrace-acme";

    /// Keeps these certificates from now on, and no others. Does not block: what goes wrong is logged and tried
    /// again later.
    ///
    /// @throws IllegalArgumentException when two of them, which differ, share a file
    void keep(Collection<AcmeSettings> wanted);

    /// The answers that listeners give to the authorities.
    AcmeChallenges challenges();

    /// Stops, so that another process may renew. The certificates stay.
    @Override
    void close();
}
