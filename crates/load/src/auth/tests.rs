#![allow(clippy::unwrap_used, clippy::expect_used)]
use super::*;

/// The two challenges of RFC 7616, 3.9.1, in one header as they may come.
const RFC_7616: &str = r#"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#;

fn response(challenge: &str, cnonce: &str) -> String {
    let challenge = Challenge::first_digest(challenge).unwrap();
    let who = DigestCredentials {
        user: "Mufasa",
        password: "Circle of Life",
    };
    respond(&challenge, &who, "GET", "/dir/index.html", 1, cnonce)
}

#[test]
fn basic_credentials() {
    // RFC 7617, 2 and 2.1
    assert_eq!(
        basic("Aladdin", "open sesame"),
        "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
    );
    assert_eq!(basic("test", "123\u{a3}"), "Basic dGVzdDoxMjPCow==");
}

#[test]
fn digest_responses_are_as_in_rfc_7616() {
    let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
    let header = response(RFC_7616, cnonce);
    assert!(header.contains("753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"));
    for part in [
        r#"Digest username="Mufasa", realm="http-auth@example.org", "#,
        r#"uri="/dir/index.html""#,
        "algorithm=SHA-256",
        r#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
        "qop=auth, nc=00000001",
    ] {
        assert!(header.contains(part), "{part} in {header}");
    }
    let md5 = RFC_7616.replace("SHA-256", "MD5");
    assert!(response(&md5, cnonce).contains("8ca523f5e9506fed4657c9700eebdbec"));
}

#[test]
fn digest_responses_are_as_in_rfc_2069_and_2617() {
    // RFC 2617, 3.5
    let challenge = r#"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41""#;
    let challenge = Challenge::first_digest(challenge).unwrap();
    let who = DigestCredentials {
        user: "Mufasa",
        password: "Circle Of Life",
    };
    let header = respond(&challenge, &who, "GET", "/dir/index.html", 1, "0a4f113b");
    assert!(
        header.contains("6629fae49393a05397450978507c4ef1"),
        "{header}"
    );
    assert!(
        !header.contains("algorithm"),
        "only what the server spoke of"
    );
    // Without qop (RFC 2069; the value of its errata)
    let challenge = Challenge {
        qop_auth: false,
        opaque: None,
        ..challenge
    };
    let header = respond(&challenge, &who, "GET", "/dir/index.html", 1, "0a4f113b");
    assert!(
        header.contains("670fd8c2df070c60b045671b8b24ff02"),
        "{header}"
    );
    assert!(!header.contains("nc=") && !header.contains("cnonce"));
}

#[test]
fn sha_512_256_with_a_hashed_name() {
    // The challenge and the hashed name of RFC 7616, 3.9.2 (erratum 4897); the response is
    // what Python's hashlib gives for the same input.
    let challenge = r#"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#;
    let challenge = Challenge::first_digest(challenge).unwrap();
    let who = DigestCredentials {
        user: "J\u{e4}s\u{f8}n Doe",
        password: "Secret, or not?",
    };
    let cnonce = "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm";
    let header = respond(&challenge, &who, "GET", "/doe.json", 1, cnonce);
    assert!(
        header.contains("793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"),
        "{header}"
    );
    assert!(
        header.contains("7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c"),
        "{header}"
    );
    assert!(header.ends_with("userhash=true"));
}

#[test]
fn the_first_challenge_that_can_be_met_is_taken() {
    let first = |header| Challenge::first_digest(header);
    let header = r#"Negotiate, Basic realm="a, Digest b", Digest realm="r", nonce="n", algorithm=SHA3, Digest realm="r\"2", nonce = "m" ,stale=TRUE, Basic realm="z""#;
    let found = first(header).unwrap();
    assert_eq!(
        (found.realm.as_str(), found.nonce.as_str(), found.stale),
        ("r\"2", "m", true)
    );
    assert_eq!(first("Negotiate YII=, Digest nonce=x").unwrap().nonce, "x");
    for none in [
        "",
        "Basic realm=\"x\"",
        "Digest",
        "Digest realm=\"r\"",
        "Digest nonce=n, qop=auth-int",
        "Digest nonce=\"n",
        ",,,",
        "=",
        "\"",
        "Digest \u{4e2d}",
    ] {
        // An unfinished quotation still has its value; all else is none.
        assert_eq!(first(none).is_some(), none == "Digest nonce=\"n", "{none}");
    }
}

#[test]
fn a_nonce_is_used_again_and_counted() {
    let mut auth = DigestAuth::default();
    assert_eq!(auth.header("GET", "/", "u", "p", 1), None, "not asked yet");
    assert!(!auth.challenged(["Basic realm=\"x\""]));
    assert!(auth.challenged(["Basic realm=\"x\"", RFC_7616]));
    let header = |auth: &mut DigestAuth| auth.header("GET", "/?a=\"b", "u", "p", 1).unwrap();
    let first = header(&mut auth);
    let second = header(&mut auth);
    assert!(first.contains("nc=00000001") && first.contains(r#"uri="/?a=\"b""#));
    assert!(second.contains("nc=00000002"));
    assert_ne!(
        first.split("response=").nth(1),
        second.split("response=").nth(1)
    );
    assert!(!auth.is_stale());
    let stale = RFC_7616.replace("nonce=\"7", "stale=true, nonce=\"8");
    assert!(auth.challenged([stale.as_str()]) && auth.is_stale());
    assert!(header(&mut auth).contains("nc=00000001"));
}
