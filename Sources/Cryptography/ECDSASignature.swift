internal import CLibcrypto

/// An ECDSA signature on the curve P-256 in two forms: R and S one after the other, 32 bytes each (RFC 7518, 3.4), as
/// in tokens; and DER (RFC 3279, 2.2.3), as in libcrypto.
enum ECDSASignature {
    private static let numberBytes: Int32 = 32

    /// Converts a signature to DER.
    ///
    /// - Returns: nil unless it has 64 bytes and both numbers are nonzero, as in every signature.
    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        let half = Int(numberBytes)
        guard raw.count == 2 * half,
            let signature = LibcryptoObject(ECDSA_SIG_new(), freedBy: ECDSA_SIG_free),
            let r = BN_bin2bn(Array(raw[..<half]), numberBytes, nil)
        else { return nil }
        guard let s = BN_bin2bn(Array(raw[half...]), numberBytes, nil) else {
            BN_free(r)
            return nil
        }
        // From here on the signature owns both numbers.
        guard ECDSA_SIG_set0(signature.pointer, r, s) == 1, BN_is_zero(r) == 0, BN_is_zero(s) == 0 else { return nil }
        let count = i2d_ECDSA_SIG(signature.pointer, nil)
        guard count > 0 else { return nil }
        var der = [UInt8](repeating: 0, count: Int(count))
        let written = der.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            return i2d_ECDSA_SIG(signature.pointer, &next)
        }
        return written == count ? der : nil
    }

    /// The two numbers of a signature in DER.
    static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        let parsed = der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &next, buffer.count)
        }
        guard let signature = LibcryptoObject(parsed, freedBy: ECDSA_SIG_free) else { return nil }
        var raw: [UInt8] = []
        for number in [ECDSA_SIG_get0_r(signature.pointer), ECDSA_SIG_get0_s(signature.pointer)] {
            var bytes = [UInt8](repeating: 0, count: Int(numberBytes))
            guard BN_bn2binpad(number, &bytes, numberBytes) == numberBytes else { return nil }
            raw += bytes
        }
        return raw
    }
}
