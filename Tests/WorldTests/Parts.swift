import Testing

// The parts of these tests, each in a folder with its name; `Tests/World/world.sh clients` runs those of `Clients`.

/// Where people sign in: Chromium.
@Suite("Browsers") enum Browsers {}

/// What people run that asks git's helpers: git of several ages, git-lfs, cargo, go, pip.
@Suite("Clients") enum Clients {}

/// What people have as a keyring: KeePassXC, KWallet, pass-secret-service.
@Suite("Keyrings") enum Keyrings {}

/// Where people run git: over ssh, in tmux, in screen, from cron.
@Suite("Sessions") enum Sessions {}

/// With whom a sign-in is shared: other namespaces, as container engines make them, and machines behind ssh.
@Suite("Share") enum Share {}

/// Where people sign in, and what takes the tokens there: servers that others have written.
@Suite("Hosts") enum Hosts {}
