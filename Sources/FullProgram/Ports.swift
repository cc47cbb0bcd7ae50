internal import Helper
internal import LibsecretKeyring
internal import Machine

// What the operating system offers fits the story's ports as it is.
extension SystemClock: Clock {}
extension SignalWatch: SignalShield {}
extension LibsecretKeyring: KeyringInspection {}
