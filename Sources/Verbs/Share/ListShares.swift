internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import Share

/// The verb `share list`.
struct ListShares: Verb {
    static let configuration = CommandConfiguration(
        "share list", Message("List what is shared, and when it was last used."),
        examples: ["share list", "share stop box"], isListed: false)

    func run(with outside: VerbDependencies) -> ExitStatus {
        let found = outside.sharing.targets.all
        if found.isEmpty { outside.say(Message("Nothing is shared.")) }
        for target in found {
            let name = DisplayText(trusted: target.name.text)
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
            if let gateway = record.gateway {
                let words = gateway.subject.map { Message("Only %1$s: %2$s.", $0, gateway.right) }
                outside.say(.indented(words ?? Message("No token is given away: %1$s.", gateway.right)))
            }
            if let last = record.lastUse {
                outside.say(.indented(Message("Uses: %1$s. Last use: %2$s.", record.uses, LocalTime.text(last))))
            } else {
                outside.say(.indented(Message("Not used since %1$s.", LocalTime.text(record.since))))
            }
            for push in record.pushes {
                let time = LocalTime.text(push.time)
                outside.say(
                    .indented(
                        push.ref.change == .deleted
                            ? Message("%1$s: deleted %2$s on %3$s.", time, push.ref.name, push.repository)
                            : Message("%1$s: pushed %2$s to %3$s.", time, push.ref.name, push.repository)))
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
