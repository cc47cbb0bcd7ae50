internal import CredentialCore
internal import Helper

extension InstallationFailure {
    /// Why an app gets no token for a host.
    func words(host: DisplayText) -> ErrorText {
        switch self {
        case .incomplete, .unsupported, .key: settingsWords(host)
        case .rejected, .clock, .forbidden: refusalWords(host)
        case .notInstalled, .notInstalledAnywhere, .noOwner, .several, .repositoryUnknown, .suspended,
            .repositoryNotIncluded:
            installationWords(host)
        case .exhausted(let owner):
            ErrorText(
                Message("%1$s rejected two tokens in a row of the app's installation for %2$s", host, owner),
                [Message("see what is wrong; in a minute, git can try again:"), Self.doctor])
        case .transport(let error): error.words(host: host)
        case .unavailable(let status):
            ErrorText(
                Message("%1$s returned a server error (status %2$s)", host, status),
                [Message("try again in a few minutes")])
        case .malformed: ErrorText(Message("%1$s sent an unexpected response", host))
        }
    }

    private static let newKey = [Message("generate one on the app's settings page, under Private keys")]
    private static let doctor = Message.command("git credential-gitspace doctor")

    private func settingsWords(_ host: DisplayText) -> ErrorText {
        switch self {
        case .incomplete(let key):
            ErrorText(
                Message("signing in to %1$s as an app needs credential.githubAppId and credential.githubAppKey", host),
                [
                    Message("add the one that is missing:"),
                    .command("git config --global \(word: "credential.https://\(host).\(key)" as DisplayText) VALUE"),
                ])
        // GitHub only verifies RSA assertions.
        case .key(.unsupportedKind(let kind), let place):
            ErrorText(
                Message("the private key %1$s is not an RSA key (%2$s), which an app needs", place, kind), Self.newKey)
        case .key(.unsupportedSize(let bits), let place):
            ErrorText(SigningKeyError.unsupportedSize(bits: bits).words(place).what, Self.newKey)
        case .key(let error, let place): error.words(place)
        default: ErrorText(Message("gitspace cannot sign in to %1$s as an app: this is not a GitHub host", host))
        }
    }

    private func refusalWords(_ host: DisplayText) -> ErrorText {
        switch self {
        case .rejected(let id):
            ErrorText(
                Message("%1$s accepts neither the app ID %2$s nor its private key", host, id),
                [
                    Message("check both; the key must be one that the app's settings page still lists:"),
                    .command("git config --global --get-regexp 'credential\\..*githubapp'"),
                ])
        case .clock(let ahead):
            ErrorText(
                ahead > 0
                    ? Message("this machine's clock is %1$s seconds ahead of %2$s", ahead, host)
                    : Message("this machine's clock is %1$s seconds behind %2$s", -ahead, host),
                [
                    Message("synchronize it over the network:"),
                    .command("sudo timedatectl set-ntp true"),
                ])
        case .forbidden(let status):
            ErrorText(
                Message("%1$s does not allow the app to get a token (status %2$s)", host, status), [Self.doctor])
        default: ErrorText(Message("%1$s sent an unexpected response", host))
        }
    }

    private func installationWords(_ host: DisplayText) -> ErrorText {
        let paths = [
            Message("have git send the repository's path:"),
            .command("git config --global \(word: "credential.https://\(host).useHttpPath" as DisplayText) true"),
        ]
        return switch self {
        case .notInstalled(let owner, let page):
            ErrorText(
                Message("the app is not installed for %1$s on %2$s", owner, host),
                page.map { [Message("its owner can install it:"), .command("\($0)")] } ?? [])
        case .notInstalledAnywhere(let page):
            ErrorText(
                Message("the app is not installed for anybody on %1$s", host),
                page.map { [Message("its owner can install it:"), .command("\($0)")] } ?? [])
        case .several(let owners):
            ErrorText(
                Message("the app has several installations on %1$s (%2$s)", host, owners.joined(separator: ", ")),
                paths + [
                    Message("in a command, name the owner:"),
                    .command("git credential-gitspace login \(word: "https://\(host)/OWNER" as DisplayText)"),
                ])
        case .repositoryUnknown:
            ErrorText(Message("a token for one repository was requested, but not for which one"), paths)
        case .suspended(let owner):
            ErrorText(Message("the app's installation for %1$s on %2$s is suspended", owner, host))
        case .repositoryNotIncluded(let repository, let page):
            ErrorText(
                Message("the app's installation does not include %1$s", repository),
                page.map { [Message("its owner can add the repository:"), .command("\($0)")] } ?? [])
        default: ErrorText(Message("the repository's path names no owner, so no installation of the app serves it"))
        }
    }
}
