package import CredentialCore
package import Providers

extension InstallationFailure {
    package func words(host: DisplayText) -> UserFacingError {
        let paths = [
            Message("have git send the repository's path:"),
            .command("git config --global \(word: "credential.https://\(host).useHttpPath" as DisplayText) true"),
        ]
        let install = { (page: HTTPSAddress?, who: Message) in page.map { [who, .command("\($0)")] } ?? [] }
        return switch self {
        case .incomplete(let key):
            appError(
                Message("signing in to %1$s as an app needs credential.githubAppId and credential.githubAppKey", host),
                Message("add the one that is missing:"), .setting(key, of: host, to: "VALUE"))
        // GitHub verifies only RSA assertions.
        case .key(.unsupportedKind(let kind), let place):
            appError(
                Message("the private key %1$s is not an RSA key (%2$s), which an app needs", place, kind), Self.newKey)
        case .key(.unsupportedSize(let bits), let place):
            appError(SigningKeyError.unsupportedSize(bits: bits).words(place).text, Self.newKey)
        case .key(let error, let place): error.words(place)
        case .unsupported:
            appError(Message("gitspace cannot sign in to %1$s as an app: this is not a GitHub host", host))
        case .rejected(let id):
            appError(
                Message("%1$s accepts neither the app ID %2$s nor its private key", host, id),
                Message("check both; the key must be one that the app's settings page still lists:"),
                .command("git config --global --get-regexp 'credential\\..*githubapp'"))
        case .clock(let ahead):
            appError(
                ahead > 0
                    ? Message("this machine's clock is %1$s ahead of %2$s", Message.duration(ahead), host)
                    : Message("this machine's clock is %1$s behind %2$s", Message.duration(-ahead), host),
                Message("synchronize it over the network:"), .command("sudo timedatectl set-ntp true"))
        case .forbidden(let status):
            appError(
                Message("%1$s does not allow the app to get a token (status %2$s)", host, status),
                Message("see what is wrong:"), Self.doctor)
        case .notInstalled(let owner, let page):
            appError(Message("the app is not installed for %1$s on %2$s", owner, host)).with(
                install(page, Message("%1$s, or an owner of that organization, can install it:", owner)))
        case .notInstalledAnywhere(let page):
            appError(Message("the app is not installed for anybody on %1$s", host)).with(
                install(page, Message("its owner can install it:")))
        case .several(let owners):
            UserFacingError(
                .severalInstallations,
                Message("the app has several installations on %1$s (%2$s)", host, owners.joined(separator: ", ")),
                paths + [
                    Message("in a command, name the owner:"),
                    .command("git credential-gitspace login \(word: "https://\(host)/OWNER" as DisplayText)"),
                ])
        case .repositoryUnknown:
            UserFacingError(
                .repositoryUnknown, Message("a token for one repository was requested, but no repository was named"),
                paths)
        case .suspended(let owner):
            appError(Message("the app's installation for %1$s on %2$s is suspended", owner, host))
        case .repositoryNotIncluded(let repository, let page):
            appError(Message("the app's installation does not include %1$s", repository)).with(
                page.map { [Message("its owner can add the repository:"), .command("\($0)")] } ?? [])
        case .noOwner:
            appError(Message("the repository's path names no owner, so no installation of the app serves it"))
        case .exhausted(let owner):
            appError(
                Message("%1$s rejected two tokens in a row of the app's installation for %2$s", host, owner),
                Message("see what is wrong; in a minute, git can try again:"), Self.doctor)
        case .transport(let error): error.words(host: host)
        case .unavailable(let status):
            appError(
                Message("%1$s returned a server error (status %2$s)", host, status),
                Message("try again in a few minutes"))
        case .rateLimited(let minutes):
            appError(
                Message("the app has made too many requests to %1$s", host),
                Message("try again in %1$s", Message.duration(minutes * 60, toWait: true)))
        case .malformed: appError(Message("%1$s sent an unexpected response", host))
        }
    }

    private static let newKey = Message("generate one on the app's settings page, under Private keys")
    private static let doctor = Message.command("git credential-gitspace doctor")
}

extension SigningKeyError {
    package func words(_ place: DisplayText) -> UserFacingError {
        switch self {
        case .absent: keyError(Message("there is no private key at %1$s", place))
        case .unreadable:
            keyError(
                Message("the private key %1$s cannot be read", place), Message("check its permissions:"),
                .command("ls -l \(word: place)"))
        case .notAFile: keyError(Message("the private key %1$s is not a file, or too large for a key", place))
        case .relativePath:
            keyError(
                Message("the private key's path %1$s is relative", place),
                Message("give an absolute path, or one that begins with ~/"))
        case .noCredentialsDirectory:
            keyError(
                Message("there is no systemd credential %1$s: this process has none", place),
                Message("give an absolute path, or add LoadCredential= to the service"))
        case .symbolicLink:
            keyError(
                Message("the private key %1$s is a symbolic link", place), Message("give the path of the file itself"))
        case .foreignOwner:
            keyError(
                Message("the private key %1$s belongs to another user", place), Message("take it over:"),
                .command("sudo chown \"$(id -u)\" \(word: place)"))
        case .accessibleToOthers:
            keyError(
                Message("other users can read or change the private key %1$s", place), Message("keep it to yourself:"),
                .command("chmod 600 \(word: place)"))
        case .folderOfOthers(let folder):
            keyError(
                Message("other users can replace the private key in the folder %1$s", folder),
                Message("move it to a folder of your own, or keep this one to yourself:"),
                .command("chmod go-w \(word: folder)"))
        case .encrypted:
            keyError(
                Message("the private key %1$s is encrypted; gitspace needs a key without a passphrase", place),
                Message("write it without one:"), .command("umask 077 && openssl pkey -in \(word: place) -out KEY.pem"))
        case .publicKey: keyError(Message("%1$s is a public key; the private key is needed", place))
        case .severalKeys: keyError(Message("%1$s contains more than one private key", place))
        case .malformed: keyError(Message("%1$s is not a private key in PEM format, or is damaged", place))
        case .unsupportedKind(let kind):
            keyError(
                Message("the private key %1$s is of a kind that cannot be used (%2$s)", place, kind),
                Message("use an RSA key of at least 2048 bits, or one on the curve P-256"))
        case .unsupportedSize(let bits):
            keyError(Message("the private key %1$s has %2$s bits; it needs 2048 to 8192", place, bits))
        case .signing: keyError(Message("could not sign with the private key %1$s", place))
        }
    }
}

private func appError(_ text: Message, _ hints: Message...) -> UserFacingError { UserFacingError(.app, text, hints) }

private func keyError(_ text: Message, _ hints: Message...) -> UserFacingError {
    UserFacingError(.signingKey, text, hints)
}
