import Staging
import Testing

extension Share {
    /// An agent in a real bubblewrap, by the lines that `share` prints.
    @Suite("Sandboxes of bubblewrap")
    struct BubblewrapTests {
        private static let gits = Git.all + [Git.newest].compactMap(\.self)

        @Test("pushes a branch and opens its pull request, without network, token and variables", arguments: gits)
        func pullRequest(git: Git) async throws {
            let tried = "share --pull-requests, git inside"
            guard let bwrap = try? RunningProgram.run(["bwrap", "--version"]), bwrap.status == 0 else {
                WorldRow.notRun(.share, "bubblewrap", tried: tried, because: "it is not installed")
                return
            }
            let fixture = try await EndToEndFixture(git: git)
            let token = try await fixture.signedIn("monalisa")
            let program = try fixture.start([
                BuiltFiles.helper, "share", "agent", "--repository", fixture.address(), "--branch", "agent/*",
                "--pull-requests",
            ])
            let box = try await SharedBox(program, name: "agent", in: fixture)
            let script = """
                git clone --quiet \(fixture.address()) work && cd work &&
                git -c user.name=a -c user.email=a@example.test commit --quiet --allow-empty -m inside &&
                git push -o merge_request.create -o merge_request.title="Fix the login" origin HEAD:agent/fix &&
                git ls-remote origin "refs/pull/7/*" && ! grep --quiet eth0 /proc/net/dev &&
                cat /proc/1/environ /proc/self/environ >../variables && grep --quiet --text ^HOME= ../variables &&
                ! grep --quiet --text GH_TOKEN ../variables
                """
            let line = try box.printedLine("env -i ")
            let end = try await fixture.start(
                [
                    "sh", "-c",
                    "\(try box.printedLine("mkdir -p ")) && \(line.dropLast("bash".count)) sh -c '\(script)'",
                ], environment: ["GH_TOKEN": "ghp_outside"]
            ).ended(within: .seconds(60))
            let page = "https://\(fixture.host)/acme/private/pull/7"
            #expect(end.status == 0 && end.errors.contains("remote: gitspace: opened \(page)"), "\(end.errors)")
            #expect(end.output.hasSuffix("\trefs/pull/7/head\n") && !end.output.contains(token.accessToken))
            #expect(fixture.github.pullRequests().map(\.title) == ["Fix the login"])
            WorldRow.add(
                .share, "bubblewrap",
                bwrap.output.split(separator: " ").last.map { $0.trimmingCharacters(in: .newlines) } ?? "",
                tried: "\(tried) (\(git))",
                result: "pushes a branch, and its pull request is opened; no token and no network inside")
        }
    }
}
