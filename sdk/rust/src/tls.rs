use std::{fmt, sync::Arc};

use rustls::{
    CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
    server::ParsedCertificate,
};
use tonic::transport::{ClientTlsConfig, Endpoint, Identity};

use crate::Error;

/// How a connection is encrypted, by rustls.
#[derive(Clone)]
#[must_use = "it encrypts nothing by itself"]
pub struct Tls {
    config: ClientTlsConfig,
    authorities: Option<Vec<u8>>,
}

impl Tls {
    /// Trusts the system's authorities.
    pub fn system() -> Self {
        ClientTlsConfig::new().with_native_roots().into()
    }

    /// Trusts the certificates of this PEM text, and no others. A gateway may show one of them itself,
    /// if it is self-signed.
    pub fn authority(pem: impl Into<Vec<u8>>) -> Self {
        Self { config: ClientTlsConfig::new(), authorities: Some(pem.into()) }
    }

    /// Shows a certificate of the client's own, with its key, both PEM text.
    pub fn identity(mut self, certificate: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> Self {
        self.config = self.config.identity(Identity::from_pem(certificate, key));
        self
    }

    /// The name that the gateway's certificate must have, where that is not the target's host.
    pub fn server_name(mut self, name: impl Into<String>) -> Self {
        self.config = self.config.domain_name(name);
        self
    }

    pub(crate) fn on(self, endpoint: Endpoint) -> Result<Endpoint, Error> {
        let encrypted = match self.authorities {
            Some(pem) => endpoint.tls_config_with_verifier(self.config, verifier(&pem)?),
            None => endpoint.tls_config(self.config),
        };
        encrypted.map_err(setup)
    }
}

/// As tonic can say it, for what else it can.
impl From<ClientTlsConfig> for Tls {
    fn from(config: ClientTlsConfig) -> Self {
        Self { config, authorities: None }
    }
}

/// A key is nothing to print.
impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

fn setup(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Setup(error.into())
}

fn verifier(pem: &[u8]) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let trusted = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>().map_err(setup)?;
    let mut roots = RootCertStore::empty();
    for certificate in &trusted {
        roots.add(certificate.clone()).map_err(setup)?;
    }
    let provider = CryptoProvider::get_default().cloned();
    let provider = provider.unwrap_or_else(|| Arc::new(ring::default_provider()));
    let issued = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
    Ok(Arc::new(Verifier { issued: issued.map_err(setup)?, trusted }))
}

/// webpki's rules, and one exception, as in the TLS of other languages: a certificate that is trusted
/// may be shown itself, even one that could issue others. What `openssl req -x509` writes is such a one.
#[derive(Debug)]
struct Verifier {
    issued: Arc<WebPkiServerVerifier>,
    trusted: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match self.issued.verify_server_cert(shown, chain, name, ocsp, now) {
            // webpki says so once it has found the time to be right.
            Err(refused) if issues_others(&refused) && self.trusted.iter().any(|one| one == shown) => {
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.issued.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.issued.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.issued.supported_verify_schemes()
    }
}

fn issues_others(refused: &rustls::Error) -> bool {
    let rustls::Error::InvalidCertificate(CertificateError::Other(other)) = refused else {
        return false;
    };
    matches!(other.0.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Client;
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};
    use std::time::Duration;

    #[test]
    fn what_is_no_certificate_is_told_at_once() {
        for tls in [
            Tls::authority("not a certificate"),
            Tls::authority("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            Tls::system().identity("not a certificate", "not a key"),
        ] {
            let built = Client::builder("gateway:1").tls(tls).build();
            assert!(matches!(built, Err(Error::Setup(_))));
        }
    }

    /// A self-signed certificate for `gateway`, of the year 2026, that could issue others.
    fn self_signed() -> rcgen::Certificate {
        let mut params = CertificateParams::new(vec!["gateway".to_owned()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        (params.not_before, params.not_after) = (date_time_ymd(2026, 1, 1), date_time_ymd(2027, 1, 1));
        params.self_signed(&KeyPair::generate().unwrap()).unwrap()
    }

    #[test]
    fn a_self_signed_certificate_is_trusted_for_its_name_and_time_alone() {
        const NEW_YEAR: u64 = 1_767_225_600; // 2026-01-01
        const HALF_A_YEAR: u64 = 180 * 24 * 3600;
        let (ours, strangers) = (self_signed(), self_signed());
        let verifier = verifier(ours.pem().as_bytes()).unwrap();
        let trusts = |shown: &rcgen::Certificate, name: &'static str, seconds: u64| {
            let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
            let name = ServerName::try_from(name).unwrap();
            verifier.verify_server_cert(shown.der(), &[], &name, &[], now).is_ok()
        };
        assert!(trusts(&ours, "gateway", NEW_YEAR + HALF_A_YEAR));
        assert!(!trusts(&ours, "another", NEW_YEAR + HALF_A_YEAR));
        assert!(!trusts(&ours, "gateway", NEW_YEAR + 3 * HALF_A_YEAR));
        assert!(!trusts(&ours, "gateway", NEW_YEAR - 1));
        assert!(!trusts(&strangers, "gateway", NEW_YEAR + HALF_A_YEAR));
    }
}
