internal import CredentialCore
internal import Cryptography
internal import Helper
internal import LibsecretKeyring
internal import OAuth
internal import System
internal import Verbs

// The types for the operating system conform to the helper's protocols as they are.
extension SystemClock: Clock {}
extension SignalWatch: SignalShield {}
extension LibsecretKeyring: KeyringUnlocking {}
extension GitConfigurationFiles: ConfigurationFiles {}
extension PlainFiles: ForeignFiles {}
extension SignInNotesFiles: SignInNotes {}

// And the types for libcrypto conform to OAuth's.
extension LibcryptoVerifier: SignatureVerifier {}
extension PrivateKey: AssertionSigner {}
