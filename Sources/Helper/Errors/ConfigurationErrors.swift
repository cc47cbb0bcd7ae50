package import CredentialCore
package import Providers

extension ConfigurationError {
    package var words: UserFacingError {
        switch self {
        case .noGit:
            unreadable(
                Message("cannot read git's configuration: git is not on the PATH"),
                Message("install it, or put it on the PATH:"), .command("sudo apt install git"))
        case .failed: unreadable(Message("git cannot read its configuration"), seeError, list)
        case .timedOut(let seconds):
            unreadable(
                Message("cannot read git's configuration: git took longer than %1$s seconds", seconds), seeError, list)
        case .tooLarge(let mebibytes):
            unreadable(
                Message("cannot read git's configuration: it is larger than %1$s MiB", mebibytes),
                Message("see which file has the most lines:"),
                .command("git config --list --show-origin | cut -f1 | sort | uniq -c | sort -n | tail -n 3"))
        case .notPermitted(let path):
            unreadable(
                Message(
                    "cannot read git's configuration: no permission to read %1$s", DisplayText(untrusted: path.utf8)),
                Message("check its permissions:"), .command("ls -l \(word: DisplayText(untrusted: path.utf8))"))
        case .notText(let key):
            unreadable(
                Message("cannot read git's configuration: %1$s is not valid UTF-8", DisplayText(untrusted: key.utf8)),
                Message("see which file it is in:"), list)
        case .unknownValue(let key, let value):
            unreadable(
                Message(
                    "git's configuration has an unknown value for %1$s: %2$s", DisplayText(trusted: key.rawValue),
                    DisplayText(untrusted: value.utf8)),
                Message(
                    "use one of these, or remove the line: %1$s",
                    DisplayText(trusted: (key.values ?? []).joined(separator: ", "))),
                Message("see which file it is in:"),
                .command(
                    "git config --show-origin --get-regexp 'credential\\..*\(DisplayText(trusted: key.lowercased))'"))
        }
    }
}

