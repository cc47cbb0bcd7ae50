import CredentialCore
import FuzzSupport
import Language
import Share
import System
import UserInterface

@testable import Helper
@testable import Keyrings
@testable import Providers
@testable import Verbs

/// Reads any bytes as a file of another program, and as the name of a folder that a repository has chosen.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzFiles(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = Input(start, count)
    let kind = input.takeByte() % 6
    let bytes = input.bytes
    switch kind {
    case 0: checkHosts(bytes)
    case 1: checkStore(bytes)
    case 2: checkCatalogue(bytes)
    case 3: checkCache(bytes)
    case 4: checkRecord(bytes)
    default: checkFolder(bytes)
    }
    return 0
}

/// Checks gh's `hosts.yml`: a host's result is the same if the lines of other hosts are missing.
private func checkHosts(_ bytes: [UInt8]) {
    let hosts = bytes.withUnsafeBytes { HostsFile($0).hosts }
    var parts: [[UInt8]] = []
    for line in bytes.split(separator: 0x0a) {
        let isHost = line.first != 0x20 && line.first != 0x23 && hasName(line)
        if isHost || parts.isEmpty { parts.append([]) }
        parts[parts.count - 1] += line + [0x0a]
    }
    let alone = parts.flatMap { part in part.withUnsafeBytes { HostsFile($0).hosts } }
    require(alone == hosts, "a host of other hosts' lines")
    checkSignIns(File(path: "/home/me/.config/gh/hosts.yml", bytes: bytes))
}

/// Whether a line has a name: a colon before a blank or the end; the colon before a port does not count.
private func hasName(_ line: [UInt8].SubSequence) -> Bool {
    line.indices.contains { place in
        line[place] == UInt8(ascii: ":") && line[(place + 1)...].first.map { [0x20, 0x09, 0x0d].contains($0) } != false
    }
}

/// Checks git-credential-store's file: a line has the same result alone, and when written by git's rules.
///
/// Reads the input as `~/.netrc`, too, whose reader must reach the end.
private func checkStore(_ bytes: [UInt8]) {
    let credentials = bytes.withUnsafeBytes { CredentialStoreFile($0).credentials }
    let again = credentials.flatMap(line).withUnsafeBytes { CredentialStoreFile($0).credentials }
    require(credentials.elementsEqual(again, by: isSame), "a line that reads differently")
    require(credentials.count <= bytes.split(separator: 0x0a).count, "more than a credential on a line")
    checkSignIns(File(path: "/home/me/.git-credentials", bytes: bytes))
    _ = bytes.withUnsafeBytes { NetrcEntry(of: Array("ghe.test".utf8), in: $0) }
}

private func isSame(_ left: ForeignCredential, _ right: ForeignCredential) -> Bool {
    left.host == right.host && left.user == right.user && left.path == right.path && left.password == right.password
}

/// A line as `git credential-store` writes it, with all bytes of the values percent-encoded.
private func line(_ credential: ForeignCredential) -> [UInt8] {
    func encoded(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte in [0x25] + [byte >> 4, byte & 15].flatMap { Array(String($0, radix: 16).utf8) } }
    }
    let name = encoded(credential.user) + [0x3a] + credential.password.reveal { encoded(Array($0)) }
    let path = credential.path.map { [0x2f] + encoded($0) } ?? []
    return Array("https://".utf8) + name + [0x40] + encoded(credential.host) + path + [0x0a]
}

/// Checks that `setup` imports only the sign-ins of the wanted host.
private func checkSignIns(_ file: File) {
    let host = HostName(name: "ghe.test")
    let search = ForeignSearch(host: host, keyring: NoKeyring(), files: file) { $0 == "HOME" ? "/home/me" : nil }
    for found in (try? search.signIns()) ?? [] {
        require(HostName(found.host)?.canonicalForHTTPS == host, "another host's token")
        require(found.password.reveal { $0.allSatisfy { (0x21...0x7e).contains($0) } }, "an odd token")
    }
}

private struct File: ForeignFiles {
    let path: String
    let bytes: [UInt8]

    func contents(of path: String) -> FileContents { path == self.path ? .contents(Secret(bytes)) : .absent }
}

private final class NoKeyring: ForeignKeyring {
    func foreignItems(having attributes: [(name: String, value: [UInt8])]) throws(KeyringError) -> [ForeignItem] { [] }
}

