package import CredentialCore
internal import Helper
package import System

/// An entry of the log, which never contains a token.
package enum ShareEvent: Equatable {
    case given(ShareRecord.Account, Peer)
    case refused(ShareRefusal, host: DisplayText, Peer)
    /// A connection of a user who is neither root nor us.
    case turnedAway(user: UInt32)
    /// The host rejected the target's token, and it was replaced.
    case replaced(ShareRecord.Account)
    /// A connection of a gateway got a token for an exchange.
    case begun(GatewayIntention)
    /// An exchange ended; `nil` if its process ended without a report.
    case ended(GatewayIntention, GatewayOutcome?)
    /// A request was refused, and nothing of it reached the host.
    case refusedRequest(GatewayIntention, ShareRefusal)
    /// A push that asked for a pull request was accepted.
    case pullRequest(GatewayIntention, PullRequestOutcome)
    /// Some time has passed, or the share ends: the record is written if it has changed.
    case flush

    fileprivate var withoutProcess: ShareEvent {
        switch self {
        case .given(let account, let peer): .given(account, Peer(process: 0, user: peer.user))
        case .refused(let why, let host, let peer): .refused(why, host: host, Peer(process: 0, user: peer.user))
        default: self
        }
    }

    func lines(_ plan: SharePlan) -> [Message] {
        let (name, policy) = (plan.name.displayName, plan.access.gateway)
        switch self {
        case .begun, .flush: return []
        case .ended(let intention, let outcome):
            return intention.lines(outcome, name, intention.repository.name(under: policy))
        case .pullRequest(let intention, let outcome):
            return intention.lines(outcome, name, intention.repository.name(under: policy))
        case .refusedRequest(let intention, let why):
            let (why, repository) = (why.text(policy), intention.repository.name(under: policy))
            if intention.isPush {
                return [Message("%1$s: refused a push to %2$s on %3$s: %4$s", name, intention.names, repository, why)]
            }
            return [Message("%1$s: refused %2$s: %3$s", name, repository, why)]
        case .given(let account, let peer):
            return [
                Message(
                    "%1$s: gave the credentials of %2$s to process %3$s (user %4$s)", account.shownHost,
                    account.shownName, Int(peer.process), Int(peer.user))
            ]
        case .refused(let why, let host, let peer):
            return [
                Message(
                    "%1$s: refused process %2$s (user %3$s): %4$s", host, Int(peer.process), Int(peer.user), why.text)
            ]
        case .turnedAway(let user):
            return [Message("refused user %1$s: only your own user and root may use this share", Int(user))]
        case .replaced(let account):
            return [
                Message(
                    "%1$s: refreshed the token of %2$s, because the server rejects it", account.shownHost,
                    account.shownName)
            ]
        }
    }
}

/// The record and the log of a share; repeated events cannot fill them.
final class ShareJournal {
    /// Milliseconds before equal lines are printed again.
    private static let interval: Int64 = 60_000
    /// The most different lines within that time, besides those of pushes.
    private static let most = 60

    private let plan: SharePlan
    private let place: any SharePlace
    private let clock: any Clock
    private let say: (Message) -> Void
    private(set) var record: ShareRecord
    /// Whether the record has changed since it was written.
    private var isBehind = false
    private var told: [(lines: [Message], time: Int64)] = []

    /// Begins the record, which continues the place's last one.
    init(of plan: SharePlan, in place: any SharePlace, clock: any Clock, say: @escaping (Message) -> Void) {
        self.plan = plan
        self.place = place
        self.clock = clock
        self.say = say
        record = ShareRecord(of: plan, since: clock.now, after: place.lastRecord)
        place.write(record)
    }

    func note(_ event: ShareEvent) {
        let old = record
        record.note(event, now: clock.now)
        isBehind = isBehind || record != old
        let lines = lines(of: event, at: clock.uptimeMilliseconds)
        // A refusal that is not told again is counted, and written with the next event: a place may ask in a loop.
        if isBehind, !lines.isEmpty || record.refusals == old.refusals {
            place.write(record)
            isBehind = false
        }
        lines.forEach(say)
    }

