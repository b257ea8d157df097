//! Passwords, certificates and keys.

kukla_syntax::codes! {
    pub SECRETS;

    /// `pw_hash` knows `md5`, `sha-256`, `sha-512`, `bcrypt`, `bcrypt-a`, `bcrypt-x` and `bcrypt-y`.
    ///
    /// ```puppet
    /// pw_hash('password', 'rot13', 'salt')    # error
    /// ```
    UNKNOWN_HASH_TYPE as RUNTIME_ERROR: Error, "pw_hash(): {kind} is not a valid hash type";

    /// A password is hashed with a salt, so that equal passwords have different hashes.
    ///
    /// ```puppet
    /// pw_hash('password', 'sha-512', '')    # error
    /// ```
    EMPTY_SALT as RUNTIME_ERROR: Error, "pw_hash(): third argument must not be empty";

    /// A salt is made of letters, digits, `.` and `/`.
    ///
    /// ```puppet
    /// pw_hash('password', 'sha-512', 'sea salt')    # error
    /// ```
    INVALID_SALT as RUNTIME_ERROR: Error, "pw_hash(): characters in salt must be in the set [a-zA-Z0-9./]";

    /// The salt of `bcrypt` is a cost of two digits, `$`, and 22 letters, digits, `.` or `/`.
    ///
    /// ```puppet
    /// pw_hash('password', 'bcrypt', 'salt')    # error
    /// ```
    INVALID_BCRYPT_SALT as RUNTIME_ERROR: Error, "pw_hash(): characters in salt must match (?-mix:^{cost}\\$[.\\/A-Za-z0-9]{22})";

    /// Each step of the cost of `bcrypt` doubles the time that it takes; beyond this one a compilation would wait for minutes.
    ///
    /// ```puppet
    /// pw_hash('password', 'bcrypt', '31$abcdefghijklmnopqrstuv')    # error
    /// ```
    COST_TOO_HIGH as RUNTIME_ERROR: Error, "pw_hash(): a cost of more than {limit} takes too long to compute";

    /// The password cannot be hashed with this salt, though nothing about it looks wrong: the cost of `bcrypt` is 4 or more.
    ///
    /// `modules/stdlib/metadata.json`:
    ///
    /// ```json
    /// {"name": "puppetlabs-stdlib", "version": "8.5.0"}
    /// ```
    ///
    /// ```puppet
    /// pw_hash('password', 'bcrypt', '02$abcdefghijklmnopqrstuv')    # error
    /// ```
    NOT_HASHED as RUNTIME_ERROR: Error, "Invalid argument - crypt";

    /// The salt of `str2saltedpbkdf2` has eight bytes or more.
    ///
    /// ```puppet
    /// str2saltedpbkdf2('password', 'salt', 50000)    # error
    /// ```
    SALT_TOO_SHORT as RUNTIME_ERROR: Error, "str2saltedpbkdf2(): second argument must be at least 8 bytes long";

    /// `str2saltedpbkdf2` hashes a password more than 40,000 and fewer than 70,000 times.
    ///
    /// ```puppet
    /// str2saltedpbkdf2('password', 'salt and pepper', 1000)    # error
    /// ```
    ITERATIONS_OUT_OF_RANGE as RUNTIME_ERROR: Error, "str2saltedpbkdf2(): third argument must be between 40,000 and 70,000";

    /// A text holds no certificate in the PEM format: `-----BEGIN CERTIFICATE-----`.
    ///
    /// ```puppet
    /// validate_x509_rsa_key_pair('certificate', 'key')    # error
    /// ```
    INVALID_CERTIFICATE as RUNTIME_ERROR: Error, "Not a valid x509 certificate: PEM_read_bio_X509{reason}";

    /// A text holds no RSA key in the PEM format, or one that needs a password to be read.
    INVALID_RSA_KEY as RUNTIME_ERROR: Error, "Not a valid RSA key: {reason}";

    /// The certificate was not signed with the key.
    KEY_OF_OTHER_CERTIFICATE as RUNTIME_ERROR: Error, "Certificate signature does not match supplied key";

    /// The certificate was signed with a key of another kind than RSA.
    NOT_SIGNED_BY_RSA as RUNTIME_ERROR: Error, "wrong public key type";
}
