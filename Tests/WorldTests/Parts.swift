import Testing

// Each part has a folder with its name; `Tests/World/world.sh clients` runs the part `Clients`.

/// Browsers for the sign-in: Chromium, Firefox.
@Suite("Browsers") enum Browsers {}

/// Programs that ask git's helpers: git of several ages, git-lfs, cargo, go, pip.
@Suite("Clients") enum Clients {}

/// Real keyrings: gnome-keyring, KeePassXC, KWallet.
@Suite("Keyrings") enum Keyrings {}

/// Places to run git: over ssh, in tmux, in screen, from cron.
@Suite("Sessions") enum Sessions {}

/// Targets to share a sign-in with: namespaces of container engines, and machines behind ssh.
@Suite("Share") enum Share {}

/// Real git hosts and token issuers.
@Suite("Hosts") enum Hosts {}
