internal import Commands
internal import CredentialCore
internal import Cryptography
internal import Helper
internal import LibsecretKeyring
internal import OAuth
internal import System

// What the operating system offers fits the helper's protocols as it is.
extension SystemClock: Clock {}
extension SignalWatch: SignalShield {}
extension LibsecretKeyring: KeyringUnlocking {}
extension GitConfigurationFiles: ConfigurationFiles {}
extension PlainFiles: ForeignFiles {}
extension SignInNotesFiles: SignInNotes {}

// And what libcrypto offers fits OAuth's.
extension LibcryptoVerifier: SignatureVerifier {}
extension PrivateKey: AssertionSigner {}
