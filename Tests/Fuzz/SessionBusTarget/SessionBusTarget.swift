import FuzzSupport
import System

@testable import FrontDoor

/// ③ Reads any bytes as messages of the session bus, in every way in which the front door reads.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzSessionBus(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = Input(start, count)
    let way = input.takeByte()
    let bytes = input.bytes[...]
    if way & 1 == 0 {
        readMessage(bytes)
    } else {
        // Read values without a header: few inputs have a valid one, and the others would never get this far.
        readValues(bytes, way)
    }
    if let text = String(validating: bytes, as: UTF8.self) {
        if let address = try? SessionBusAddress(parsing: text) {
            require((try? SessionBusAddress(parsing: address.text)) == address, "GLib would get another address")
        }
        _ = try? SessionBusAddress(environment: { $0 == "XDG_RUNTIME_DIR" ? text : nil }, isOwnSocket: { _ in true })
    }
    return 0
}

/// Reads a message as `BusConnection` does: the length from the first 16 bytes, then that many bytes.
private func readMessage(_ bytes: ArraySlice<UInt8>) {
    let head = bytes.prefix(IncomingMessage.fixedHeaderBytes)
    guard head.count == IncomingMessage.fixedHeaderBytes, let length = try? IncomingMessage.length(head) else { return }
    require((IncomingMessage.fixedHeaderBytes...IncomingMessage.longest).contains(length), "a length without bounds")
    guard let message = try? IncomingMessage(bytes.prefix(length)) else { return }
    require(message.body.count <= length, "more body than message")
    _ = try? message.arguments("vo") { reader throws(FallbackReason) in
        try reader.skipVariant()
        _ = try reader.string()
    }
    _ = try? message.arguments("a{o(oayays)}") { reader throws(FallbackReason) in
        try reader.array(alignedTo: 8) { entry throws(FallbackReason) in
            try entry.align(to: 8)
            _ = try entry.string()
            try entry.align(to: 8)
            _ = try entry.string()
            _ = try entry.byteArray()
            _ = try entry.byteArray()
            _ = try entry.string()
        }
    }
    _ = try? message.arguments("v") { reader throws(FallbackReason) in try reader.skipVariant() }
}

/// Reads values of the types in a signature, which comes from the input as well.
private func readValues(_ bytes: ArraySlice<UInt8>, _ way: UInt8) {
    var reader = Unmarshaller(bytes)
    guard var signature = try? reader.signature() else { return }
    var isRead = true
    while isRead, !signature.isEmpty {
        let before = reader.position
        isRead = (try? reader.skip(&signature)) != nil
        require(reader.position >= before && reader.position <= bytes.count, "read beyond the end")
    }
    var again = Unmarshaller(bytes)
    try? again.array(alignedTo: way & 2 == 0 ? 4 : 8) { element throws(FallbackReason) in _ = try element.string() }
    require(again.position <= bytes.count, "read beyond the end")
}
