import Foundation
import Staging
import StandIn

extension Client {
    /// git-lfs of this machine, and of Debian's later suites, each with the git of its time.
    static let lfs: [Client] = [
        (folder: nil, git: Git.system, absence: "it is not installed"),
        (
            folder: "git-lfs-trixie", git: Git.newer ?? .system,
            absence: "Tests/World/newest.sh could not fetch that of trixie"
        ),
        (folder: "git-lfs-sid", git: newestGit, absence: "Tests/World/newest.sh could not fetch that of sid"),
    ].map { (folder: String?, git: Git, absence: String) in
        let path = folder.map { BuiltFiles.root + ".build/world/\($0)/bin" }
        return Client(
            program: "git-lfs", tried: "push, lock, fetch",
            version: version(path.map { $0 + "/git-lfs" } ?? "git-lfs", "version"),
            absence: absence, git: git,
            environment: { fixture in lfsEnvironment(fixture, path) },
            script: { fixture in
                """
                git clone --quiet \(fixture.address()) one; cd one
                \(commitLargeFile)
                git push --quiet origin HEAD:refs/heads/$$
                git lfs lock large.bin; git lfs unlock large.bin
                cd ..; git clone --quiet --branch $$ \(fixture.address()) two
                test "$(wc -c <two/large.bin)" = 100000
                """
            })
    }

    /// A file that Git LFS keeps, in a commit.
    static let commitLargeFile = """
        git lfs install --local >/dev/null; git lfs track '*.bin' >/dev/null
        head -c 100000 /dev/urandom >large.bin
        git add .; git commit --quiet --message='A large file'
        """

    private static func lfsEnvironment(_ fixture: EndToEndFixture, _ path: String?) -> [String: String] {
        // git runs `git-lfs` for its filters as well, in folders where no hook is installed.
        var environment = [
            "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "filter.lfs.process",
            "GIT_CONFIG_VALUE_0": "git-lfs filter-process", "GIT_CONFIG_KEY_1": "filter.lfs.required",
            "GIT_CONFIG_VALUE_1": "true",
        ]
        let folders = [path, fixture.git.folder, fixture.session.environment["PATH"]].compactMap(\.self)
        environment["PATH"] = folders.joined(separator: ":")
        return environment
    }
}