/// Checks that each translation is the file's entry for that text, by a linear search.
private func checkCatalogue(_ bytes: [UInt8]) {
    func number(_ place: Int) -> Int {
        place + 4 <= bytes.count ? bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) } : .max
    }
    func text(_ entry: Int) -> ArraySlice<UInt8>? {
        guard entry + 8 <= bytes.count, number(entry) + number(entry + 4) <= bytes.count else { return nil }
        return bytes[number(entry + 4)...].prefix(number(entry))
    }
    guard let catalogue = Catalogue(bytes) else { return }
    let words = [
        SignInWords.renewal, SignInWords.shortNeed(prompt, askedBy: nil),
        Message("Signed in as %1$s", "octocat" as DisplayText),
    ]
    for message in words {
        let found = catalogue.text(for: message.key)
        guard found != message.key else { continue }
        let isThere = (0..<number(8)).contains { index in
            text(number(12) + 8 * index)?.elementsEqual(message.key.utf8) == true
                && text(number(16) + 8 * index).map { String(decoding: $0, as: UTF8.self) } == found
        }
        require(isThere, "a translation from elsewhere")
        _ = message.text(toBeWrapped: true, translatedBy: catalogue.text)
    }
}

/// Checks an entry of git's credential cache.
private func checkCache(_ bytes: [UInt8]) {
    let entry = CacheEntry(parsing: bytes[...])
    let line = entry.encoded
    require(line.reveal { $0.allSatisfy { (0x21...0x7e).contains($0) } }, "more than a line")
    let again = line.reveal { CacheEntry(parsing: Array($0)[...]) }
    func isSame(_ left: Item, _ right: Item) -> Bool {
        left.attributes == right.attributes && left.secret == right.secret && left.created == right.created
    }
    require(entry.items.elementsEqual(again.items, by: isSame), "an entry that reads differently")
}

/// Checks the record of a share, which `share list` and `share stop` read from another process.
private func checkRecord(_ bytes: [UInt8]) {
    let record = ShareRecord(parsing: bytes)
    require(ShareRecord(parsing: record.text) == record, "a record that reads differently")
}

/// Checks the name of the current folder, such as a submodule's path in `.gitmodules`.
///
/// It must be shown on one line, in quotes that it cannot end, and shortened.
private func checkFolder(_ bytes: [UInt8]) {
    let folder = String(decoding: bytes, as: UTF8.self)
    let lines = SignInWords.circumstances(prompt, askedBy: .git("git clone"), in: folder).map(\.english)
    let beginning = "Asked by: git clone, in \"".unicodeScalars
    let sentence = (lines.first ?? "").unicodeScalars
    require(lines.count == 1 && sentence.starts(with: beginning) && sentence.last == "\"", "another sentence")
    let name = sentence.dropFirst(beginning.count).dropLast()
    require(name.allSatisfy { DisplayText.isVisible($0) && $0 != "\"" }, "a sign that acts")
    require(name.count <= 32 && Language.columns(of: String(name)) <= 32, "a name without end")
    let shown = DisplayText(trusted: folder)
    let json = JSONValue(parsing: Array(JSONText.string(shown).utf8))
    require(json?.string == Array(shown.text.utf8), "JSON that says something else")
    let word = ShellWord.quoted(folder).text
    // A longer name is shortened, so its closing quote is missing.
    guard word.unicodeScalars.count <= DisplayText.longestOwn else { return }
    require(taken(Array(word.utf8)) == Array(folder.utf8), "a word that the shell acts on")
}

/// The value of a shell word (POSIX.1-2024, 2.2), or `nil` if the shell would expand or run something.
private func taken(_ word: [UInt8]) -> [UInt8]? {
    let (quote, backslash) = (UInt8(ascii: "'"), UInt8(ascii: "\\"))
    var rest = word[...]
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
        if byte == quote {
            guard let end = rest.firstIndex(of: quote) else { return nil }
            bytes += rest[..<end]
            rest = rest[(end + 1)...]
        } else if byte == UInt8(ascii: "$"), rest.popFirst() == quote {
            while let next = rest.popFirst(), next != quote {
                guard next == backslash else {
                    bytes.append(next)
                    continue
                }
                guard let escape = rest.popFirst() else { return nil }
                guard escape == UInt8(ascii: "x") else {
                    bytes.append(escape)
                    continue
                }
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            }
        } else if byte == backslash {
            guard let next = rest.popFirst() else { return nil }
            bytes.append(next)
        } else {
            guard byte >= 0x80 || ASCII.isLetterOrDigit(byte) || "/._-+,:@%".utf8.contains(byte) else { return nil }
            bytes.append(byte)
        }
    }
    return bytes
}

private var prompt: SignInPrompt {
    let host = HTTPSAddress(host: "ghe.test")
    let body = #"{"device_code":"x","user_code":"WDJB-MJHT","verification_uri":"https://ghe.test/login/device"}"#
    guard let fields = HTTPResponse(status: 200, body: Secret(body.utf8)).fields,
        let authorization = try? DeviceAuthorization(fields, from: OAuthServer(deviceAuthorization: host, token: host))
    else { fatalError("no page to show") }
    return SignInPrompt(
        providerName: "GitHub", host: "ghe.test", askedAccount: nil, approval: .deviceCode(authorization), end: 0,
        isRenewal: false, isExplicit: false)
}
