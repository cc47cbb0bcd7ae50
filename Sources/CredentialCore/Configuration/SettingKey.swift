/// The settings of this program in git's configuration, `credential.<url>.KEY`, spelt as in gitspace-config(5).
///
/// Reading, checking, naming and removing settings all use this table.
package enum SettingKey: String, CaseIterable {
    case provider
    case oauthClientId
    case oauthIssuer
    case oauthScopes
    case oauthAuthURL
    case oauthTokenURL
    case oauthDeviceAuthURL
    case oauthRedirectURL
    case oauthPrompt
    case oauthClientSecret
    case oauthClientKey
    case oauthClientKeyId
    case oauthAssertionAudience
    case githubAppId
    case githubAppKey
    case githubAppScope
    case gitspaceAuthType
    case gitspaceFlow
    case gitspaceShortLived
    case gitspaceStore
    case gitspaceCollection
    case gitspaceBrowser
    case gitspaceAccessible

    package enum Kind: Equatable {
        case text
        /// A text that is never shown.
        case secret
        /// A file, or the name of a systemd credential.
        case path
        /// An HTTPS address, or a path on the host itself.
        case endpoint
        case boolean
        /// One of several words, compared without case; the default comes first, if there is one.
        case word([String])
    }

    private var row: (kind: Kind, isForHost: Bool, restricts: Bool) {
        switch self {
        case .provider: (.word(ProviderID.allCases.map(\.rawValue) + ["none"]), true, false)
        case .oauthIssuer, .oauthRedirectURL, .oauthPrompt, .oauthClientKeyId, .githubAppId: (.text, true, false)
        case .oauthScopes, .oauthClientId, .gitspaceCollection, .gitspaceBrowser: (.text, false, false)
        case .oauthAuthURL, .oauthTokenURL, .oauthDeviceAuthURL: (.endpoint, true, false)
        case .oauthClientSecret: (.secret, true, false)
        case .oauthClientKey, .githubAppKey: (.path, true, false)
        case .gitspaceAuthType: (.word(["basic", "bearer"]), true, false)
        case .oauthAssertionAudience: (.word(["issuer", "endpoint"]), true, false)
        case .githubAppScope: (.word(["installation", "repository"]), true, true)
        case .gitspaceFlow: (.word(["auto", "browser", "device", "none"]), false, true)
        case .gitspaceStore: (.word(["auto", "secretservice", "cache"]), false, true)
        case .gitspaceShortLived, .gitspaceAccessible: (.boolean, false, false)
        }
    }

    package var kind: Kind { row.kind }
    /// Whether the key counts only under a URL with a concrete host (`hostValue`).
    package var isForHost: Bool { row.isForHost }
    /// Whether the key forbids something, so that an unknown value is an error.
    package var restricts: Bool { row.restricts }
    package var lowercased: String { rawValue.lowercased() }

    /// The possible values, or `nil` if they cannot be listed.
    package var values: [String]? {
        switch kind {
        case .word(let words): words
        case .boolean: ["true", "false"]
        case .text, .secret, .path, .endpoint: nil
        }
    }

    /// Whether a value is valid; an empty one counts as not set.
    package func accepts(_ value: String) -> Bool {
        guard !value.isEmpty else { return true }
        return switch kind {
        case .word(let words): words.contains(value.lowercased())
        case .boolean: ["true", "yes", "on", "1"].contains(value.lowercased()) || Interactivity.isFalse(value)
        case .endpoint: value.hasPrefix("/") || HTTPSAddress(parsing: value) != nil
        case .text, .secret, .path: true
        }
    }

    package var name: DisplayText { "credential.\(DisplayText(trusted: rawValue))" }

    package func name(on host: DisplayText) -> DisplayText {
        "credential.https://\(host).\(DisplayText(trusted: rawValue))"
    }
}

extension Configuration {
    /// An empty value counts as set.
    package subscript(_ key: SettingKey) -> String? {
        key.isForHost ? hostValue("credential", key.rawValue) : value("credential", key.rawValue)
    }

    package func isOn(_ key: SettingKey) -> Bool { self[key].map { !Interactivity.isFalse($0) } ?? false }

    /// The word of a setting in lower case, or `nil` if it is not set.
    ///
    /// - Throws: `.unknownValue` for a restricting setting with an unknown word.
    package func word(_ key: SettingKey) throws(ConfigurationError) -> String? {
        guard let value = self[key], !value.isEmpty else { return nil }
        guard key.accepts(value) || !key.restricts else { throw .unknownValue(key, value) }
        return value.lowercased()
    }
}
