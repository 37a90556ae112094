//! What NATS knows parties by: keys, credentials and certificates of a test's own authorities.

// Each test binary uses a part of it.
#![allow(dead_code, clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A JWT as NATS has it, signed by its issuer.
fn jwt(issuer: &KeyPair, subject: &KeyPair, claims: &Value) -> String {
    let payload = json!({
        "jti": "x", "iat": 1_600_000_000, "iss": issuer.public_key(), "name": "test",
        "sub": subject.public_key(), "nats": claims,
    });
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!(
        "{}.{}",
        part(&json!({"typ": "JWT", "alg": "ed25519-nkey"})),
        part(&payload)
    );
    let signature = issuer.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// An operator with an account, and credentials files of a user of it.
pub struct Operator {
    folder: TempDir,
    /// The configuration of a server that knows the operator.
    pub configuration: String,
}

impl Operator {
    /// Its files are `good`; `forged`, by an account that the operator does not know; and `broken`,
    /// which are no credentials but hold the word `hunter2`.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (operator, account, system, user) = (
            KeyPair::new_operator(),
            KeyPair::new_account(),
            KeyPair::new_account(),
            KeyPair::new_user(),
        );
        let limits = json!({"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1,
            "wildcards": true, "conn": -1, "leaf": -1, "mem_storage": -1, "disk_storage": -1,
            "streams": -1, "consumer": -1});
        let of_account =
            |limits: &Value| json!({"type": "account", "version": 2, "limits": limits});
        let no_limits = json!({"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1,
            "wildcards": true, "conn": -1, "leaf": -1});
        let of_user = json!({"type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1});
        let configuration = format!(
            "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{ {}: {}, {}: {} }}\n",
            jwt(
                &operator,
                &operator,
                &json!({"type": "operator", "version": 2})
            ),
            system.public_key(),
            account.public_key(),
            jwt(&operator, &account, &of_account(&limits)),
            system.public_key(),
            jwt(&operator, &system, &of_account(&no_limits)),
        );
        let made = Self {
            folder,
            configuration,
        };
        let seed = user.seed().unwrap();
        for (name, issuer) in [("good", &account), ("forged", &KeyPair::new_account())] {
            let text = format!(
                "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n\
                 -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n",
                jwt(issuer, &user, &of_user)
            );
            fs::write(made.file(name), text).unwrap();
        }
        fs::write(made.file("broken"), "hunter2").unwrap();
        made
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Certificates of a test's own authority, as files.
pub struct Certificates {
    folder: TempDir,
}

impl Certificates {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority =
            CertifiedIssuer::self_signed(params, rcgen::KeyPair::generate().unwrap()).unwrap();
        let made = Self { folder };
        fs::write(made.file("ca.pem"), authority.pem()).unwrap();
        for (name, host) in [
            ("here", "127.0.0.1"),
            ("elsewhere", "nats.test"),
            ("client", "client.test"),
        ] {
            let key = rcgen::KeyPair::generate().unwrap();
            let params = CertificateParams::new(vec![host.to_owned()]).unwrap();
            let certificate = params.signed_by(&key, &authority).unwrap();
            fs::write(made.file(&format!("{name}.pem")), certificate.pem()).unwrap();
            fs::write(made.file(&format!("{name}.key")), key.serialize_pem()).unwrap();
        }
        made
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The configuration of a server with one of the certificates.
    pub fn server(&self, name: &str, more: &str) -> String {
        let folder = self.folder.path().display();
        format!(
            "tls {{ cert_file: \"{folder}/{name}.pem\", key_file: \"{folder}/{name}.key\", ca_file: \"{folder}/ca.pem\", {more} }}"
        )
    }
}
