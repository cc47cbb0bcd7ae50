internal import CredentialCore
internal import Helper

/// The sign-ins of gh and Git Credential Manager to a host; not checked yet.
struct ForeignSignIns {
    private let outside: Setup.Outside

    init(with outside: Setup.Outside) { self.outside = outside }

    /// The sign-ins, each token once.
    func all(on context: SignInContext) throws(Setup.Failure) -> [ForeignCredential] {
        var found: [ForeignCredential] = []
        for source in [ImportSource.gh, .gcm] {
            for credential in try credentials(of: source)
            where credential.path == nil && HostName(credential.host)?.canonicalForHTTPS == context.host.name
                && !found.contains(where: { $0.password == credential.password })
            {
                found.append(credential)
            }
        }
        return found
    }

    /// Without a keyring there are still the files.
    private func credentials(of source: ImportSource) throws(Setup.Failure) -> [ForeignCredential] {
        let dependencies = outside.dependencies()
        let search = { (keyring: any ForeignKeyring) throws(KeyringError) in
            try ForeignSearch(keyring: keyring, files: outside.foreignFiles, with: dependencies)
                .credentials(of: source).credentials
        }
        do throws(KeyringError) {
            return try search(outside.foreignKeyring)
        } catch .interrupted {
            throw .cancelled
        } catch {
            return (try? search(NoForeignKeyring())) ?? []
        }
    }
}
