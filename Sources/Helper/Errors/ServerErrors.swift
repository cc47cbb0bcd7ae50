package import CredentialCore
package import Providers

extension TransportError {
    package func words(host: DisplayText) -> UserFacingError {
        switch self {
        case .unreachable: failed(Message("cannot reach %1$s", host), Self.later)
        case .timedOut: failed(Message("%1$s did not answer in time", host), Self.later)
        case .proxy(let setting):
            failed(
                Message("cannot reach %1$s through the proxy", host),
                Message("the proxy is set by %1$s; to see it:", setting), Self.showing(setting))
        case .proxySignIn(let setting, let login?, let wasSent):
            failed(
                wasSent
                    ? Message("cannot reach %1$s: the proxy does not accept the stored password", host)
                    : Message("cannot reach %1$s: the proxy wants a password, and none is stored", host),
                wasSent
                    ? Message("the proxy is set by %1$s; to replace its password:", setting)
                    : Message("the proxy is set by %1$s; to store its password:", setting),
                Self.storing(again: wasSent, "printf 'url=%s\\n' \(word: login)"))
        case .proxySignIn(let setting, nil, _):
            failed(
                Message("cannot reach %1$s: the proxy wants a user name and a password", host),
                Message("the proxy is set by %1$s, in which http://USER@PROXY names the user; to see it:", setting),
                Self.showing(setting))
        case .untrustedBy(let setting):
            failed(
                Message("the certificate of %1$s is not trusted", host),
                Message("the certificates to trust are set by %1$s; to see it:", setting), Self.showing(setting))
        case .clientCertificate(.wanted), .clientCertificate(.perhapsWanted):
            failed(
                self == .clientCertificate(.wanted)
                    ? Message("%1$s wants a client certificate", host)
                    : Message("%1$s ended the TLS handshake, perhaps because it wants a client certificate", host),
                Message("to show yours, and its key if that is another file:"),
                .command(
                    [Self.setting("sslCert", "certificate", on: host), Self.setting("sslKey", "key", on: host)]
                        .joined(separator: " && ")))
        case .clientCertificate(.refused(let setting)):
            failed(
                Message("%1$s does not accept the client certificate", host),
                Message("the certificate is set by %1$s; to see it:", setting), Self.showing(setting))
        case .clientCertificate(.unusable(let setting, let protected)):
            failed(
                Message("cannot reach %1$s: the client certificate, its key or its password cannot be used", host),
                protected == nil
                    ? Message("the certificate is set by %1$s; if its key has a password:", setting)
                    : Message("the certificate is set by %1$s; to store its password:", setting),
                protected.map {
                    Self.storing(again: true, "printf 'protocol=cert\\nhost=\\nusername=\\npath=%s\\n' \(word: $0)")
                } ?? .command("git config --global http.sslCertPasswordProtected true"))
        case .outsideValidity(let isExpired):
            failed(
                isExpired
                    ? Message("the certificate of %1$s has expired, or this machine's clock is wrong", host)
                    : Message("the certificate of %1$s is not valid yet, so this machine's clock is wrong", host),
                Message("check this machine's clock:"), .command("timedatectl"))
        case .untrusted:
            failed(
                Message("the certificate of %1$s is not trusted", host),
                Message("if the server or your network has a certificate authority of its own, add its certificate:"),
                .command("git config --global http.sslCAInfo /path/to/certificate.pem"))
        case .tooLarge, .malformed: failed(Message("%1$s sent an unexpected response", host))
        case .interrupted: UserFacingError(.interrupted, Message("interrupted while waiting for %1$s", host))
        case .misconfigured(let reason):
            failed(Message("cannot reach %1$s: %2$s", host, reason.what)).with(reason.hints)
        }
    }

    private static func setting(_ key: DisplayText, _ file: DisplayText, on host: DisplayText) -> DisplayText {
        // An issuer is named by its whole URL.
        let origin = HTTPSAddress(parsing: host.text).map { DisplayText(trusted: $0.origin) } ?? "https://\(host)"
        return "git config --global \(word: "http.\(origin)/.\(key)" as DisplayText) /path/to/\(file).pem"
    }

    /// Returns the command by which git asks for the password at the terminal and gitspace stores it.
    ///
    /// `again` first removes the stored one. git may have no helper for the proxy, so the command names gitspace.
    private static func storing(again: Bool, _ request: DisplayText) -> Message {
        let git: DisplayText = "git -c credential.helper=gitspace credential"
        let storing: DisplayText = "\(request) | \(git) fill | \(git) approve"
        return .command(again ? "\(request) | \(git) reject && \(storing)" : storing)
    }

    /// A variable has no dot; a key of git's configuration always has one.
    private static func showing(_ setting: DisplayText) -> Message {
        setting.text.utf8.contains(UInt8(ascii: "."))
            ? .command("git config --show-origin --get-all \(word: setting)")
            : .command("printenv \(word: setting)")
    }

    private static let later = Message("try again when the network is back")
}

extension Misconfiguration {
    /// The hints to find the source of a setting that names a file.
    fileprivate var hints: [Message] {
        let see = Message.command("git config --show-origin --get-regexp '^http\\..*ssl'; printenv | grep SSL")
        return switch self {
        case .unreadable: [Message("put the file there, or correct the setting that names it; to see it:"), see]
        case .relativePath: [Message("correct the setting that names it; to see it:"), see]
        case .certificates(_?): [Message("replace that file, or correct the setting that names it; to see it:"), see]
        default: []
        }
    }

