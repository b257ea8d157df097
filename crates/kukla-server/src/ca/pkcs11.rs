//! Private keys that never leave a token: signing through a module of PKCS#11.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::{Error, RvError};
use cryptoki::mechanism::Mechanism;
use cryptoki::object::{Attribute, AttributeType, KeyType, ObjectClass, ObjectHandle};
use cryptoki::session::{Session, UserType};
use cryptoki::types::AuthPin;
use der::asn1::{Any, BitString, ObjectIdentifier, OctetStringRef, UintRef};
use der::{Decode, Encode, Sequence};
use kukla::syntax::{Problem, ProblemKind};
use rsa::pkcs8::EncodePublicKey;
use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::sign::{Signer, SigningKey};
use rustls::{SignatureAlgorithm, SignatureScheme};
use sha2::{Digest, Sha256, Sha384};
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

use super::keys::KeyKind;
use super::token_uri::TokenUri;
use super::unencodable;

const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");

/// A module is initialized once in a process; all keys share it.
static MODULES: Mutex<Option<HashMap<PathBuf, Pkcs11>>> = Mutex::new(None);

/// A private key in a token. A session serves one thread at a time.
#[derive(Debug)]
pub struct TokenKey {
    session: Arc<Mutex<Session>>,
    handle: ObjectHandle,
    public: Vec<u8>,
    scheme: SignatureScheme,
}

fn failed(uri: &TokenUri, what: &str, error: &Error) -> Problem {
    Problem::other(what).on(uri.module.display()).because(error)
}

fn module(path: &Path) -> Result<Pkcs11, Problem> {
    let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    let modules = modules.get_or_insert_with(HashMap::new);
    if let Some(known) = modules.get(path) {
        return Ok(known.clone());
    }
    let unusable = |error: Error| {
        let problem = Problem::other("cannot load the PKCS#11 module").on(path.display()).because(&error);
        match error {
            Error::LibraryLoading(_) => problem.help(
                "a `kukla` that is linked statically cannot load modules; build one for a dynamic target with `--features pkcs11`",
            ),
            _ => problem,
        }
    };
    let module = Pkcs11::new(path).map_err(unusable)?;
    match module.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)) {
        Ok(()) | Err(Error::Pkcs11(RvError::CryptokiAlreadyInitialized, _)) => {}
        Err(error) => return Err(unusable(error)),
    }
    modules.insert(path.to_owned(), module.clone());
    Ok(module)
}

/// A session with the token of a URI, logged in if the URI has a PIN.
fn open(uri: &TokenUri) -> Result<Session, Problem> {
    let module = module(&uri.module)?;
    let wrong = |error: Error| failed(uri, "cannot use the token", &error);
    let mut found = None;
    for slot in module.get_slots_with_token().map_err(wrong)? {
        let about = module.get_token_info(slot).map_err(wrong)?;
        let fits = uri.token.as_deref().is_none_or(|label| about.label().trim_end() == label)
            && uri.serial.as_deref().is_none_or(|serial| about.serial_number().trim_end() == serial);
        if fits && found.replace(slot).is_some() {
            return Err(Problem::new(ProblemKind::Conflict, "several tokens fit")
                .help("name one with `token=LABEL` or `serial=NUMBER` in the URI"));
        }
    }
    let slot = found.ok_or_else(|| {
        let label = uri.token.as_deref().unwrap_or_default();
        Problem::not_found("token not found").on(format_args!("'{label}'"))
    })?;
    let session = module.open_rw_session(slot).map_err(wrong)?;
    if let Some(pin) = uri.pin()? {
        match session.login(UserType::User, Some(&AuthPin::new(pin.into()))) {
            Ok(()) | Err(Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => {}
            Err(error) => return Err(failed(uri, "cannot log in to the token", &error)),
        }
    }
    Ok(session)
}

fn template(uri: &TokenUri, class: ObjectClass) -> Vec<Attribute> {
    let mut template = vec![Attribute::Class(class)];
    template.extend(uri.object.as_ref().map(|label| Attribute::Label(label.clone().into_bytes())));
    template.extend(uri.id.clone().map(Attribute::Id));
    template
}

fn find(session: &Session, uri: &TokenUri, class: ObjectClass) -> Result<Option<ObjectHandle>, Problem> {
    let found = session.find_objects(&template(uri, class));
    let found = found.map_err(|error| failed(uri, "cannot search the token", &error))?;
    match found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => Err(Problem::new(ProblemKind::Conflict, "several keys of the token fit")
            .help("name one with `object=LABEL` and `id=…` in the URI")),
    }
}

