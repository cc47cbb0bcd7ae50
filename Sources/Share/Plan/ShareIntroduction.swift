internal import CredentialCore
package import Helper

extension SharePlan {
    /// Where a place finds the folder of its share, unless it is an SSH host.
    static let mountPoint = "/run/gitspace"

    /// What a person reads when the share begins, with commands that open it to the place, to be pasted as they are.
    package func introduction(to place: any SharePlace, _ sharing: ShareDependencies) -> [Message] {
        let introduction = ShareIntroduction(self, to: place, sharing)
        if idle != nil { return introduction.beginning }
        switch kind {
        case .directory: return introduction.beginning + introduction.ways
        case .ssh(let destination): return introduction.beginning + introduction.way(onto: destination)
        }
    }
}

/// The words and the commands of a share that begins.
///
/// Inside, git's own cache is the client, so nothing of ours has to be there. The directory is mounted, not the socket
/// in it, which is a new file after each start; read-only, so that git's cache cannot start its own server in it.
private struct ShareIntroduction {
    private let plan: SharePlan
    private let sharing: ShareDependencies
    /// Where the folder is here, or on an SSH host.
    private let directory: String
    /// Where it is inside.
    private let mountPoint: DisplayText

    init(_ plan: SharePlan, to place: any SharePlace, _ sharing: ShareDependencies) {
        self.plan = plan
        self.sharing = sharing
        directory = place.directory
        mountPoint = DisplayText(trusted: plan.kind == .directory ? SharePlan.mountPoint : directory)
    }

    private var isGateway: Bool { plan.access.gateway != nil }

    // MARK: What is shared

    var beginning: [Message] {
        let name = DisplayText(trusted: plan.name.text)
        let end = plan.end.map { LocalTime.soon($0.time, now: sharing.clock.now) }
        switch plan.access {
        case .gateway(let gateway):
            let sharing =
                end.map {
                    Message(
                        "Sharing %1$s as \"%2$s\" until %4$s: %3$s. No token is given away.", subject, name,
                        gateway.right, $0)
                } ?? Message("Sharing %1$s as \"%2$s\": %3$s. No token is given away.", subject, name, gateway.right)
            let landlock = Message(
                "This kernel has no Landlock, which would keep what reads the place's requests away from your files.")
            return [sharing] + (self.sharing.shares.confinesConnections ? [] : [landlock]) + confirmation
        case .token(let terms):
            let there =
                switch plan.kind {
                case .directory: Message("the container")
                case .ssh(let destination): Message(verbatim: DisplayText(trusted: destination))
                }
            return [
                end.map { Message("Sharing your sign-in to %1$s as \"%2$s\" until %3$s.", subject, name, $0) }
                    ?? Message("Sharing your sign-in to %1$s as \"%2$s\".", subject, name),
                terms.isLongLived
                    ? Message(
                        "Root in %1$s gets your credentials and can keep them, even if they do not expire.", there)
                    : Message("Root in %1$s gets your token and can use it until it expires.", there),
            ] + confirmation
        }
    }

