internal import CredentialCore
internal import Helper

/// The place where an account that `switch` sets counts.
enum AccountScope: Equatable {
    case everywhere
    case repository
    case folder(AccountFolder)

    /// Finds the place in which a line of `switch` would outrank the line that names the account now.
    init(at host: HostName, _ owner: String?, among lines: [OriginatedEntry], in files: any ConfigurationFiles) {
        let line = ConfiguredUsername(lines, for: host, owner: owner).line
        let path = line.flatMap { AccountFolder.path(of: $0, among: lines) }
        self =
            line?.scope == "local"
            ? .repository : path.flatMap { try? files.accountFolder($0) }.map(Self.folder) ?? .everywhere
    }

    /// Limits what an account is for, such as a host, to this place.
    func within(_ target: any MessageArgument) -> any MessageArgument {
        switch self {
        case .everywhere: target
        case .repository: Message("%1$s in this repository", target)
        case .folder(let folder): Message("%1$s in repositories below %2$s", target, DisplayText(trusted: folder.path))
        }
    }

    /// The options for this place and an owner, each after a space, in a command to paste.
    func options(_ owner: String?) -> DisplayText {
        let place: DisplayText =
            switch self {
            case .everywhere: ""
            case .repository: " --here"
            case .folder(let folder): " --folder \(word: folder.path)"
            }
        return owner.map { " --owner \(word: $0)\(place)" } ?? place
    }
}

extension ConfigurationFiles {
    /// git's configuration for the current folder, or for a repository below a folder.
    func entries(_ scope: AccountScope) throws(ConfigurationFileError) -> [OriginatedEntry] {
        let lines = try entries()
        guard case .folder(let folder) = scope else { return lines }
        return try lines.filter { $0.isTrusted && AccountFolder.path(of: $0, among: lines) == nil }
            + entries(of: folder).map { OriginatedEntry(scope: "global", origin: "/" + folder.file, entry: $0) }
    }
}

extension AccountChange {
    private var files: any ConfigurationFiles { outside.files }
    var urls: [String] { owner.map { ["\(context.host.url)/\($0)"] } ?? context.host.withGists.map { $0.url } }
    var keys: [String] { urls.map { "credential.\($0).username" } }

    /// Returns the file that was written.
    func set(_ name: String, _ scope: AccountScope) throws(ConfigurationFileError) -> String {
        if case .folder(let folder) = scope { return try files.set(keys, to: name, below: folder) }
        let file: ConfigurationScope = scope == .repository ? .local : .global
        for key in keys { try files.set(key, to: name, in: file) }
        let moved = try keepOrder(in: file)
        if scope == .everywhere { try files.keepFolders(behind: keys + moved) }
        return try files.path(of: file)
    }

    /// Moves a newly set account behind the line that outranks it, then those of owners and groups; returns their keys.
    private func keepOrder(in file: ConfigurationScope) throws(ConfigurationFileError) -> [String] {
        let lines = try files.entries(of: file).map { OriginatedEntry(scope: file.name, origin: "", entry: $0) }
        let configured = ConfiguredUsername(lines, for: context.host, owner: owner)
        let own = lines.filter { keys.contains($0.entry.name) }
        let isOutranked = configured.line.map { !own.contains($0) } ?? false
        let parts = configured.overridden + (isOutranked ? configured.exceptions : [])
        let moved = (isOutranked ? own + parts : parts).map(\.entry)
        for entry in moved {
            try files.unset(entry.name, in: file)
            try files.set(entry.name, to: entry.effectiveValue, in: file)
        }
        return moved.map(\.name)
    }

    /// Returns whether an account was set.
    func remove(_ scope: AccountScope) throws(ConfigurationFileError) -> Bool {
        if case .folder(let folder) = scope { return try files.unset(keys, below: folder) }
        let file: ConfigurationScope = scope == .repository ? .local : .global
        let before = try files.entries(of: file)
        for key in keys { try files.unset(key, in: file) }
        return before.contains { keys.contains($0.name) }
    }
}
