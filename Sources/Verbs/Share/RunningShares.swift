internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Providers
internal import Share

struct ListShares: Verb {
    static let configuration = CommandConfiguration(
        "share list", Message("List what is shared, and when it was last used."),
        examples: ["share list", "share list --json"], isListed: false)

    @Flag(help: ArgumentHelp(Message("Print a JSON array for programs.")))
    var json = false

    func run(with outside: VerbDependencies) -> ExitStatus {
        let found = outside.sharing.shares.all
        guard !json else {
            outside.print(JSONText.array(found.map(\.json)))
            return .done
        }
        if found.isEmpty { outside.say(Message("Nothing is shared.")) }
        for target in found {
            let name = target.name.displayName
            guard target.isRunning, let record = target.record else {
                outside.say(Message("%1$s: systemd starts it when it is used", name))
                continue
            }
            let hosts = record.hosts.map { DisplayText(untrusted: $0) }.joined(separator: ", ")
            switch record.kind {
            case .directory: outside.say(Message(verbatim: "\(name): \(hosts)"))
            case .ssh(let destination):
                outside.say(Message("%1$s: %2$s, by ssh to %3$s", name, hosts, DisplayText(trusted: destination)))
            }
            outside.say(Self.lines(about: record).map(Message.indented))
        }
        return .done
    }

    private static func lines(about record: ShareRecord) -> [Message] {
        var lines: [Message] = []
        if let gateway = record.gateway {
            let words = gateway.subject.map { Message("Only %1$s: %2$s.", $0, gateway.right) }
            lines.append(words ?? Message("No token is given away: %1$s.", gateway.right))
        }
        lines.append(
            record.lastUse.map { Message("Uses: %1$s. Last use: %2$s.", record.uses, LocalTime.text($0)) }
                ?? Message("Not used since %1$s.", LocalTime.text(record.since)))
        lines += record.pending.map { push in
            Message("%1$s: pushing %2$s to %3$s.", LocalTime.text(push.time), push.refs, push.repository)
        }
        lines += record.pushes.map { push in
            let time = LocalTime.text(push.time)
            return switch push.change {
            case .changed: Message("%1$s: pushed %2$s to %3$s.", time, push.refs, push.repository)
            case .deleted: Message("%1$s: deleted %2$s on %3$s.", time, push.refs, push.repository)
            case .uncertain:
                Message("%1$s: a push of %2$s to %3$s, whose outcome is uncertain.", time, push.refs, push.repository)
            }
        }
        lines += record.opened.prefix(5).map {
            Message("%1$s: opened pull request %2$s: %3$s", LocalTime.text($0.time), $0.number, Verbatim($0.page))
        }
        if record.refusals > 0 { lines.append(Message("Refusals: %1$s.", record.refusals)) }
        if let refusal = record.lastRefusal { lines.append(words(refusal)) }
        if let end = record.end { lines.append(Message("Ends at %1$s.", LocalTime.text(end))) }
        return lines
    }

    private static func words(_ refusal: ShareRecord.Refusal) -> Message {
        let (time, why) = (LocalTime.text(refusal.time), refusal.why.text)
        guard let repository = refusal.repository else { return Message("Last refusal: %1$s, %2$s.", time, why) }
        guard let refs = refusal.refs else { return Message("Last refusal: %1$s, %2$s: %3$s.", time, repository, why) }
        return Message("Last refusal: %1$s, %2$s on %3$s: %4$s.", time, refs, repository, why)
    }
}

