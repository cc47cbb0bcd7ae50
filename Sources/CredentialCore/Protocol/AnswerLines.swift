/// Collects `key=value` lines, and discards all of them if one value would be read as two lines.
struct AnswerLines {
    private var bytes: [UInt8] = []
    private var isSpoilt = false

    /// Adds one line.
    mutating func append(_ attribute: Attribute, _ value: some Collection<UInt8>) {
        // Whatever the source of a value, a line end in it would inject `host=` or `quit=` into git's input.
        if value.contains(where: { $0 == 0x0a || $0 == 0x0d || $0 == 0 }) { isSpoilt = true }
        bytes += attribute.key
        bytes.append(UInt8(ascii: "="))
        bytes += value
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Returns the lines and wipes the working copy.
    consuming func finish() -> Secret {
        let answer = Secret(isSpoilt ? [] : bytes)
        bytes.wipe()
        return answer
    }
}
