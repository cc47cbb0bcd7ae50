internal import CredentialCore
package import Helper
package import Providers

package enum PullRequestOutcome: Equatable {
    case opened(PullRequest)
    /// A pull request was open before, and was not changed.
    case found(PullRequest)
    case failed(UserFacingError)
}

/// Makes the error for a host's answer: the repository's name, the sign-in, and the time in seconds since 1970.
package typealias RepositoryWords = (RepositoryAnswer, String, SignInContext, Int64) -> UserFacingError

/// Pull requests are opened by the sharing process with the person's token, after the host has accepted the push.
extension ShareCredentials {
    static let mostInAnHour = 10
    /// Milliseconds from the message of the connection's process; git waits meanwhile.
    private static let patience: Int64 = 20_000
    /// A shorter limit for a push that asks for nothing, and may get a hint.
    private static let patienceForHint: Int64 = 5_000

    /// The line that git shows to the person who pushed as `remote: …`, if any.
    func remark(after push: GatewayIntention, arrivedAt arrival: Int64) -> DisplayText? {
        guard let options = push.pullRequest else { return hint(after: push, until: arrival + Self.patienceForHint) }
        let outcome: PullRequestOutcome
        do throws(UserFacingError) {
            outcome = try open(options, after: push, until: arrival + Self.patience)
        } catch {
            outcome = .failed(error)
        }
        tell(.pullRequest(push, outcome))
        switch outcome {
        case .opened(let new): return "opened \(new.page)"
        case .found(let open): return "already open: \(open.page)"
        case .failed(let error):
            return "pushed, but no pull request was opened: \(DisplayText(trusted: error.text.english))"
        }
    }

    /// Explains how to ask for a pull request by git; `nil` if one is open for the branch, or the host gives no answer.
    private func hint(after push: GatewayIntention, until deadline: Int64) -> DisplayText? {
        guard let branch = push.branch, let access = try? access(to: push.repository) else { return nil }
        do throws(PullRequestFault) {
            let open = try access.api.find(
                head: branch, base: nil, token: access.token, until: deadline, over: access.transport)
            guard open == nil else { return nil }
        } catch {
            return nil
        }
        return "no pull request yet; a push with -o merge_request.create -o merge_request.title='...' opens one"
    }

    private func open(
        _ options: PullRequestOptions, after push: GatewayIntention, until deadline: Int64
    ) throws(UserFacingError) -> PullRequestOutcome {
        let now = clock.now
        opened.removeAll { now - $0 >= 3_600 }
        if opened.count >= Self.mostInAnHour, let first = opened.first {
            throw UserFacingError(
                .share,
                Message(
                    "%1$s pull requests were opened within an hour; the next one can be opened at %2$s",
                    Self.mostInAnHour, LocalTime.soon(first + 3_600, now: now)))
        }
        let access = try access(to: push.repository)
        do throws(PullRequestFault) {
            let (pullRequest, isNew) = try access.api.open(
                options.proposal(from: push.branch ?? ""), token: access.token, until: deadline, over: access.transport)
            if isNew { opened.append(now) }
            return isNew ? .opened(pullRequest) : .found(pullRequest)
        } catch {
            let host = access.signIn.host.displayName
            switch error {
            case .access(let answer): throw words(answer, push.repository.path, access.signIn, now)
            case .permission(let name): throw Self.missing(name, access.signIn)
            case .reason(let words): throw UserFacingError(.share, Message("%1$s says: %2$s", host, words))
            case .failed(let fault): throw fault.words(host: host)
            }
        }
    }

    /// Looks up everything again: since the push, the time may be over, or the person may have signed out.
    private func access(
        to repository: RepositoryName
    ) throws(UserFacingError) -> (api: PullRequestAPI, signIn: SignInContext, token: Secret, transport: any Transport) {
        do throws(ShareRefusal) {
            try checkTime()
            guard let host = plan.host(named: repository.host.text) else { throw .notShared }
            let lookup = try lookup(for: host)
            let credential = try lookup.find().credential
            if let refusal = lookup.refusal(of: credential, askedAs: nil) { throw refusal }
            if let signIn = try? lookup.signIn(of: credential),
                let api = signIn.host.provider.pullRequests(in: repository.path)
            {
                return (api, signIn, credential.password, lookup.dependencies.transport(signIn.transport))
            }
        } catch {
            throw UserFacingError(.share, error.text)
        }
        throw UserFacingError(.share, Message("gitspace cannot open pull requests on %1$s", repository.displayHost))
    }

    private static func missing(_ permission: DisplayText, _ signIn: SignInContext) -> UserFacingError {
        let host = signIn.host
        let hints: [Message]
        if let page = host.provider.page(.installations) {
            hints = [Message("give the app that permission, then accept it here:"), .command("\(page)")]
        } else {
            let usual = host.provider.facts.scopes
            let wanted = DisplayText(trusted: usual.contains(permission.text) ? usual : "\(usual) \(permission.text)")
            hints = [
                Message("sign in again and grant it:"),
                .setting(.oauthScopes, of: host.displayName, to: "\(word: wanted)"),
                .login(host.displayName, signIn.signInAgain(as: signIn.username), isForced: true),
            ]
        }
        return UserFacingError(
            .share, Message("the token may push, but lacks \"%1$s\" for pull requests", permission), hints)
    }
}

extension GatewayIntention {
    func lines(_ outcome: PullRequestOutcome, _ name: DisplayText, _ repository: DisplayText) -> [Message] {
        let title = pullRequest?.shownTitle ?? names
        switch outcome {
        case .opened(let new):
            return [
                Message(
                    "%1$s: opened pull request %2$s \"%3$s\" (%4$s into %5$s): %6$s", name, new.number, title, names,
                    DisplayText(foreign: new.base.utf8), Verbatim("\(new.page)"))
            ]
        case .found(let open):
            return [
                Message(
                    "%1$s: pull request %2$s (%3$s into %4$s) is open already: %5$s", name, open.number, names,
                    DisplayText(foreign: open.base.utf8), Verbatim("\(open.page)"))
            ]
        case .failed(let error):
            let line = Message(
                "%1$s: no pull request was opened from %2$s on %3$s: %4$s", name, names, repository, error.text)
            return [line] + error.hints.map(Message.indented)
        }
    }
}
