internal import CredentialCore

/// The answer of the machine with the keyring, limited to what it may contain: one credential, or `quit=1`.
///
/// Anything else in it is not passed on to git: it could end another helper's answer, or put a refresh token where it
/// does not belong.
enum ShareAnswer {
    case credential(Answer.Credential)
    case quit
    case nothing

    /// Reads a complete answer.
    ///
    /// - Parameters:
    ///   - bytes: everything that was received.
    ///   - username: the account that was asked for; nil for any.
    ///   - now: seconds since 1970.
    /// - Throws: `.unexpected`, `.expired`.
    init(parsing bytes: [UInt8], askedAs username: [UInt8]?, at now: Int64) throws(ShareFailure) {
        var (name, password, expiry, isQuit): ([UInt8]?, Secret?, Int64?, Bool) = (nil, nil, nil, false)
        do throws(RequestError) {
            var lines = try RequestLines(bytes)
            while let (key, value) = try lines.next() {
                switch Attribute(key: key) {
                case .username where name == nil: name = Array(value)
                case .password where password == nil: password = Secret(value)
                case .passwordExpiryUTC where expiry == nil: expiry = DecimalNumber.parse(value) ?? 0
                case .quit: isQuit = isQuit || value.first != UInt8(ascii: "0")
                // A key that appears twice makes the answer invalid.
                case .username, .password, .passwordExpiryUTC: throw .malformedLine
                default: break
                }
            }
        } catch {
            throw .unexpected
        }
        if isQuit {
            self = .quit
            return
        }
        guard name != nil || password != nil || expiry != nil else {
            self = .nothing
            return
        }
        guard let name, let password, !password.isEmpty, username == nil || username == name, !Self.hasControls(name),
            !password.reveal(Self.hasControls)
        else { throw .unexpected }
        if let expiry, expiry <= now { throw .expired }
        self = .credential(Answer.Credential(username: name, password: password, passwordExpiryUTC: expiry))
    }

    private static func hasControls(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.contains { $0 < 0x20 || $0 == 0x7f }
    }
}