extension FoundShare {
    fileprivate var json: String {
        let record = isRunning ? record : nil
        let destination: DisplayText? =
            if case .ssh(let name)? = record?.kind { DisplayText(trusted: name) } else { nil }
        func list(_ texts: [DisplayText]) -> String { "[" + texts.map(JSONText.string).joined(separator: ", ") + "]" }
        let pushes = (record?.pushes ?? []).map { push in
            JSONText.object([
                ("time", String(push.time)), ("repository", JSONText.string(push.repository)),
                ("refs", JSONText.string(push.refs)), ("change", JSONText.string(push.change)),
            ])
        }
        let opened = (record?.opened ?? []).prefix(5).map { entry in
            JSONText.object([
                ("time", String(entry.time)), ("number", String(entry.number)), ("page", JSONText.string(entry.page)),
            ])
        }
        let rules: [(name: DisplayText, value: String?)] = [
            ("name", JSONText.string(name.displayName)), ("running", String(isRunning)),
            ("ssh", destination.map(JSONText.string)),
            ("hosts", record.map { list($0.hosts.map { DisplayText(untrusted: $0) }) }),
            ("token", record.map { String($0.gateway == nil) }),
            ("repositories", (record?.gateway?.repositories?.map(\.url)).map(list)),
            ("branches", record?.gateway.map { list($0.branches.map(\.displayName)) }),
            ("read_only", record?.gateway.map { String($0.isReadOnly) }),
            ("confirm", record.map { JSONText.string($0.confirmation) }),
        ]
        let uses: [(name: DisplayText, value: String?)] = [
            ("since", record.map { String($0.since) }),
            ("ends_at", record?.end.map { String($0) }), ("uses", record.map { String($0.uses) }),
            ("last_use", record?.lastUse.map { String($0) }), ("pushes", "[" + pushes.joined(separator: ", ") + "]"),
            ("pull_requests", "[" + opened.joined(separator: ", ") + "]"),
            ("refusals", record.map { String($0.refusals) }),
            ("last_refusal", record?.lastRefusal.map { JSONText.string($0.why.text) }),
            ("last_refusal_at", record?.lastRefusal.map { String($0.time) }),
        ]
        return JSONText.object(rules + uses)
    }
}

struct StopShare: Verb {
    static let configuration = CommandConfiguration(
        "share stop", Message("Stop sharing."), examples: ["share stop box", "share stop box --refresh"],
        isListed: false)

    @Argument(help: ArgumentHelp(Message("The name that was shared."), valueName: "name"))
    var word: String

    @Flag(help: ArgumentHelp(Message("Refresh the tokens that were given away, so that every copy stops working.")))
    var refresh = false

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (sharing, name) = (outside.sharing, try ShareName(typed: word))
        let shown = name.displayName
        let wasShared = try sharing.shares.stop(name)
        let given = sharing.shares.record(of: name)?.given ?? []
        guard wasShared || (refresh && !given.isEmpty) else {
            throw UserFacingError(
                .share, Message("\"%1$s\" is not shared", shown),
                [Message("see what is:"), .command("git credential-gitspace share list")])
        }
        sharing.say(
            wasShared
                ? Message("\"%1$s\" is no longer shared.", shown) : Message("\"%1$s\" was already stopped.", shown))
        guard refresh else {
            if given.contains(where: { $0.request.map { refreshEndsToken($0, outside) } == true }) {
                sharing.say(Message("The tokens that it got stay valid there until they expire. To end them now:"))
                sharing.say(.command("git credential-gitspace share stop \(word: name.text) --refresh"))
            } else if !given.isEmpty {
                sharing.say(Message("The tokens that it got stay valid there until they expire."))
            }
            return .done
        }
        if given.isEmpty { sharing.say(Message("\"%1$s\" got no token.", shown)) }
        var isDone = true
        for account in given where !isRefreshed(account, outside) { isDone = false }
        // A refresh that failed can be tried again.
        if isDone { sharing.shares.forget(name) }
        return isDone ? .done : .failed
    }

    /// Refreshes the person's own token, so that no copy of it stays valid; false if that failed.
    private func isRefreshed(_ account: ShareRecord.Account, _ outside: VerbDependencies) -> Bool {
        guard let request = account.request else { return true }
        do throws(UserFacingError) {
            guard try Refresh.run(request, outside, outside.dependencies(nil)) == .done else { return false }
            let host = DisplayText(untrusted: account.host)
            outside.sharing.say(
                refreshEndsToken(request, outside)
                    ? Message("%1$s accepts no copy of the old token any more.", host)
                    : Message("%1$s may accept copies of the old token until it expires.", host))
            return true
        } catch {
            outside.dependencies(nil).report(error)
            return false
        }
    }

    private func refreshEndsToken(_ request: Request, _ outside: VerbDependencies) -> Bool {
        let signIn = try? ContextResolver(with: outside.dependencies(nil)).signInContext(of: request)
        return signIn?.host.provider.facts.refreshEndsToken == true
    }
}

extension ShareRecord.Account {
    fileprivate var request: Request? {
        let lines = Array("protocol=https\nhost=".utf8) + host + Array("\nusername=".utf8) + username
        return try? Request(parsing: Secret(lines + [0x0a]))
    }
}