impl TokenKey {
    /// The key that a URI names.
    pub fn find(uri: &TokenUri) -> Result<TokenKey, Problem> {
        let session = open(uri)?;
        let handle = find(&session, uri, ObjectClass::PRIVATE_KEY)?
            .ok_or_else(|| Problem::not_found("no such private key in the token").on(name_of(uri)))?;
        let public = find(&session, uri, ObjectClass::PUBLIC_KEY)?
            .ok_or_else(|| Problem::not_found("no such public key in the token").on(name_of(uri)))?;
        let (public, scheme) = public_key(&session, uri, public)?;
        Ok(TokenKey { session: Arc::new(Mutex::new(session)), handle, public, scheme })
    }

    /// The key that a URI names, which is generated in the token if it is not there.
    pub fn find_or_generate(uri: &TokenUri, kind: KeyKind) -> Result<TokenKey, Problem> {
        let session = open(uri)?;
        if find(&session, uri, ObjectClass::PRIVATE_KEY)?.is_none() {
            generate(&session, uri, kind)?;
        }
        drop(session);
        TokenKey::find(uri)
    }
}

fn name_of(uri: &TokenUri) -> String {
    format!("'{}'", uri.object.as_deref().unwrap_or_default())
}

fn generate(session: &Session, uri: &TokenUri, kind: KeyKind) -> Result<(), Problem> {
    let mut public = template(uri, ObjectClass::PUBLIC_KEY);
    let mut private = template(uri, ObjectClass::PRIVATE_KEY);
    public.extend([Attribute::Token(true), Attribute::Private(false), Attribute::Verify(true)]);
    private.extend([
        Attribute::Token(true),
        Attribute::Private(true),
        Attribute::Sign(true),
        Attribute::Sensitive(true),
        Attribute::Extractable(false),
    ]);
    let mechanism = match kind {
        KeyKind::Ec => {
            public.push(Attribute::EcParams(P256.to_der().map_err(unencodable)?));
            Mechanism::EccKeyPairGen
        }
        KeyKind::Rsa(bits) => {
            public.push(Attribute::ModulusBits((bits as u64).into()));
            public.push(Attribute::PublicExponent(vec![1, 0, 1]));
            Mechanism::RsaPkcsKeyPairGen
        }
    };
    session
        .generate_key_pair(&mechanism, &public, &private)
        .map(drop)
        .map_err(|error| failed(uri, "cannot generate a key in the token", &error))
}