extension UserFacingError {
    /// Returns the error for `verb`, the words after `git credential-gitspace`, with `lines` to write by hand instead.
    package static func configuration(
        _ error: ConfigurationFileError, verb: DisplayText, byHand lines: [String] = []
    ) -> UserFacingError {
        switch error {
        case .unread(let error): error.words
        case .unreadable: configurationError(Message("git cannot read its configuration"), seeError, list)
        case .noHome:
            configurationError(
                Message("cannot find your git configuration: HOME is not set"), Message("set HOME, or name the file:"),
                .command("export GIT_CONFIG_GLOBAL=/path/to/file"))
        case .noRepository:
            configurationError(
                Message("the current folder is in no git repository, or git does not use it"),
                seeError, .command("git rev-parse --git-dir"))
        case .elsewhere(let path):
            configurationError(
                Message("the configuration of this repository is elsewhere, in %1$s", DisplayText(trusted: path)),
                Message("gitspace does not write there; if the file is yours, edit it:"),
                .command("git config --file \(word: path) --edit"))
        case .folderMissing(let path):
            configurationError(
                Message("there is no folder %1$s", DisplayText(trusted: path)),
                Message("make it, then run the command again:"), .command("mkdir -p \(word: path)"))
        case .noFolder(let path, let reason):
            configurationError(
                Message("cannot use the folder %1$s: %2$s", DisplayText(trusted: path), DisplayText(trusted: reason)),
                Message("see what it is:"), .command("ls -ld \(word: path)"))
        case .locked(let lock):
            configurationError(
                Message("another program is writing git's configuration"),
                Message("if no git command is running, delete the stale lock file:"), .command("rm \(word: lock)"))
        case .notPermitted(let path):
            configurationError(Message("no permission to write %1$s", DisplayText(trusted: path))).with(
                asRoot(verb) ?? byHand(verb, path, lines))
        case .folderNotPermitted(let folder):
            configurationError(
                Message(
                    "no permission to write to the folder of git's configuration, %1$s", DisplayText(trusted: folder))
            ).with(asRoot(verb) ?? byHand(verb, folder, lines))
        case .failed(let path, let reason):
            configurationError(
                Message("cannot write %1$s: %2$s", DisplayText(trusted: path), DisplayText(trusted: reason))
            ).with(byHand(verb, path, lines))
        case .notTakenUp(let path):
            configurationError(Message("git does not use the settings written to %1$s", DisplayText(trusted: path)))
                .with(
                    keptLines(verb) + [
                        Message("see which files git reads:"),
                        .command(#"git config --show-origin --get-regexp '^credential\.'"#),
                    ])
        case .noCommand:
            configurationError(
                Message("git would not find this program"),
                Message("add the folder of git-credential-gitspace to the PATH, or run it by its full path:"),
                .command("/path/to/git-credential-gitspace \(verb)"))
        }
    }

    /// The hints that the added lines stay, for a git that does read them.
    private static func keptLines(_ verb: DisplayText) -> [Message] {
        guard verb.text.hasPrefix("configure") else { return [] }
        let undo: DisplayText =
            verb.text.contains("--system")
            ? "git credential-gitspace unconfigure --system" : "git credential-gitspace unconfigure"
        return [Message("the lines were kept; to remove them, run %1$s", undo)]
    }

    private static func asRoot(_ verb: DisplayText) -> [Message]? {
        guard verb.text.contains("--system") else { return nil }
        return [Message("run it as root:"), .command("sudo git credential-gitspace \(verb)")]
    }

    private static func byHand(_ verb: DisplayText, _ path: String, _ lines: [String]) -> [Message] {
        guard lines.isEmpty else {
            return [Message("nothing was changed; to add the lines yourself:")] + lines.map(Message.configurationLine)
        }
        guard verb != "switch" else {
            return [Message("nothing was changed; check its permissions:"), .command("ls -ld \(word: path)")]
        }
        return [
            verb.text.hasPrefix("unconfigure")
                ? Message("nothing was changed; to see the lines and remove them yourself:")
                : Message("nothing was changed; to see the lines and add them yourself:"),
            .command("git credential-gitspace \(verb) --dry-run"),
        ]
    }

    package static func configurationUnreadable(_ error: ConfigurationError) -> UserFacingError { error.words }

    package static func clientIDNotKept(
        _ error: ConfigurationFileError, host: DisplayText, clientID: DisplayText, form: Registration.Form? = nil
    ) -> UserFacingError {
        UserFacingError(
            .clientIDNotKept, configuration(error, verb: "").text,
            [Message("the %1$s works; add it to git's configuration:", Message.clientName(form))]
                + error.remedy(host, .oauthClientId, clientID))
    }

    /// Returns a command without a setting that prevents a sign-in, as the plain command would fail in the same way.
    package static func without(_ setting: DisplayText, _ verb: DisplayText) -> Message {
        switch setting.text {
        // This setting applies only to git.
        case "gitspaceFlow=none": return .command("git credential-gitspace \(verb)")
        case "credential.interactive=false":
            return .command("git -c credential.interactive=true credential-gitspace \(verb)")
        default:
            let variable = String(setting.text.prefix { $0 != "=" })
            return .command("env -u \(word: variable) git credential-gitspace \(verb)")
        }
    }
}

extension ConfigurationFileError {
    /// Returns the command of `git config` that sets a key, or the lines to write if that would fail too.
    package func remedy(_ host: DisplayText, _ key: SettingKey, _ value: DisplayText) -> [Message] {
        isForbidden
            ? Self.lines(["https://\(host.text)"], key.rawValue, value.text).map(Message.configurationLine)
            : [.setting(key, of: host, to: "\(word: value)")]
    }

    /// Whether any other command would fail too.
    package var isForbidden: Bool {
        switch self {
        case .notPermitted, .folderNotPermitted: true
        default: false
        }
    }

    /// Whether the lines could be added by hand.
    package var isAboutWriting: Bool {
        if case .failed = self { return true }
        return isForbidden
    }

    /// Returns the lines that set a key for some addresses.
    package static func lines(_ urls: [String], _ key: String, _ value: String) -> [String] {
        urls.flatMap { ["[credential \"\($0)\"]", "\t\(key) = \(HelperCommand.quotedForFile(value))"] }
    }
}

extension Message {
    /// The value is unquoted, since it may be a placeholder.
    package static func setting(_ key: SettingKey, of host: DisplayText, to value: DisplayText) -> Message {
        .command("git config --global \(word: key.name(on: host)) \(value)")
    }

    /// Returns a line of a file, below the file's name, with its tab.
    package static func configurationLine(_ line: String) -> Message {
        let text = DisplayText(trusted: String(line.drop { $0 == "\t" }))
        return Message(verbatim: line.hasPrefix("\t") ? "  \t\(text)" : "  \(text)")
    }
}

private func unreadable(_ text: Message, _ hints: Message...) -> UserFacingError {
    UserFacingError(.configurationUnreadable, text, hints)
}

private func configurationError(_ text: Message, _ hints: Message...) -> UserFacingError {
    UserFacingError(.configuration, text, hints)
}

private let list = Message.command("git config --list --show-origin")
private let seeError = Message("see git's error message:")
