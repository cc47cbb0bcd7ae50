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

    /// The lines for a directory.
    ///
    /// - Parameters:
    ///   - target: what may be asked for.
    ///   - directory: where it is here.
    ///   - mountPoint: where it is inside.
    ///   - confinesContainers: whether containers need permission to connect to it.
    init(
        _ target: ShareTarget, directory: String, mountPoint: DisplayText = "/run/gitspace",
        confinesContainers: Bool = false
    ) {
        self.target = target
        self.directory = directory
        self.mountPoint = mountPoint
        self.confinesContainers = confinesContainers
    }

    /// The helper inside (git-credential-cache(1)).
    private var helper: DisplayText { "cache --socket \(mountPoint)/socket" }

    /// Podman without root: the user inside is the one outside.
    var podman: DisplayText {
        let volume: DisplayText = "\(word: directory):\(mountPoint):ro"
        return "podman run --userns=keep-id -v \(volume)\(label) \(environment) IMAGE"
    }

    /// Docker with root, where the user inside has the same number.
    ///
    /// With `--mount`, a missing directory is an error; `-v` would create it as root.
    var docker: DisplayText {
        let user = #""$(id -u):$(id -g)""# as DisplayText
        return "docker run --user \(user) --mount \(mount),readonly\(label) \(environment) IMAGE"
    }

    /// The command of Dev Containers, whose `--mount` has no `readonly`; not in `devcontainer.json`, where it would
    /// break the container of everybody who does not share.
    var devcontainer: [DisplayText] {
        ["devcontainer up --workspace-folder . --mount \(mount)"]
            + inside.map { "devcontainer exec --workspace-folder . \($0)" }
    }

    /// Instead of a directory.
    var ssh: DisplayText { "git credential-gitspace share ssh HOST\(target.limiting)" }

    /// Sets up git inside, once, where its environment cannot be set.
    var inside: [DisplayText] {
        hosts.flatMap { host -> [DisplayText] in
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
        var pairs: [DisplayText] = []
        for host in hosts {
            for value in ["", helper] as [DisplayText] {
                let number = pairs.count / 2
                pairs.append("-e \(word: "GIT_CONFIG_KEY_\(number)=credential.https://\(host).helper" as DisplayText)")
                pairs.append("-e \(word: "GIT_CONFIG_VALUE_\(number)=\(value)" as DisplayText)")
            }
        }
        return (["-e GIT_CONFIG_COUNT=\(pairs.count / 2)"] + pairs).joined(separator: " ")
    }

    private var hosts: [DisplayText] { target.hosts.map { DisplayText(untrusted: $0.name) } }
}
