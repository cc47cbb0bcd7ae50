internal import CredentialCore
internal import Helper

/// The lines that open a shared directory to a container: to be pasted as they are.
///
/// Inside, git's own cache is the client, so nothing of ours has to be there. The directory is mounted, and not the
/// socket in it, which is another file after each start; read-only, lest git's cache start a server of its own in it.
struct ShareLines {
    private let place: SharedPlace
    private let directory: String
    private let confinesContainers: Bool

    /// Where the directory is inside.
    private let mountPoint: DisplayText

    /// The lines for a directory.
    ///
    /// - Parameters:
    ///   - place: what may be asked for.
    ///   - directory: where it is here.
    ///   - mountPoint: where it is inside.
    ///   - confinesContainers: whether containers have to be told that they may connect to it.
    init(
        _ place: SharedPlace, directory: String, mountPoint: DisplayText = "/run/gitspace",
        confinesContainers: Bool = false
    ) {
        self.place = place
        self.directory = directory
        self.mountPoint = mountPoint
        self.confinesContainers = confinesContainers
    }

    /// What stands for us inside (git-credential-cache(1)).
    private var helper: DisplayText { "cache --socket \(mountPoint)/socket" }

    /// Podman without root: the user inside is the one outside.
    var podman: DisplayText {
        let volume: DisplayText = "\(word: directory):\(mountPoint):ro"
        return "podman run --userns=keep-id -v \(volume)\(label) \(environment) IMAGE"
    }

    /// Docker with root, where the user inside has the same number.
    ///
    /// With `--mount`, a missing directory is an error; `-v` would make one, as root's.
    var docker: DisplayText {
        let user = #""$(id -u):$(id -g)""# as DisplayText
        return "docker run --user \(user) --mount \(mount),readonly\(label) \(environment) IMAGE"
    }

    /// The command of Dev Containers, whose `--mount` knows no `readonly`; not in `devcontainer.json`, where it would
    /// stop everybody's container who does not share.
    var devcontainer: [DisplayText] {
        ["devcontainer up --workspace-folder . --mount \(mount)"]
            + inside.map { "devcontainer exec --workspace-folder . \($0)" }
    }

    /// What sets up git inside, once, where its environment cannot be given.
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

    /// Policies of SELinux let containers connect to their own kind alone (container-selinux).
    private var label: DisplayText { confinesContainers ? " --security-opt label=disable" : "" }

    /// git's configuration by the environment (git-config(1), "ENVIRONMENT"): the blank helper keeps others from getting
    /// the token, among them one that would write it into a file.
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

    private var hosts: [DisplayText] { place.hosts.map { DisplayText($0.name) } }
}
