internal import CredentialCore
internal import Messages

/// Commands that open a shared directory to a container, to be pasted as they are.
///
/// Inside, git's own cache is the client, so nothing of ours has to be there. The directory is mounted, not the socket
/// in it, which is a new file after each start; read-only, so that git's cache cannot start its own server in it.
struct ShareLines {
    private let target: ShareTarget
    private let directory: String
    private let confinesContainers: Bool

    /// Where the directory is inside.
    private let mountPoint: DisplayText

    static let mountPoint: DisplayText = "/run/gitspace"

    /// The lines for a directory.
    ///
    /// - Parameters:
    ///   - target: what may be asked for.
    ///   - directory: where it is here.
    ///   - mountPoint: where it is inside.
    ///   - confinesContainers: whether containers need permission to connect to it.
    init(
        _ target: ShareTarget, directory: String, mountPoint: DisplayText = Self.mountPoint,
        confinesContainers: Bool = false
    ) {
        self.target = target
        self.directory = directory
        self.mountPoint = mountPoint
        self.confinesContainers = confinesContainers
    }

    var isGateway: Bool { target.access.gateway != nil }

    /// The helper inside (git-credential-cache(1)).
    private var helper: DisplayText { "cache --socket \(mountPoint)/socket" }

    /// Podman without root: the user inside is the one outside.
    var podman: DisplayText {
        let volume: DisplayText = "\(word: directory):\(mountPoint):ro"
        return "podman run -it --rm\(network) --userns=keep-id -v \(volume)\(label) \(environment) IMAGE"
    }

    /// Docker with root, where the user inside has the same number.
    ///
    /// With `--mount`, a missing directory is an error; `-v` would create it as root.
    var docker: DisplayText {
        let user = #""$(id -u):$(id -g)""# as DisplayText
        return "docker run -it --rm\(network) --user \(user) --mount \(mount),readonly\(label) \(environment) IMAGE"
    }

    /// The folder that bubblewrap shows as the home: what is in a working copy of the person's runs outside, such as a
    /// hook at the next `git status`.
    var folder: DisplayText { "~/sandbox/\(DisplayText(trusted: target.name.text))" }

    /// Bubblewrap, for a program of this machine, with a folder of its own and none of the person's files, variables or
    /// sockets.
    ///
    /// `--clearenv` would not do: the sandbox's first process is bwrap's own, and its `/proc/1/environ` can be read.
    var bubblewrap: [DisplayText] {
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
    private var network: DisplayText { target.access.gateway == nil ? "" : " --network none" }

    /// What git inside clones first; nil if more than one repository is shared.
    var clone: DisplayText? {
        guard case .repositories(let repositories)? = target.access.gateway?.scope, repositories.count == 1 else {
            return nil
        }
        return repositories.first.map { "git clone https://\(DisplayText(untrusted: $0.host.text))/\($0.displayName)" }
    }

    /// The command of Dev Containers, whose `--mount` has no `readonly`; not in `devcontainer.json`, where it would
    /// break the container of everybody who does not share.
    var devcontainer: [DisplayText] {
        ["devcontainer up --workspace-folder . --mount \(mount)"]
            + inside.map { "devcontainer exec --workspace-folder . \($0)" }
    }

    /// Instead of a directory.
    var ssh: DisplayText { "git credential-gitspace share ssh HOST\(target.limiting)\(target.manner)" }

    /// Sets up git inside, once, where its environment cannot be set.
    var inside: [DisplayText] {
        guard target.access.gateway == nil else {
            return ["git config --global --add include.path \(word: included)"]
        }
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
    private var label: DisplayText { confinesContainers ? " --security-opt label=disable" : "" }

    /// git's configuration by the environment (git-config(1), "ENVIRONMENT"): the empty helper keeps others from
    /// getting the token, such as one that would write it into a file.
    private var environment: DisplayText {
        configuration.map { name, value -> DisplayText in "-e \(name)=\(word: value)" }
            .joined(separator: " ")
    }

    private var configuration: [(name: DisplayText, value: DisplayText)] {
        var settings: [(key: DisplayText, value: DisplayText)] = [("include.path", included)]
        if target.access.gateway == nil {
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

    private var included: DisplayText { "\(mountPoint)/\(DisplayText(trusted: GatewayConfiguration.file))" }

    private var hosts: [DisplayText] { target.hosts.map { DisplayText(untrusted: $0.name) } }
}
