package import CredentialCore
package import Helper

/// The plan of a share, which never changes after its start.
///
/// Only the person decides it, on the command line or in their own configuration.
package struct SharePlan: Equatable {
    /// The name of the share's directory, too.
    package let name: ShareName
    package let kind: Kind
    /// The only hosts whose credentials the place may have.
    package internal(set) var hosts: [Host]
    /// The choice of questions, or `nil` for the default of the kind.
    private let chosenConfirmation: Confirmation?
    package let access: Access
    /// Whether the person has named the hosts, instead of sharing every host with a sign-in.
    package let hasChosenHosts: Bool
    /// The options for account and time, each after a blank.
    private let manner: DisplayText
    /// git's configuration for the transport to the hosts, as it was when the share began.
    package let configuration: [ConfigurationEntry]
    /// The end, or `nil` if the share runs until it is stopped.
    package let end: End?
    /// Milliseconds without a request after which systemd listens again; `nil` if systemd did not make the socket.
    package let idle: Int64?

    package struct End: Equatable, Sendable {
        /// Seconds since 1970.
        package let time: Int64
        /// Milliseconds of uptime.
        package let uptime: Int64
    }

    /// The way in which the place reaches the socket; decides the default of `confirmation`.
    package enum Kind: Equatable, Sendable {
        /// The person has mounted it.
        case directory
        /// ssh forwards the socket there.
        case ssh(destination: String)
    }

    package enum Access: Equatable, Sendable {
        /// Requests of git pass through us, and we keep the token.
        case gateway(GatewayPolicy)
        /// `isLongLived`: also tokens and passwords that do not expire.
        case token(isLongLived: Bool)

        package var gateway: GatewayPolicy? {
            guard case .gateway(let policy) = self else { return nil }
            return policy
        }
    }

    package enum Confirmation: String, CaseIterable, Sendable {
        /// A person who mounts a directory has decided already.
        case never
        /// Asked once, then again after eight hours or a screen lock.
        case once
        case each
    }

    /// A host, with the only account that the place may have there.
    package struct Host: Equatable {
        /// The name, compared bytewise with the one in a request.
        package let name: [UInt8]
        /// The account, or `nil` for git's default.
        package internal(set) var username: [UInt8]?

        package init(_ name: HostName, username: [UInt8]?) {
            // The name that git sends for the usual URL; other spellings are not this host.
            self.name = name.canonicalForHTTPS.text
            self.username = username
        }

        /// The request to look up: only the host of a place's own request is used.
        var request: Request {
            get throws(RequestError) {
                let account: [UInt8] = username.map { Array("username=".utf8) + $0 + [0x0a] } ?? []
                return try Request(parsing: Secret(Array("protocol=https\nhost=".utf8) + name + [0x0a] + account))
            }
        }
    }

    package init(
        name: ShareName, kind: Kind, hosts: [Host], access: Access, confirmation: Confirmation? = nil,
        hasChosenHosts: Bool = false, manner: DisplayText = "", configuration: [ConfigurationEntry] = [],
        end: End? = nil, idle: Int64? = nil
    ) {
        self.name = name
        self.kind = kind
        self.hosts = hosts
        chosenConfirmation = confirmation
        self.access = access
        self.hasChosenHosts = hasChosenHosts
        self.manner = manner
        self.configuration = configuration.filter { $0.section == "http" && Self.transportKeys.contains($0.key) }
        self.end = end
        self.idle = idle
    }

    package var confirmation: Confirmation { chosenConfirmation ?? (kind == .directory ? .never : .once) }

    /// The keys that `TransportConfiguration` reads.
    private static let transportKeys = [
        "proxy", "sslcainfo", "sslcapath", "sslcert", "sslcerttype", "sslkey", "sslkeytype", "sslcertpasswordprotected",
    ]

    func host(named name: [UInt8]) -> Host? { hosts.first { $0.name == name } }

    /// Begins the record of the share, and returns its session.
    package func session(in place: any SharePlace, _ sharing: ShareDependencies) -> any ShareSession {
        let journal = ShareJournal(of: self, in: place, clock: sharing.clock, say: sharing.say)
        let credentials = ShareCredentials(
            for: self, screen: sharing.screen, clock: sharing.clock, openedBefore: journal.record.opened.map(\.time),
            words: sharing.words, dependencies: sharing.dependencies, tell: journal.note)
        return switch access {
        case .gateway(let policy): GatewaySession(under: policy, credentials)
        case .token: TokenSession(credentials)
        }
    }

    /// The command for this share, or for one with another choice of questions.
    func command(confirming confirmation: Confirmation? = nil) -> DisplayText {
        let form: DisplayText =
            switch kind {
            case .directory: "share \(word: name.text)"
            case .ssh(let destination): "share ssh \(word: destination)"
            }
        return "git credential-gitspace \(form)\(options(confirming: confirmation))"
    }

    /// The options of the command, each after a blank.
    func options(confirming confirmation: Confirmation? = nil) -> DisplayText {
        let choice = (confirmation ?? chosenConfirmation).map {
            " --confirm \(DisplayText(trusted: $0.rawValue))" as DisplayText
        }
        let chosen =
            hasChosenHosts ? hosts.map { " --host \(word: DisplayText(untrusted: $0.name))" as DisplayText } : []
        let limiting: DisplayText =
            switch access {
            case .gateway(let policy): "\(chosen.joined(separator: ""))\(policy.options)"
            case .token(let isLongLived): " --token\(isLongLived ? " --long-lived" : "")\(chosen.joined(separator: ""))"
            }
        return "\(limiting)\(manner)\(choice ?? "")"
    }
}