    /// What is shared, and as whom.
    private var subject: Message {
        let subject = plan.access.gateway?.subject ?? Message(verbatim: hosts.joined(separator: ", "))
        let accounts = plan.hosts.compactMap(\.username).reduce(into: [[UInt8]]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        guard !accounts.isEmpty else { return subject }
        return Message(
            "%1$s (as %2$s)", subject, accounts.map { DisplayText(untrusted: $0) }.joined(separator: ", "))
    }

    private var confirmation: [Message] {
        let isReadOnly = plan.access.gateway?.isReadOnly == true
        let asks = plan.confirmation == .once || plan.confirmation == .each && !isReadOnly
        guard !asks || sharing.screen.canAsk else {
            return [
                Message(
                    "Nobody can be asked here, since no notification service with buttons runs, so nothing is allowed. To allow everything:"
                ), .command(plan.command(confirming: .never)),
            ]
        }
        return switch plan.confirmation {
        case .once: [Message("You are asked once, and again after 8 hours or a screen lock.")]
        case .each where isGateway && !isReadOnly: [Message("You are asked before each push.")]
        case .each where !isGateway: [Message("You are asked each time it is used.")]
        case .never, .each: [Message("You are not asked when it is used.")]
        }
    }

    // MARK: How it is reached

    /// The lines for an SSH host, to which the socket leads already.
    func way(onto destination: String) -> [Message] {
        [Message("For git on %1$s, run this there once:", DisplayText(trusted: destination))]
            + inside.map { .command($0) } + [Self.howToStop]
    }

    /// The lines for a folder.
    var ways: [Message] {
        var messages = [
            isGateway
                ? Message("For podman, replace IMAGE (no network is needed):") : Message("For podman, replace IMAGE:"),
            .command(podman),
        ]
        if isGateway {
            messages.append(
                Message(
                    "For bubblewrap, with %1$s as its home, where it clones; you get the work by its pushes:", folder))
            messages += bubblewrap.map { .command($0) }
        }
        messages += [
            Message("For docker, replace IMAGE:"), .command(docker),
            Message("The user inside must be you or root; for any other, each git command fails."),
            Message(
                "For a dev container, in your project's folder; what it writes there, such as a hook, can run on your machine:"
            ),
        ]
        messages += devcontainer.map { .command($0) }
        if let clone { messages += [Message("Inside, git clones and pushes as usual:"), .command(clone)] }
        if isGateway { messages.append(Message("Files in Git LFS stay pointers inside; --token can fetch them.")) }
        return messages + [
            Message("For an SSH host, instead of this command:"), .command(ssh), Self.howToStop,
        ]
    }

    private static let howToStop = Message("To stop, press Ctrl-C.")

    // MARK: The commands

    /// The helper inside (git-credential-cache(1)).
    private var helper: DisplayText { "cache --socket \(mountPoint)/socket" }

    /// Podman without root: the user inside is the one outside.
    private var podman: DisplayText {
        let volume: DisplayText = "\(word: directory):\(mountPoint):ro"
        return "podman run -it --rm\(network) --userns=keep-id -v \(volume)\(label) \(environment) IMAGE"
    }

    /// Docker with root, where the user inside has the same number.
    ///
    /// With `--mount`, a missing directory is an error; `-v` would create it as root.
    private var docker: DisplayText {
        let user = #""$(id -u):$(id -g)""# as DisplayText
        return "docker run -it --rm\(network) --user \(user) --mount \(mount),readonly\(label) \(environment) IMAGE"
    }

    /// The folder that bubblewrap shows as the home: what is in a working copy of the person's runs outside, such as a
    /// hook at the next `git status`.
    private var folder: DisplayText { "~/sandbox/\(DisplayText(trusted: plan.name.text))" }

    /// Bubblewrap, for a program of this machine, with a folder of its own and none of the person's files, variables or
    /// sockets.
    ///
    /// `--clearenv` would not do: the sandbox's first process is bwrap's own, and its `/proc/1/environ` can be read.
    private var bubblewrap: [DisplayText] {
        let kept = (["HOME", "PATH", "TERM", "LANG"] as [DisplayText]).map { name -> DisplayText in
            #"\#(name)="$\#(name)""#
        }
        let variables = kept + configuration.map { name, value -> DisplayText in "\(name)=\(word: value)" }
        let files = #"--ro-bind / / --dev /dev --proc /proc --tmpfs /run --tmpfs /tmp"# as DisplayText
        let home = #"--bind \#(folder) "$HOME" --chdir "$HOME""# as DisplayText
        return [
            "mkdir -p \(folder)",
            "env -i \(variables.joined(separator: " ")) bwrap --unshare-all --die-with-parent \(files) \(home) --ro-bind \(word: directory) \(mountPoint) bash",
        ]
    }

    /// A gateway needs none.
    private var network: DisplayText { !isGateway ? "" : " --network none" }

    /// What git inside clones first; nil if more than one repository is shared.
    private var clone: DisplayText? {
        guard case .repositories(let repositories)? = plan.access.gateway?.scope, repositories.count == 1 else {
            return nil
        }
        return repositories.first.map { "git clone https://\(DisplayText(untrusted: $0.host.text))/\($0.displayName)" }
    }

    /// The command of Dev Containers, whose `--mount` has no `readonly`; not in `devcontainer.json`, where it would
    /// break the container of everybody who does not share.
    private var devcontainer: [DisplayText] {
        ["devcontainer up --workspace-folder . --mount \(mount)"]
            + inside.map { "devcontainer exec --workspace-folder . \($0)" }
    }

    /// Instead of a directory.
    private var ssh: DisplayText { "git credential-gitspace share ssh HOST\(plan.limiting)\(plan.manner)" }

    /// Sets up git inside, once, where its environment cannot be set.
    private var inside: [DisplayText] {
        if isGateway { return ["git config --global --add include.path \(word: included)"] }
        return hosts.flatMap { host -> [DisplayText] in
            let key: DisplayText = "credential.https://\(host).helper"
            return [
                "git config --global --replace-all \(word: key) ''",
                "git config --global --add \(word: key) \(word: helper)",
            ]
        }
    }

    private var mount: DisplayText { "type=bind,source=\(word: directory),target=\(mountPoint)" }

    /// SELinux policies let containers connect only to their own kind (container-selinux).
    private var label: DisplayText { sharing.shares.confinesContainers ? " --security-opt label=disable" : "" }

    /// git's configuration by the environment (git-config(1), "ENVIRONMENT"): the empty helper keeps others from
    /// getting the token, such as one that would write it into a file.
    private var environment: DisplayText {
        configuration.map { name, value -> DisplayText in "-e \(name)=\(word: value)" }
            .joined(separator: " ")
    }

    private var configuration: [(name: DisplayText, value: DisplayText)] {
        var settings: [(key: DisplayText, value: DisplayText)] = [("include.path", included)]
        if !isGateway {
            settings = hosts.flatMap { host -> [(key: DisplayText, value: DisplayText)] in
                let key: DisplayText = "credential.https://\(host).helper"
                return [(key, ""), (key, helper)]
            }
        }
        let variables = settings.enumerated().flatMap { number, setting in
            [
                ("GIT_CONFIG_KEY_\(number)" as DisplayText, setting.key),
                ("GIT_CONFIG_VALUE_\(number)" as DisplayText, setting.value),
            ]
        }
        return [("GIT_CONFIG_COUNT", "\(settings.count)")] + variables
    }

    private var included: DisplayText { "\(mountPoint)/\(DisplayText(trusted: SharePlan.configurationFile))" }

    private var hosts: [DisplayText] { plan.hosts.map { DisplayText(untrusted: $0.name) } }
}
