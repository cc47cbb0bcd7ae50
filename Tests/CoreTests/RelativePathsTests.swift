import Testing

@testable import System

@Suite("Relative folders in the environment")
struct RelativePathsTests {
    @Test(
        "removes relative folders from PATH, and never leaves it empty",
        arguments: [
            (nil, "/bin:/usr/bin"), ("", "/bin:/usr/bin"), (":", "/bin:/usr/bin"), (".", "/bin:/usr/bin"),
            ("/usr/bin:/bin", nil), ("/usr//bin:/opt/a b", nil), (":/usr/bin", "/usr/bin"), ("/usr/bin:", "/usr/bin"),
            ("/a::/b", "/a:/b"), (".:/a", "/a"), ("/a:./bin:/b", "/a:/b"), ("bin:~/bin:/a", "/a"),
            ("../x", "/bin:/usr/bin"),
        ] as [(String?, String?)])
    func path(list: String?, kept: String?) {
        #expect(RelativePaths.absolute(in: list, else: RelativePaths.defaultPath) == kept)
    }
}