    package var what: Message {
        switch self {
        case .relativePath(let place, let path):
            Message("the %1$s '%2$s' is not an absolute path", place.name, DisplayText(trusted: path))
        case .unreadable(let place, let path):
            Message("the %1$s '%2$s' cannot be read", place.name, DisplayText(trusted: path))
        case .certificates(let path?): Message("the certificates in %1$s cannot be used", DisplayText(trusted: path))
        case .certificates(nil): Message("the system's certificates cannot be used")
        case .proxyScheme(let proxy): Message("the proxy %1$s has a scheme that is not supported", proxy)
        case .address(let address): Message("the address %1$s cannot be used", address)
        case .credential: Message("the credential contains a byte that is not allowed in an HTTP header")
        case .signature: Message("the client's private key could not sign")
        case .memory: Message("out of memory")
        case .libraryStart: Message("libcurl could not be initialized")
        case .libraryOption(let code): Message("this libcurl does not accept a required option (code %1$s)", code)
        case .libraryFeature(let code): Message("this libcurl lacks a required feature (code %1$s)", code)
        }
    }
}

extension Misconfiguration.Setting {
    fileprivate var name: Message {
        switch self {
        case .certificateFile: Message("certificate file")
        case .certificateDirectory: Message("certificate directory")
        case .clientCertificate: Message("client certificate")
        case .clientKey: Message("key of the client certificate")
        }
    }
}

extension UserFacingError {
    package static func offline(host: DisplayText, _ error: TransportError) -> UserFacingError {
        error.words(host: host).within(.server) { Message("%1$s; the stored token was kept", $0) }
    }

    package static func serverInTrouble(
        host: DisplayText, _ reason: OAuthFailure.Reason = .unavailable, status: Int
    ) -> UserFacingError {
        let what: Message =
            switch (reason, status) {
            case (.malformed, _): Message("unexpected response, status %1$s", status)
            case (_, 429), (_, 500...): Message("server error, status %1$s", status)
            case (_, 403): Message("request denied, status %1$s", status)
            default: Message("a web page instead of a response, status %1$s", status)
            }
        return UserFacingError(
            .server, Message("%1$s could not refresh the token (%2$s); the stored token was kept", host, what),
            Message("try again in a few minutes"))
    }

    /// `mayBeAnother` adds hints to set another issuer.
    package static func discovery(
        _ error: DiscoveryError, issuer: DisplayText, host: DisplayText, mayBeAnother: Bool = true
    ) -> UserFacingError {
        let setting = Message.setting(.oauthIssuer, of: host, to: "<https URL>")
        let other = mayBeAnother ? [Message("if another server issues the tokens, set its URL:"), setting] : []
        let same = mayBeAnother ? [Message("if that is the right issuer, set exactly that URL:"), setting] : []
        return switch error {
        case .malformedIssuer(let text):
            undiscovered(
                Message("oauthIssuer must be an https URL without a query or fragment: %1$s", text),
                Message("set its URL:"), setting)
        case .tenantNeeded(let server):
            undiscovered(
                Message("oauthIssuer must name your tenant, not all of them: %1$s", issuer),
                Message("name your tenant:"),
                .setting(.oauthIssuer, of: host, to: "https://\(server)/TENANT/v2.0"))
        case .transport(let error): error.words(host: issuer)
        case .unavailable(let status):
            undiscovered(
                Message("%1$s returned a server error (status %2$s)", issuer, status),
                Message("try again in a few minutes"))
        case .absent:
            undiscovered(Message("%1$s does not publish its sign-in endpoints (OpenID or OAuth discovery)", issuer))
                .with(other)
        case .blocked(let status, let isPage):
            undiscovered(
                isPage
                    ? Message("%1$s sent a web page instead of its sign-in endpoints (status %2$s)", issuer, status)
                    : Message("%1$s does not let gitspace read its sign-in endpoints (status %2$s)", issuer, status)
            ).with(
                [
                    Message("if a bot filter or a login page protects the server, its administrator must exempt:"),
                    .command("\(issuer)\(issuer.text.hasSuffix("/") ? "" : "/").well-known/openid-configuration"),
                ] + other)
        case .wrongIssuer(let name):
            undiscovered(Message("%1$s identifies itself as another issuer: %2$s", issuer, name)).with(same)
        case .insecure(let member):
            undiscovered(Message("%1$s publishes an endpoint that is not an https URL (%2$s)", issuer, member.name))
        case .foreign(let member, let foreign):
            undiscovered(
                Message("%1$s publishes an endpoint on another host, %2$s (%3$s)", issuer, foreign, member.name),
                Message("if you trust that host with your tokens, set its endpoint:"),
                .setting(member.key, of: host, to: "<https URL>"))
        case .missing(.deviceAuthorization):
            undiscovered(
                Message(
                    "%1$s offers neither the device flow nor the code flow with PKCE, so gitspace cannot sign in there",
                    issuer))
        case .missing(let member):
            undiscovered(Message("%1$s does not publish this endpoint: %2$s", issuer, member.name))
        }
    }
}

extension DiscoveryError.Member {
    fileprivate var name: DisplayText { DisplayText(trusted: rawValue) }

    fileprivate var key: SettingKey {
        switch self {
        case .token: .oauthTokenURL
        case .authorization: .oauthAuthURL
        default: .oauthDeviceAuthURL
        }
    }
}

private func failed(_ text: Message, _ hints: Message...) -> UserFacingError { UserFacingError(.server, text, hints) }

private func undiscovered(_ text: Message, _ hints: Message...) -> UserFacingError {
    UserFacingError(.discovery, text, hints)
}