extension GatewayPolicy {
    fileprivate var options: DisplayText {
        var options: [DisplayText] = (repositories ?? []).map {
            " --repository \(word: $0.displayHost.text == "github.com" ? DisplayText(trusted: $0.path) : $0.url)"
        }
        if isReadOnly { return (options + [" --read-only"]).joined(separator: "") }
        options += branches.map { " --branch \(word: $0.displayName)" }
        if opensPullRequests { options.append(" --pull-requests") }
        return options.joined(separator: "")
    }
}

/// The name of a share, fit for a directory, a unit of systemd and a section of git's configuration.
package struct ShareName: Hashable, Sendable {
    package let text: String

    /// Returns `nil` unless a text is a name: up to 32 letters, digits, `.`, `_` and `-`, beginning with a letter or
    /// digit.
    ///
    /// The limit makes room for the socket's path in the 108 bytes of unix(7).
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.longest).contains(bytes.count), let first = bytes.first, ASCII.isLetterOrDigit(first),
            bytes.allSatisfy({ ASCII.isLetterOrDigit($0) || [0x2e, 0x5f, 0x2d].contains($0) }),
            !Self.reserved.contains(text)
        else { return nil }
        self.text = text
    }

    package var displayName: DisplayText { DisplayText(trusted: text) }

    /// The name for an SSH host: `ssh-`, and the end of its name with `-` for other characters.
    package init(forDestination destination: String) {
        let fit = destination.utf8.map { ASCII.isLetterOrDigit($0) || $0 == 0x2e ? $0 : 0x2d }
        text = "ssh-" + String(decoding: fit.suffix(Self.longest - 4), as: UTF8.self)
    }

    /// The reserved word that a person may have meant, or `nil` if none is close.
    var mistyped: DisplayText? { EditDistance.nearest(to: text, of: Self.reserved).map { DisplayText(trusted: $0) } }

    private static let longest = 32
    private static let reserved = ["list", "stop", "ssh"]

    package init(typed text: String) throws(UserFacingError) {
        guard let name = ShareName(text) else {
            throw UserFacingError(
                .share, Message("\"%1$s\" cannot be the name of a shared place", DisplayText(untrusted: text.utf8)),
                Message("use up to 32 letters, digits, . _ -; list, stop and ssh are reserved:"),
                .command("git credential-gitspace share box"))
        }
        self = name
    }
}
