import Foundation
import Glibc
import Staging
import System
import Testing

@Suite("The trace")
struct TraceTests {
    @Test("is on for the values for which GIT_TRACE is, and open descriptors")
    func values() async {
        await #expect(processExitsWith: .success) {
            unsetenv("GITSPACE_TRACE")
            #expect(!Trace().isOn)
            #expect(dup2(STDERR_FILENO, 9) == 9)
            for value in ["1", "true", "True", "2", "9", "/dev/null"] {
                setenv("GITSPACE_TRACE", value, 1)
                #expect(Trace().isOn, "\(value)")
            }
            close(9)
            for value in ["", "0", "false", "FALSE", "yes please", "9", "-2", "+2", "10", "relative/file"] {
                setenv("GITSPACE_TRACE", value, 1)
                #expect(!Trace().isOn, "\(value)")
            }
        }
    }

    @Test("writes the time, the program and redacted words in one line")
    func line() async {
        await #expect(processExitsWith: .success) {
            let folder = TestFolder()
            setenv("GITSPACE_TRACE", folder.path + "/trace", 1)
            Trace()({ "got gho_abc\nx" })
            let text = try String(contentsOfFile: folder.path + "/trace", encoding: .utf8)
            let form = /\d\d:\d\d:\d\d\.\d{6} credential-gitspace: got gho_\*\*\*\*\?x\n/
            #expect(text.wholeMatch(of: form) != nil, "\(text)")
        }
    }

    @Test(
        "hides text that looks like a secret, and control characters",
        arguments: [
            ("got gho_abcDEF0123456789 from it", "got gho_**** from it"),
            ("ghu_a ghr_b.c-d ghp_e ghs_f", "ghu_**** ghr_**** ghp_**** ghs_****"),
            ("github_pat_11AB_cd, glpat-xyz", "github_pat_****, glpat-****"),
            ("a de6780bc506a0446309bd9362820ba8aed28aa506c71eedbe1c5c4f9dd350e54 b", "a **** b"),
            // A token of Gitea's, or a commit, which no trace names.
            ("at e83c5163316f89bfbde7d9ab23ca2e25604af290:", "at ****:"),
            // Tokens of Azure DevOps, before and since 2024.
            ("'a2b7a2b7a2b7a2b7a2b7a2b7a2b7a2b7a2b7a2b7a2b7a2b7a2b7'", "'****'"),
            ("aB3daB3daB3daB3daB3daB3daB3daB3daB3daB3daB3daB3daB3daB3daB3daB3daB3daB3daB3dAZDO4xYz", "****"),
            ("at 123456789012345678901234567890123456789-x", "at 123456789012345678901234567890123456789-x"),
            ("glcbt-64_x, gldt-y gloas-z; gto_q", "glcbt-****, gldt-**** gloas-****; gto_****"),
            ("ATBBx7 ATCTT3x-_=12 ATATT3xFf_G-0=A1B2C3D4.", "ATBB**** ATCTT**** ATATT****"),
            ("Bearer eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.a-b_c for it", "Bearer eyJ**** for it"),
            ("https://me:secret@host/path", "https://****@host/path"), ("https://a@b:c@host", "https://****@host"),
            ("https://me:se/cr et@host/path", "https://****@host/path"),
            ("syntax in 'me:se'cret@host'", "syntax in '****@host'"),
            ("isn't there: https://host/path", "isn't there: https://host/path"),
            ("a\u{1b}[31m\nb\u{e9}", "a?[31m?b??"),
        ])
    func redaction(words: String, expected: String) { #expect(Redaction.redacted(words) == expected) }
}
