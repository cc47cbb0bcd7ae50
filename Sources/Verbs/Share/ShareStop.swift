internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `share list`.
struct ShareList: Verb {
    static let configuration = CommandConfiguration(
        "share list", Message("List what is shared, and when it was last used."), isListed: false)

    func run(with outside: VerbDependencies) -> ExitStatus {
        let found = outside.sharing().places.all
        if found.isEmpty { outside.say(Message("Nothing is shared.")) }
        for place in found {
            let name = DisplayText(trusted: place.name.text)
            guard place.isRunning, let record = place.record else {
                outside.say(Message("%1$s: systemd starts it when it is used", name))
                continue
            }
            let hosts = record.hosts.map { DisplayText(untrusted: $0) }.joined(separator: ", ")
            switch record.kind {
            case .directory: outside.say(Message(verbatim: "\(name): \(hosts)"))
            case .ssh(let destination):
                outside.say(Message("%1$s: %2$s, by ssh to %3$s", name, hosts, DisplayText(trusted: destination)))
            }
            if let limit = record.limit {
                outside.say(
                    .indented(
                        Message("Only %1$s: %2$s.", DisplayText(untrusted: limit.repository.utf8), limit.right)))
            }
            if let last = record.lastUse {
                outside.say(.indented(Message("Uses: %1$s. Last use: %2$s.", record.uses, LocalTime.text(last))))
            } else {
                outside.say(.indented(Message("Not used since %1$s.", LocalTime.text(record.since))))
            }
            if let refusal = record.lastRefusal {
                let time = LocalTime.text(refusal.time)
                outside.say(.indented(Message("Last refusal: %1$s, %2$s.", time, refusal.why.text)))
            }
            if let end = record.end { outside.say(.indented(Message("Ends at %1$s.", LocalTime.text(end)))) }
        }
        return .done
    }
}

/// The verb `share stop NAME`.
struct ShareStop: Verb {
    static let configuration = CommandConfiguration(
        "share stop", Message("Stop sharing."), isListed: false)

    @Argument(help: ArgumentHelp(Message("The name that was shared."), valueName: "name"))
    var word: String

    @Flag(
        help: ArgumentHelp(
            Message("Refresh the tokens that were given away, so that every copy stops working.")))
    var refresh = false

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let places = outside.sharing().places
        let name = try PlaceName(typed: word)
        let shown = DisplayText(trusted: name.text)
        let limit = places.record(of: name)?.limit
        let wasShared = try places.stop(name)
        let record = places.record(of: name)
        let given = record?.given ?? []
        // Where its process could not end it.
        var ends: [(limit: RepositoryLimit, end: LimitedToken.End)] = []
        let noLonger = Message("\"%1$s\" is no longer shared.", shown)
        do {
            if limit != nil || !wasShared {
                for token in try outside.limitedTokens(mayUnlock: limit != nil) where token.limit.place == name {
                    ends.append((token.limit, token.end(outside.dependencies(nil))))
                }
            }
        } catch {
            // That much is done, even if its token cannot be looked for.
            if wasShared { outside.say(noLonger) }
            throw error
        }
        guard wasShared || !ends.isEmpty || (refresh && !given.isEmpty) else {
            throw UserFacingError(
                .share, Message("\"%1$s\" is not shared", shown),
                [Message("see what is:"), .command("git credential-gitspace share list")])
        }
        outside.say(wasShared ? noLonger : Message("\"%1$s\" was already stopped.", shown))
        if let limit, ends.isEmpty, record?.limit == nil { ends.append((limit, .ended)) }
        for (limit, end) in ends {
            ShareRepository.words(of: end, limit).map(outside.say)
        }
        guard !ends.contains(where: { $0.end == .kept }) else { return .failed }
        if !ends.isEmpty, given.isEmpty {
            places.forget(name)
            return .done
        }
        guard refresh else {
            if !given.isEmpty {
                outside.say(Message("The tokens that it got stay valid there until they expire. To end them now:"))
                outside.say(.command("git credential-gitspace share stop \(word: name.text) --refresh"))
            }
            return .done
        }
        if given.isEmpty { outside.say(Message("\"%1$s\" got no token.", shown)) }
        let dependencies = outside.dependencies(nil)
        var status = ExitStatus.done
        for account in given where !refresh(account, outside, dependencies) { status = .failed }
        // If one of them was not refreshed, it can be tried again.
        if status == .done { places.forget(name) }
        return status
    }

    private func refresh(
        _ account: ShareRecord.Account, _ outside: VerbDependencies, _ dependencies: Dependencies
    ) -> Bool {
        let lines = Array("protocol=https\nhost=".utf8) + account.host + Array("\nusername=".utf8) + account.username
        guard let request = try? Request(parsing: lines + [0x0a]) else { return true }
        do throws(UserFacingError) {
            guard try Refresh.run(request, outside, dependencies) == .done else { return false }
            outside.say(Message("GitHub and GitLab accept no copy of the old token any more."))
            return true
        } catch {
            dependencies.report(error)
            return false
        }
    }
}
