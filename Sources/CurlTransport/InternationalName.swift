internal import CLibcurl
internal import Glibc

/// A host's name that is not ASCII, in the form in which libcurl, and so git, looks it up.
package enum InternationalName {
    /// RFC 1035, 2.3.4.
    private static let longest = 256

    /// Nil if libcurl cannot tell.
    package static func ascii(_ name: [UInt8]) -> [UInt8]? {
        var form = [CChar](repeating: 0, count: longest)
        guard !name.contains(0), CurlLibrary.isReady,
            gitspace_curl_ascii_name((name + [0]).map { CChar(truncatingIfNeeded: $0) }, &form, longest) != 0
        else { return nil }
        return form.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
    }
}
