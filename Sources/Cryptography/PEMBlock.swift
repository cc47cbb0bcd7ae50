internal import CLibcrypto
internal import CredentialCore

/// One block of a PEM file, as libcrypto has read it; wiped when it is freed.
struct PEMBlock: ~Copyable {
    private let name: UnsafeMutablePointer<CChar>
    private let header: UnsafeMutablePointer<CChar>
    private let data: UnsafeMutablePointer<UInt8>
    private let count: Int

    /// Reads the next block; nil if there is none.
    ///
    /// - Throws: `.malformed` for one that is cut off or not base64.
    init?(nextIn reader: borrowing LibcryptoObject) throws(PrivateKeyError) {
        var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
        var data: UnsafeMutablePointer<UInt8>?
        var count = 0
        let flags = UInt32(PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE)
        let outcome = PEM_read_bio_ex(reader.pointer, &name, &header, &data, &count, flags)
        guard outcome == 1, let name, let header, let data else {
            guard gitspace_last_reason() == PEM_R_NO_START_LINE else { throw .malformed }
            return nil
        }
        self.name = name
        self.header = header
        self.data = data
        self.count = count
    }

    deinit {
        gitspace_wipe_and_free(name, strlen(name))
        gitspace_wipe_and_free(header, strlen(header))
        gitspace_wipe_and_free(data, count)
    }

    /// The text after BEGIN.
    var label: String { String(cString: name) }

    /// Whether its header lines say so (RFC 1421, 4.6.1.1): OpenSSL's older form.
    var isEncrypted: Bool { String(cString: header).contains("ENCRYPTED") }

    /// The bytes.
    func contents() -> Secret { Secret(copying: UnsafeRawBufferPointer(start: data, count: count)) }
}
