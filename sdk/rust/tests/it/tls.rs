//! Certificates: the gateway's, and the client's own.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use toolgate_sdk::{Client, Code, Error, Tls};

use crate::stage::{Stage, new_folder};

struct Pair {
    certificate: String,
    key: String,
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(vec![]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn issued(by: &CertifiedIssuer<'static, KeyPair>, name: &str) -> Pair {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, by).unwrap();
    Pair { certificate: certificate.pem(), key: key.serialize_pem() }
}

async fn listed(stage: &Stage, tls: Tls) -> Result<usize, Error> {
    let client = Client::builder(&stage.target).tls(tls).build().unwrap();
    Ok(client.list_tools().await?.len())
}

#[tokio::test]
async fn both_sides_show_their_certificates() {
    let (ours, strangers) = (authority(), authority());
    let (server, client) = (issued(&ours, "127.0.0.1"), issued(&ours, "agent"));
    let folder = new_folder();
    for (name, text) in [("ca", &ours.pem()), ("cert", &server.certificate), ("key", &server.key)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let at = |name: &str| folder.join(name).display().to_string();
    let (cert, key, ca) = (at("cert"), at("key"), at("ca"));
    let flags = ["--tls-cert", &cert, "--tls-key", &key, "--tls-client-ca", &ca];
    let stage = Stage::start_in(folder.clone(), None, &flags).await;

    let tls = Tls::authority(ours.pem());
    let listed_with = tls.clone().identity(&client.certificate, &client.key);
    assert_eq!(listed(&stage, listed_with.clone()).await.unwrap(), 4);
    for refused in [
        tls,                                                                        // shows none
        Tls::authority(strangers.pem()).identity(&client.certificate, &client.key), // trusts another
        listed_with.server_name("another.example"),
    ] {
        let error = listed(&stage, refused).await.unwrap_err();
        assert!(matches!(&error, Error::Gateway(e) if e.code == Code::Unavailable), "{error:?}");
    }
    let plain = Client::new(&stage.target).unwrap();
    let error = plain.list_tools().await.unwrap_err();
    assert!(matches!(&error, Error::Gateway(e) if e.code == Code::Unavailable), "{error:?}");
}
