internal import CLibcurl
internal import CredentialCore
internal import Glibc
internal import Providers
internal import System

/// Looks names up in a process in which libcurl cannot start a thread.
final class NameLookup {
    /// The lines for CURLOPT_RESOLVE.
    private(set) var lines: UnsafeMutablePointer<curl_slist>?
    private let proxy: (name: String, port: Int, findsHosts: Bool)?
    private(set) var found: Set<String> = []

    init(for configuration: TransportConfiguration, environment: (String) -> String? = { Environment[$0] }) {
        // The host's address is needed for `no_proxy`, and for SOCKS without "h" or "a".
        let hasExceptions = environment("no_proxy") != nil || environment("NO_PROXY") != nil
        proxy = configuration.proxyAddress.flatMap { address in
            let isLocal = ["socks4://", "socks5://", "socks://"].contains { address.lowercased().hasPrefix($0) }
            return CurlLibrary.place(ofProxy: address).map { ($0.name, $0.port, !hasExceptions && !isLocal) }
        }
    }

    deinit { curl_slist_free_all(lines) }

    /// Looks up the proxy if there is one, and the host unless the proxy does that.
    ///
    /// libcurl reports a name that was not found.
    func find(_ address: HTTPSAddress) {
        if let proxy { find(proxy.name, proxy.port) }
        if proxy?.findsHosts != true { find(address.host, Int(address.port ?? 443)) }
    }

    private func find(_ name: String, _ port: Int) {
        let place = "\(name):\(port)"
        guard !name.hasPrefix("["), !found.contains(place) else { return }
        let addresses = Self.addresses(of: name)
        guard !addresses.isEmpty, let longer = curl_slist_append(lines, place + ":" + addresses.joined(separator: ","))
        else { return }
        lines = longer
        found.insert(place)
    }

    /// The addresses in the order of attempts (RFC 6724).
    private static func addresses(of name: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(state: first) { next in
            defer { next = next?.pointee.ai_next }
            return next?.pointee
        }.compactMap { address in
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let result = getnameinfo(
                address.ai_addr, address.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            // libcurl accepts no scope of a link-local address.
            let isUsable = result == 0 && !text.contains(CChar(UInt8(ascii: "%")))
            return isUsable ? text.string : nil
        }
    }
}

extension [CChar] {
    /// The text before the first NUL.
    var string: String { String(decoding: prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
}
