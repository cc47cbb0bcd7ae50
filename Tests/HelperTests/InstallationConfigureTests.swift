import TestSupport
import Testing

@Suite("configure: hosts of an app")
struct InstallationConfigureTests: HelperSuite {
    let helper = HelperFixture()
    private static let app = "[credential \"https://github.com\"]\n\tgithubAppId = 4711\n\tgithubAppKey = /k\n"

    private func configure() throws -> [String] {
        let (status, text) = try verb.run("configure")
        #expect(status == .done)
        return text
    }

    private func unconfigure() throws { #expect(try verb.run("unconfigure").status == .done) }

    @Test("makes git send the repository's path, changes nothing in a second run, and is undone completely")
    func round() throws {
        files.texts[.global] = Self.app
        #expect(
            try configure().below("Added to /global:").suffix(2) == [
                "[credential \"https://github.com\"]", "\tuseHttpPath = true",
            ])
        #expect(files.texts[.global]?.contains("useHttpPath = true") == true)
        #expect(try configure().first?.hasPrefix("Nothing to do: ") == true && files.writes == 1)
        try unconfigure()
        #expect(files.texts[.global] == Self.app)
    }

    @Test("adds the line for an app that is configured later, and leaves a person's own line alone")
    func later() throws {
        files.texts[.global] = ""
        _ = try configure()
        files.texts[.global] = (files.texts[.global] ?? "") + Self.app
        #expect(
            try configure().below("Added to /global:") == [
                "[credential \"https://github.com\"]", "\tuseHttpPath = true",
            ])
        try unconfigure()
        #expect(files.texts[.global] == Self.app)
        files.texts[.global] = Self.app + "\tuseHttpPath = false\n"
        _ = try configure()
        try unconfigure()
        #expect(files.texts[.global] == Self.app + "\tuseHttpPath = false\n")
    }
}
