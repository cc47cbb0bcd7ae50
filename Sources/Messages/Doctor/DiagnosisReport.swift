package import Commands
internal import CredentialCore
internal import Helper
internal import OAuth

extension Diagnosis: ReportText {
    package var lines: [Message] {
        let words = words
        // As wide as a mark.
        return [.marked(mark, words.what)] + words.hints.map { .marked("      ", $0) }
    }

    package var json: [String] {
        let words = words
        return [
            JSONText.object([
                ("check", JSONText.string(check)), ("result", JSONText.string(result)),
                ("text", JSONText.string(words.what)), ("hints", JSONText.list(words.hints)),
            ])
        ]
    }

    private var mark: DisplayText {
        switch result {
        case .ok: "[ OK ]"
        case .fail: "[FAIL]"
        case .warn: "[WARN]"
        case .skip: "[SKIP]"
        }
    }

    /// What was found, and what mends it.
    package var words: ErrorText {
        switch finding {
        case .machine(let machine): machine.words
        case .git(let git): git.words
        case .configuration(let configuration): configuration.words
        case .helpers(let helpers): helpers.words
        case .keyring(let keyring): keyring.words
        case .host(let name, let host): host.words(name)
        }
    }
}

extension Diagnosis.Machine {
    fileprivate var words: ErrorText {
        let again = [Message("install both of its programs again:"), Message.command("make install")]
        let whole = [
            Message("add its folder to the PATH of whatever runs git, or name it in full:"),
            Message.command("git-credential-gitspace configure"),
        ]
        return switch self {
        case .rootForSomebodyElse(let person):
            ErrorText(
                Message("running as root for %1$s: root has neither their keyring nor their settings", person),
                [Message("run it without sudo:"), .command("git credential-gitspace doctor")])
        case .signInForbidden(let setting):
            ErrorText(Message("%1$s forbids a sign-in from here; what is stored is used all the same", setting))
        case .locksAt(let path): ErrorText(Message("lock files have a safe place: %1$s", path))
        case .noPlaceForLocks: UserFacingError.lockImpossible.words
        case .programAbsent(let path):
            ErrorText(
                Message("git's configuration names a program that is not there: %1$s", path),
                [Message("have git call it where it is now:"), .command("git credential-gitspace configure")])
        case .programNotOnPath(let name):
            ErrorText(Message("the program %1$s is not on the PATH, so git does not find it", name), whole)
        case .programBroken(let path):
            ErrorText(Message("the program %1$s does not run: a part of it is missing", path), again)
        case .programOfAnotherVersion(let path, let ours):
            ErrorText(Message("git runs another version than this one (%1$s): %2$s", ours, path), again)
        case .program(let path, let version): ErrorText(Message("git runs %1$s: %2$s", version, path))
        }
    }
}

extension Diagnosis.Git {
    fileprivate var words: ErrorText {
        switch self {
        case .noVersion:
            ErrorText(
                Message("git does not say its version"),
                [Message("install it, or put it on the PATH:"), .command("sudo apt install git")])
        case .complete(let version):
            ErrorText(Message("git %1$s knows all that a helper can tell it", version))
        case .lacking(let lessons, let version):
            ErrorText(
                Message(
                    "git %1$s works, but does not know yet: %2$s", version,
                    lessons.map { "\($0.name) (2.\($0.minor))" }.joined(separator: ", ")))
        case .proactive(let hosts):
            ErrorText(
                Message("git sends your token with its first request to %1$s", hosts.joined(separator: ", ")))
        case .notProactive(let hosts):
            ErrorText(
                Message(
                    "git asks %1$s without your token first, one request more in every fetch",
                    hosts.joined(separator: ", ")),
                [Message("to save it:"), .command("git credential-gitspace configure --proactive")])
        case .proactiveForNobody(let host):
            ErrorText(
                Message("git needs a token for every request to %1$s, but no account is signed in there", host),
                [Message("sign in:"), .login(host)])
        }
    }
}

extension Diagnosis.Configuration {
    fileprivate var words: ErrorText {
        switch self {
        case .unreadable(let error): error.words
        case .withoutHost(let key, let file):
            ErrorText(
                Message("%1$s in %2$s is ignored: this setting needs the URL of one host", key, file),
                [
                    Message("move it into the section of its host, [credential \"https://HOST\"]:"),
                    .command("git config --file \(word: file) --edit"),
                ])
        }
    }
}

extension Diagnosis.Helpers {
    fileprivate var words: ErrorText {
        switch self {
        case .configurationUnreadable:
            ErrorText(
                Message("git does not tell its configuration"),
                [Message("see what it says:"), .command("git config --list --show-origin")])
        case .notAsked(let host):
            ErrorText(
                Message("git does not ask gitspace for %1$s", host),
                [Message("set it up:"), .command("git credential-gitspace configure")])
        case .askedAlone(let host, let file?):
            ErrorText(Message("git asks gitspace alone for %1$s, as %2$s says", host, file))
        case .askedAlone(let host, nil): ErrorText(Message("git asks gitspace alone for %1$s", host))
        case .other(let line): line.words
        }
    }
}

extension Diagnosis.OtherHelperLine {
    fileprivate var words: ErrorText { ErrorText(what, hints) }

    private var what: Message {
        let who = name.map { Message("the helper %1$s", $0) } ?? Message("a shell command")
        let file = file.map { Message(verbatim: $0) } ?? Message("the command line")
        if isPlainText {
            return Message(
                "%1$s writes the tokens of %2$s to a file in plain text; it stands in %3$s", who, host, file)
        }
        return switch position {
        case .before:
            Message(
                "%1$s is asked before gitspace for %2$s, and is told its tokens; it stands in %3$s", who, host, file)
        case .after:
            Message("%1$s comes after gitspace for %2$s, and is told its tokens; it stands in %3$s", who, host, file)
        }
    }

    /// What stands before our lines is switched off by an empty one; what follows has to go.
    private var hints: [Message] {
        if position == .before {
            return [Message("switch it off for this host:"), .command("git credential-gitspace configure")]
        }
        guard let removal else { return [Message("take that line out by hand")] }
        let (file, key, name) = (removal.file, removal.key, removal.name)
        return [Message("take it out:"), .command("git config --file \(file) --unset-all \(key) '^\(name)$'")]
    }
}
