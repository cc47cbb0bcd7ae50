internal import CLibcurl
internal import Glibc

/// Converts host names that are not ASCII to the form that libcurl, and therefore git, looks up.
package enum InternationalName {
    /// The longest name, in bytes (RFC 1035, 2.3.4).
    private static let longest = 256

    /// The name in ASCII, or `nil` if libcurl cannot convert it.
    package static func ascii(_ name: [UInt8]) -> [UInt8]? {
        var form = [CChar](repeating: 0, count: longest)
        guard !name.contains(0), CurlLibrary.isReady,
            gitspace_curl_ascii_name((name + [0]).map { CChar(truncatingIfNeeded: $0) }, &form, longest) != 0
        else { return nil }
        return form.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
    }
}
