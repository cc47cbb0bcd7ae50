/// Holds signals back during something that must not be interrupted.
package protocol SignalShield {
    /// Runs `body` while SIGINT, SIGTERM, SIGHUP and similar signals are held back; they take effect afterwards.
    func whileSignalsWait<Result>(_ body: () -> Result) -> Result
}