    /// The lines for an event; always for the end of a push, otherwise only if they were not printed recently.
    private func lines(of event: ShareEvent, at now: Int64) -> [Message] {
        let lines = event.lines(plan)
        switch event {
        case .ended(let intention, _) where intention.isPush: return lines
        case .pullRequest, .flush: return lines
        default: break
        }
        told.removeAll { now - $0.time >= Self.interval }
        let same = event.withoutProcess.lines(plan)
        guard told.count <= Self.most, !told.contains(where: { $0.lines == same }) else { return [] }
        told.append((same, now))
        guard told.count <= Self.most else {
            return [Message("%1$s: more is asked and refused than is told here", plan.name.displayName)]
        }
        return lines
    }
}

extension ShareRefusal {
    /// The reason; names the branches that may be pushed if a branch was refused.
    fileprivate func text(_ policy: GatewayPolicy?) -> Message {
        guard self == .branches, let names = policy?.branchNames else { return text }
        return Message("only %1$s may be pushed", names)
    }
}

extension RepositoryName {
    /// The name, with its host unless only that is shared.
    package func name(under policy: GatewayPolicy?) -> DisplayText {
        policy?.hosts.allSatisfy { $0.canonicalForHTTPS == host } == false
            ? "\(displayHost)/\(displayName)" : displayName
    }
}

extension GatewayIntention {
    fileprivate func lines(_ outcome: GatewayOutcome?, _ name: DisplayText, _ repository: DisplayText) -> [Message] {
        if case .failed(let fault) = outcome {
            return [Message("%1$s: %2$s failed: %3$s", name, repository, fault.text)]
        }
        if isPush { return pushLines(outcome, name, repository) }
        guard step == .transfer, service == .uploadPack else { return [] }
        switch outcome {
        case .answered: return [Message("%1$s: fetched %2$s", name, repository)]
        case nil, .clientGone(hasBegun: true), .hostGone:
            return [Message("%1$s: fetched a part of %2$s, or all of it", name, repository)]
        default: return []
        }
    }

    private func pushLines(_ outcome: GatewayOutcome?, _ name: DisplayText, _ repository: DisplayText) -> [Message] {
        let why: Message
        switch outcome {
        case .reported(let result): return lines(result, name, repository)
        case .clientGone(hasBegun: false): return []
        case .clientGone: why = Message("the place has closed its connection")
        case .hostGone: why = Message("the server has closed the connection")
        case nil: why = Message("its process has ended before")
        default: why = Message("the server does not say")
        }
        return [uncertain(names, name, repository, why)]
    }

    private func uncertain(
        _ refs: DisplayText, _ name: DisplayText, _ repository: DisplayText, _ why: Message
    ) -> Message {
        Message("%1$s: uncertain whether the server took a push to %2$s on %3$s: %4$s", name, refs, repository, why)
    }

    private func lines(_ result: PushResult, _ name: DisplayText, _ repository: DisplayText) -> [Message] {
        var lines = zip(commands, result.marks).filter { $0.1 == .accepted }.map { command, _ in
            let (ref, ids) = (command.displayName, command.abbreviatedIDs)
            return switch command.change {
            case .created: Message("%1$s: pushed %2$s to %3$s (new, %4$s)", name, ref, repository, ids)
            case .updated: Message("%1$s: pushed %2$s to %3$s (%4$s)", name, ref, repository, ids)
            case .deleted: Message("%1$s: deleted %2$s on %3$s", name, ref, repository)
            }
        }
        if let more = result.others[.accepted] {
            lines.append(Message("%1$s: pushed %2$s more refs to %3$s", name, more, repository))
        }
        if let names = refs(.rejected, in: result) {
            lines.append(Message("%1$s: the server rejected a push to %2$s on %3$s", name, names, repository))
        }
        if let names = refs(.unknown, in: result) {
            lines.append(uncertain(names, name, repository, Message("the server does not say")))
        }
        return lines
    }
}