/// The public key, in DER, and the scheme with which its private half signs.
fn public_key(
    session: &Session,
    uri: &TokenUri,
    handle: ObjectHandle,
) -> Result<(Vec<u8>, SignatureScheme), Problem> {
    let unsupported = || {
        Problem::invalid("unsupported kind of key in the token")
            .help("RSA with 2048 to 4096 bits, P-256 and P-384 are supported")
    };
    let attributes = |wanted: &[AttributeType]| {
        session
            .get_attributes(handle, wanted)
            .map_err(|error| failed(uri, "cannot read the public key in the token", &error))
    };
    match attributes(&[AttributeType::KeyType])?.first() {
        Some(Attribute::KeyType(KeyType::EC)) => {
            let (mut parameters, mut point) = (Vec::new(), Vec::new());
            for attribute in attributes(&[AttributeType::EcParams, AttributeType::EcPoint])? {
                match attribute {
                    Attribute::EcParams(bytes) => parameters = bytes,
                    Attribute::EcPoint(bytes) => point = bytes,
                    _ => {}
                }
            }
            let curve = ObjectIdentifier::from_der(&parameters).map_err(|_| unsupported())?;
            let scheme = match curve {
                P256 => SignatureScheme::ECDSA_NISTP256_SHA256,
                P384 => SignatureScheme::ECDSA_NISTP384_SHA384,
                _ => return Err(unsupported()),
            };
            // The point is in an octet string; some tokens give it as it is.
            let point = OctetStringRef::from_der(&point).map_or(&point[..], |inner| inner.as_bytes());
            let info = SubjectPublicKeyInfoOwned {
                algorithm: AlgorithmIdentifierOwned {
                    oid: EC_PUBLIC_KEY,
                    parameters: Some(Any::from_der(&parameters).map_err(unencodable)?),
                },
                subject_public_key: BitString::from_bytes(point).map_err(unencodable)?,
            };
            Ok((info.to_der().map_err(unencodable)?, scheme))
        }
        Some(Attribute::KeyType(KeyType::RSA)) => {
            let (mut modulus, mut exponent) = (Vec::new(), Vec::new());
            for attribute in attributes(&[AttributeType::Modulus, AttributeType::PublicExponent])? {
                match attribute {
                    Attribute::Modulus(bytes) => modulus = bytes,
                    Attribute::PublicExponent(bytes) => exponent = bytes,
                    _ => {}
                }
            }
            let number = rsa::BigUint::from_bytes_be;
            let key =
                rsa::RsaPublicKey::new(number(&modulus), number(&exponent)).map_err(|_| unsupported())?;
            let der = key.to_public_key_der().map_err(|_| unsupported())?;
            Ok((der.as_bytes().to_vec(), SignatureScheme::RSA_PKCS1_SHA256))
        }
        _ => Err(unsupported()),
    }
}

impl SigningKey for TokenKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        offered.contains(&self.scheme).then(|| {
            let session = Arc::clone(&self.session);
            Box::new(TokenSigner { session, handle: self.handle, scheme: self.scheme }) as Box<dyn Signer>
        })
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        Some(SubjectPublicKeyInfoDer::from(&self.public[..]))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        match self.scheme {
            SignatureScheme::RSA_PKCS1_SHA256 => SignatureAlgorithm::RSA,
            _ => SignatureAlgorithm::ECDSA,
        }
    }
}

#[derive(Debug)]
struct TokenSigner {
    session: Arc<Mutex<Session>>,
    handle: ObjectHandle,
    scheme: SignatureScheme,
}

impl Signer for TokenSigner {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rustls::Error> {
        let failed = |error: &dyn std::fmt::Display| rustls::Error::General(format!("the token: {error}"));
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let sign = |mechanism: &Mechanism<'_>, data: &[u8]| {
            session.sign(mechanism, self.handle, data).map_err(|error| failed(&error))
        };
        let numbers = match self.scheme {
            SignatureScheme::RSA_PKCS1_SHA256 => return sign(&Mechanism::Sha256RsaPkcs, message),
            SignatureScheme::ECDSA_NISTP384_SHA384 => sign(&Mechanism::Ecdsa, &Sha384::digest(message))?,
            _ => sign(&Mechanism::Ecdsa, &Sha256::digest(message))?,
        };
        // A token gives two numbers of equal length; certificates have a sequence of them.
        let (r, s) = numbers.split_at(numbers.len() / 2);
        let encoded = || EcdsaSignature { r: UintRef::new(r)?, s: UintRef::new(s)? }.to_der();
        encoded().map_err(|error| failed(&error))
    }

    fn scheme(&self) -> SignatureScheme {
        self.scheme
    }
}

#[derive(Sequence)]
struct EcdsaSignature<'n> {
    r: UintRef<'n>,
    s: UintRef<'n>,
}
