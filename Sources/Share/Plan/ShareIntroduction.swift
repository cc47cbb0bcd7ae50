internal import CredentialCore
package import Helper

extension SharePlan {
    /// The path of the share's folder inside a place that is not an SSH host.
    static let mountPoint = "/run/gitspace"

    package func introduction(to place: any SharePlace, _ sharing: ShareDependencies) -> [Message] {
        let introduction = ShareIntroduction(plan: self, sharing: sharing, directory: place.directory)
        if idle != nil { return introduction.beginning }
        switch kind {
        case .directory: return introduction.beginning + introduction.ways
        case .ssh(let destination): return introduction.beginning + introduction.way(onto: destination)
        }
    }
}

/// The words and the commands at the beginning of a share.
///
/// The client inside is git or git's own cache. The directory is mounted instead of the socket, which is a new file
/// after each start, and read-only, so that git's cache cannot start a server in it.
private struct ShareIntroduction {
    let plan: SharePlan
    let sharing: ShareDependencies
    /// The folder's path, here or on an SSH host.
    let directory: String

    /// The folder's path inside.
    private var mountPoint: DisplayText {
        DisplayText(trusted: plan.kind == .directory ? SharePlan.mountPoint : directory)
    }

    private var isGateway: Bool { plan.access.gateway != nil }

    // MARK: What is shared

    var beginning: [Message] {
        let name = plan.name.displayName
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
        case .token(let isLongLived):
            let there =
                switch plan.kind {
                case .directory: Message("the container")
                case .ssh(let destination): Message(verbatim: DisplayText(trusted: destination))
                }
            return [
                end.map { Message("Sharing your sign-in to %1$s as \"%2$s\" until %3$s.", subject, name, $0) }
                    ?? Message("Sharing your sign-in to %1$s as \"%2$s\".", subject, name),
                isLongLived
                    ? Message(
                        "Root in %1$s gets your credentials and can keep them, even if they do not expire.", there)
                    : Message("Root in %1$s gets your token and can use it until it expires.", there),
            ] + confirmation
        }
    }

    private var subject: Message {
        let subject = plan.access.gateway?.subject ?? Message(verbatim: hosts.joined(separator: ", "))
        let accounts = plan.hosts.compactMap(\.username).withoutRepetitions
        guard !accounts.isEmpty else { return subject }
        return Message("%1$s (as %2$s)", subject, accounts.map { DisplayText(untrusted: $0) }.joined(separator: ", "))
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

    func way(onto destination: String) -> [Message] {
        [Message("For git on %1$s, run this there once:", DisplayText(trusted: destination))]
            + inside.map { .command($0) } + [Self.howToStop]
    }

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
            Message("For an SSH host, instead of this command:"),
            .command("git credential-gitspace share ssh HOST\(plan.options())"), Self.howToStop,
        ]
    }

    private static let howToStop = Message("To stop, press Ctrl-C.")

    // MARK: The commands

    /// The command for podman without root: the user inside is the one outside.
    private var podman: DisplayText {
        let volume: DisplayText = "\(word: directory):\(mountPoint):ro"
        return "podman run -it --rm\(network) --userns=keep-id -v \(volume)\(label) \(environment) IMAGE"
    }

    /// The command for docker with root, with the same user ID inside.
    ///
    /// With `--mount`, a missing directory is an error; `-v` would create it as root.
    private var docker: DisplayText {
        let user = #""$(id -u):$(id -g)""# as DisplayText
        return "docker run -it --rm\(network) --user \(user) --mount \(mount),readonly\(label) \(environment) IMAGE"
    }

    /// The folder that bubblewrap shows as the home; never a working copy, whose hooks could run outside.
    private var folder: DisplayText { "~/sandbox/\(plan.name.displayName)" }

    /// The command for bubblewrap: a program gets its own folder, and none of the person's files, variables or sockets.
    ///
    /// `env -i` instead of `--clearenv`, since the `/proc/1/environ` of the sandbox's bwrap is readable.
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

    private var network: DisplayText { !isGateway ? "" : " --network none" }

    /// The first clone inside, or `nil` unless exactly one repository is shared.
    private var clone: DisplayText? {
        guard let repositories = plan.access.gateway?.repositories, repositories.count == 1 else { return nil }
        return "git clone \(repositories[0].url)"
    }

    /// The commands of Dev Containers, whose `--mount` has no `readonly`.
    ///
    /// A mount in `devcontainer.json` would break the container for everybody who does not share.
    private var devcontainer: [DisplayText] {
        ["devcontainer up --workspace-folder . --mount \(mount)"]
            + inside.map { "devcontainer exec --workspace-folder . \($0)" }
    }

    /// The commands that configure git inside once, for places whose environment cannot be set.
    private var inside: [DisplayText] {
        settings.map { key, value in
            "git config --global \(value.text.isEmpty ? "--replace-all" : "--add") \(word: key) \(word: value)"
        }
    }

    private var mount: DisplayText { "type=bind,source=\(word: directory),target=\(mountPoint)" }

    /// The option for SELinux, whose policies let containers connect only to their own kind (container-selinux).
    private var label: DisplayText { sharing.shares.confinesContainers ? " --security-opt label=disable" : "" }

    /// git's configuration by the environment (git-config(1), "ENVIRONMENT").
    private var environment: DisplayText {
        configuration.map { name, value -> DisplayText in "-e \(name)=\(word: value)" }.joined(separator: " ")
    }

    private var configuration: [(name: DisplayText, value: DisplayText)] {
        let variables = settings.enumerated().flatMap { number, setting in
            [
                ("GIT_CONFIG_KEY_\(number)" as DisplayText, setting.key),
                ("GIT_CONFIG_VALUE_\(number)" as DisplayText, setting.value),
            ]
        }
        return [("GIT_CONFIG_COUNT", "\(settings.count)")] + variables
    }

    /// The settings of git inside; an empty helper keeps the token from other helpers there, such as one that writes
    /// files.
    private var settings: [(key: DisplayText, value: DisplayText)] {
        if isGateway { return [("include.path", "\(mountPoint)/\(DisplayText(trusted: SharePlan.configurationFile))")] }
        return hosts.flatMap { host -> [(key: DisplayText, value: DisplayText)] in
            let key: DisplayText = "credential.https://\(host).helper"
            // git-credential-cache(1).
            return [(key, ""), (key, "cache --socket \(mountPoint)/socket")]
        }
    }

    private var hosts: [DisplayText] { plan.hosts.map { DisplayText(untrusted: $0.name) } }
}
