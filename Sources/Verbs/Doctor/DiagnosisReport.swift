internal import CredentialCore
internal import Helper
internal import Language
package import Messages
internal import Providers

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

    /// What was found, and what fixes it.
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
        let again = [Message("reinstall gitspace:"), Message.command("make install")]
        let whole = [
            Message("have git call it by its full path:"),
            Message.command("git-credential-gitspace configure"),
        ]
        return switch self {
        case .rootForSomebodyElse(let person):
            ErrorText(
                Message("running as root on behalf of %1$s: root cannot use that user's keyring or settings", person),
                [Message("run it without sudo:"), .command("git credential-gitspace doctor")])
        case .signInForbidden(let setting):
            ErrorText(Message("%1$s prevents signing in from here; stored credentials still work", setting))
        case .locksAt(let path): ErrorText(Message("lock files are kept in %1$s", path))
        case .noPlaceForLocks: ErrorText(.lockImpossible)
        case .programAbsent(let path):
            ErrorText(
                Message("git is configured to run a program that does not exist: %1$s", path),
                [Message("update the path:"), .command("git credential-gitspace configure")])
        case .programNotOnPath(let name):
            ErrorText(Message("%1$s is not on the PATH, so git cannot find it", name), whole)
        case .programBroken(let path):
            ErrorText(Message("%1$s cannot run: part of the installation is missing", path), again)
        case .programOfAnotherVersion(let path, let ours):
            ErrorText(Message("git runs a different version than this one (%1$s): %2$s", ours, path), again)
        case .program(let path, let version): ErrorText(Message("git runs %1$s: %2$s", version, path))
        }
    }
}

extension Diagnosis.Git {
    fileprivate var words: ErrorText {
        switch self {
        case .noVersion:
            ErrorText(
                Message("git did not report its version"),
                [Message("install it, or put it on the PATH:"), .command("sudo apt install git")])
        case .versionNotAsked: ErrorText(Message("did not check git's version"))
        case .complete(let version):
            ErrorText(Message("git %1$s supports everything gitspace can tell it", version))
        case .lacking(let lessons, let version):
            ErrorText(
                Message(
                    "git %1$s works, but does not support: %2$s", version,
                    lessons.map { "\($0.name) (2.\($0.minor))" }.joined(separator: ", ")))
        case .proactive(let hosts):
            ErrorText(
                Message("git sends your token with its first request to %1$s", hosts.joined(separator: ", ")))
        case .notProactive(let hosts):
            ErrorText(
                Message(
                    "every fetch from %1$s takes an extra request, because git first tries without your token",
                    hosts.joined(separator: ", ")),
                [Message("to avoid it:"), .command("git credential-gitspace configure --proactive")])
        case .proactiveForNobody(let host):
            ErrorText(
                Message("git is set up to send a token with every request to %1$s, but you are not signed in", host),
                [Message("sign in:"), .login(host)])
        }
    }
}

extension Diagnosis.Configuration {
    fileprivate var words: ErrorText {
        switch self {
        case .unreadable(let error): ErrorText(error.words)
        case .withoutHost(let key, let file):
            ErrorText(
                Message("%1$s in %2$s is ignored: this setting must be set for a single host", key, file),
                [
                    Message("move it to the section of that host, [credential \"https://HOST\"]:"),
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
                Message("git could not list its configuration"),
                [Message("see git's error message:"), .command("git config --list --show-origin")])
        case .notAsked(let host):
            ErrorText(
                Message("git is not set up to use gitspace for %1$s", host),
                [Message("set it up:"), .command("git credential-gitspace configure")])
        case .askedAlone(let host, let file?):
            ErrorText(Message("git uses only gitspace for %1$s (set in %2$s)", host, file))
        case .askedAlone(let host, nil): ErrorText(Message("git uses only gitspace for %1$s", host))
        case .other(let other):
            ErrorText(
                other.sentence,
                other.position == .instead
                    ? [Message("set it up:"), .command("git credential-gitspace configure")] : other.turningOff)
        case .plainText(let other):
            ErrorText(
                Message(
                    "%1$s stores tokens for %2$s in a plain text file (set in %3$s)",
                    Message("the helper %1$s", other.helper.name), other.host, other.helper.place),
                other.turningOff)
        }
    }
}

extension OtherHelper {
    /// An empty line of ours switches off helpers before it; those after it must be removed.
    fileprivate var turningOff: [Message] {
        guard position == .after else {
            return [Message("turn it off for this host:"), .command("git credential-gitspace configure")]
        }
        return helper.removal.map { [Message("remove it:"), $0] } ?? [Message("remove that line by hand")]
    }
}
