internal import CLibcurl
internal import CredentialCore
internal import Glibc
internal import Providers

/// The header lines of a request, wiped at the end, since some contain a credential.
struct HeaderLines: ~Copyable {
    private var list: UnsafeMutablePointer<curl_slist>?

    /// - Throws: `.misconfigured` unless every value is printable ASCII: other bytes could start another field.
    init(for request: HTTPRequest) throws(TransportError) {
        try append("Accept: ", Array(request.accept.utf8)[...])
        // libcurl would otherwise announce a larger body, and wait for a permission that few servers send.
        try append("Expect:", [])
        switch request.body {
        case .none: break
        case .form: try append("Content-Type: ", Array("application/x-www-form-urlencoded".utf8)[...])
        case .json: try append("Content-Type: ", Array("application/json".utf8)[...])
        }
        try append(request.authorization)
    }

    init(for request: StreamedRequest) throws(TransportError) {
        for (name, value) in request.fields { try append("\(name): ", Array(value.utf8)) }
        try append("Expect:", [])
        if request.body == .chunked { try append("Transfer-Encoding: chunked", []) }
        try append(request.authorization)
    }

    private mutating func append(_ authorization: HTTPRequest.Authorization) throws(TransportError) {
        switch authorization {
        case .none: break
        case .bearer(let token): try append("Authorization: Bearer ", token)
        case .token(let token): try append("Authorization: token ", token)
        case .basic(let username, let password):
            try append("Authorization: Basic ", BasicCredentials.encode(username: username, password: password))
        }
    }

    deinit {
        var node = list
        while let current = node {
            if let text = current.pointee.data { explicit_bzero(text, strlen(text)) }
            node = current.pointee.next
        }
        curl_slist_free_all(list)
    }

    /// `body` must keep no pointer to the list.
    borrowing func lend<Result>(
        _ body: (UnsafeMutablePointer<curl_slist>?) throws(TransportError) -> Result
    ) throws(TransportError) -> Result {
        try body(list)
    }

    private mutating func append(_ name: String, _ secret: Secret) throws(TransportError) {
        try secret.reveal { bytes throws(TransportError) in
            try append(name, bytes)
        }
    }

    private mutating func append(_ name: String, _ value: some Collection<UInt8>) throws(TransportError) {
        guard value.allSatisfy(ASCII.isPrintable) else {
            throw .misconfigured(.credential)
        }
        var line = Secret.Builder()
        line.append(name.utf8)
        line.append(value)
        line.append(0)
        let longer = line.finish().reveal {
            curl_slist_append(list, $0.assumingMemoryBound(to: CChar.self).baseAddress)
        }
        guard let longer else { throw .misconfigured(.memory) }
        list = longer
    }
}
