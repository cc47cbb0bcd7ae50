# The commands that a person types; `make help` lists them. Each target installs what it needs, and says so.

PREFIX ?= /usr/local
DESTDIR ?=
# The OAuth client IDs that a distributor builds in, of github.com, gitlab.com and codeberg.org; without them, people
# configure their own.
GITHUB_CLIENT_ID ?=
GITLAB_CLIENT_ID ?=
CODEBERG_CLIENT_ID ?=
# The folder below the prefix where zsh looks for completions; Debian's packages use share/zsh/vendor-completions.
ZSH_COMPLETIONS ?= share/zsh/site-functions
# The folder of the packages that `make deb-lint` checks.
DEB_FOLDER ?= .build/deb
# The parts of `make test-programs`: some of browsers, clients, hosts, keyrings, sessions and share; all if empty.
PARTS ?=
# The tests of `make test`, or the faults of `make mutants`; all if empty.
ONLY ?=
# The seconds that `make fuzz` runs each target.
SECONDS_EACH ?= 60
# The number of operations of `make soak`, and the seed of its choices; without a seed, it chooses and prints one.
OPERATIONS ?= 50000
SEED ?=
# The number of schedules of `make simulate`, and the first seed.
SCHEDULES ?= 100000
FIRST ?= 1

# Further options of `swift build` for both programs.
SWIFT_FLAGS ?=

# Refuse a variable that no wanted target reads: a misspelled ONLY would run all tests. Packagers' tools set variables
# for other targets.
ifneq ($(filter test,$(MAKECMDGOALS)),)
settings := PREFIX DESTDIR GITHUB_CLIENT_ID GITLAB_CLIENT_ID CODEBERG_CLIENT_ID ZSH_COMPLETIONS DEB_FOLDER PARTS ONLY \
	SECONDS_EACH OPERATIONS SEED SCHEDULES FIRST SWIFT_FLAGS \
	GITSPACE_TEST_%
unknown := $(filter-out $(settings),$(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name))))
$(if $(unknown),$(error there is no setting $(unknown); these are: $(settings)))
endif

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.PHONY: build test demo lint conformance fuzz newer-git bench bench-gateway counts stress mutants model simulate soak \
	install copy version tarball deb deb-lint deb-test \
	uninstall install-test completions-test test-world test-programs test-debian recording clean help
# Concurrent builds would wait for each other, and concurrent targets would install packages at the same time.
.NOTPARALLEL:

program := git-credential-gitspace
# LLVM's linker, which comes with swift.org's compilers. Debian's compiler links with GNU's, which warns of unused
# functions in Swift's libraries.
linker = $(shell mkdir -p .build && swiftc -use-ld=lld - -o .build/linked </dev/null >&/dev/null && \
	echo '-Xswiftc -use-ld=lld')
# Merges functions of the front door with equal bytes if their addresses are unused, which saves a ninetieth of its
# size. GNU ld rejects the option.
folded = $(if $(linker),-Xlinker --icf=safe)
release = swift build -c release --static-swift-stdlib $(linker) $(SWIFT_FLAGS)
# The descriptions of libraries in a form that Swift's package manager accepts.
descriptions := $(CURDIR)/.build/pkgconfig
export PKG_CONFIG_PATH := $(descriptions)$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH))
# The folder of the built programs.
built := .build/release
# The programs as they are installed, without debug symbols; PROGRAM.debug beside each has the symbols.
stripped := $(built)/stripped
# The languages of the texts, one for each packaging/po/LANGUAGE.po.
languages := $(basename $(notdir $(wildcard packaging/po/*.po)))
# The catalogues for a built program; the relative path is the same for bin and libexec.
catalogues := $(built)/../share/locale
catalogue = $(1)/LC_MESSAGES/$(program).mo
distributor := $(if $(GITHUB_CLIENT_ID),-Xcc '-DGITSPACE_GITHUB_CLIENT_ID="$(GITHUB_CLIENT_ID)"') \
	$(if $(GITLAB_CLIENT_ID),-Xcc '-DGITSPACE_GITLAB_CLIENT_ID="$(GITLAB_CLIENT_ID)"') \
	$(if $(CODEBERG_CLIENT_ID),-Xcc '-DGITSPACE_CODEBERG_CLIENT_ID="$(CODEBERG_CLIENT_ID)"')

## build        build both programs (the default)
build: dependencies-build
	$(release) --product $(program) $(distributor) $(folded)
	$(release) --product $(program)-full $(distributor)
	packaging/symbols.sh $(built) $(stripped) $(program) $(program)-full
	packaging/po/catalogue.sh build $(catalogues)
	$(if $(filter-out build,$(MAKECMDGOALS)),,@echo 'Built. Next: make install PREFIX="$$HOME/.local"')

## test         run all tests, with a private keyring and a stand-in for GitHub, or ONLY='SUITE…' or ONLY=SUITE/TEST
test: dependencies-test
	Tests/Support/test.sh $(ONLY)

## demo         show a sign-in, a clone, a push, a refresh and a sign-out; needs no account and no network
demo: dependencies-test build
	swift build --product stand-in
	Tests/Demo/demo.sh

## test-world   try the programs that people run and write docs/clients.md, then all tests on bare Debians; takes long
test-world: test-programs test-debian

## test-programs try the real browsers, clients, hosts, keyrings and sessions, or PARTS='clients keyrings', and write docs/clients.md
test-programs: dependencies-world newer-git
	Tests/World/world.sh $(PARTS)

## test-debian  run all tests on a bare Debian 12 and 13 (with both compilers), as root and as a user; takes long
test-debian: dependencies-debian
	Tests/World/bare-debian.sh bookworm
	Tests/World/bare-debian.sh trixie
	Tests/World/bare-debian.sh --own-swift trixie

## lint         check formatting, compiler warnings, manual, documents, translations and scripts
# Builds in a folder of its own, since a change of GITSPACE_WARNINGS rebuilds everything. If it is set for all builds,
# as in continuous integration, the tests run these builds.
lint: dependencies-lint
	GITSPACE_WARNINGS=errors swift build --build-tests $(if $(GITSPACE_WARNINGS),,--scratch-path .build/lint)
	swift format lint --strict --recursive Package.swift Sources Tests
	mandoc -T lint -W warning $$(git ls-files 'man/*.[15]')
	packaging/po/catalogue.sh check
	packaging/po/documents.sh
	packaging/version.sh --check
	Tests/Documents/settings.sh
	Tests/Documents/links.py
	Tests/Documents/modules.py
	Tests/Documents/plain-english.py
	Tests/World/table.py
	shellcheck --external-sources $$(git ls-files '*.sh' '*.bash' .ci/run)
	Tests/Documents/workflows.sh

## install-test install into an empty directory, try the result, uninstall, check that nothing is left
install-test: dependencies-test build
	Tests/Install/install.sh $(built)

## completions-test test the completions in bash, zsh and fish, and that the manual and --help list the same options
completions-test: dependencies-completions build
	Tests/Completions/completions.sh $(built)

## conformance  run git's own tests for credential helpers, 21 of 21 and 8 of 8
conformance: dependencies-conformance build
	Tests/Conformance/conformance.sh .build/release

## fuzz         feed random input to the parsers of Tests/Fuzz/README.md, SECONDS_EACH=60 seconds for each target
fuzz: dependencies-build
	Tests/Fuzz/fuzz.sh $(SECONDS_EACH)

## newer-git    build a git that is newer than the system's, for the tests
newer-git: dependencies-conformance
	Tests/Conformance/newer-git.sh

## bench        compare the speed with git's own libsecret helper
bench: dependencies-bench build
	$(release) --product measure
	swift build --product stand-in
	Tests/Bench/bench.sh

## bench-gateway  compare git through `share` with git that goes to the host itself
bench-gateway: dependencies-bench-gateway build
	Tests/Bench/gateway.sh

## counts       count instructions, libraries and calls, and fail if they exceed their limits
counts: dependencies-bench build
	Tests/Bench/counts.sh

## stress       start thousands of reads at once, and check that the keyring survives them
stress: dependencies-test build
	Tests/Bench/stress.sh

## soak         use 200 accounts OPERATIONS=50000 times, with faults in between; SEED=N repeats a run; writes docs/soak.md
soak: dependencies-soak build
	swift build --product soak
	GITSPACE_TEST_PROGRAM=$(abspath $(stripped))/$(program) \
	    .build/debug/soak $(OPERATIONS) $(or $(SEED),$$RANDOM) docs/soak.md

## simulate     run SCHEDULES=100000 orders of eight processes with faults; SCHEDULES=1 FIRST=SEED shows one step by step
simulate: dependencies-build
	swift build --product simulate
	each=$$((($(SCHEDULES) + 3) / 4)) && seq $(FIRST) $$each $$(($(FIRST) + $(SCHEDULES) - 1)) | \
	    xargs --max-args 1 --max-procs $$(nproc) .build/debug/simulate $$each

## mutants      break the program in each place of Tests/Mutants/faults, and see which test notices; or ONLY='17 23' or a word
mutants: dependencies-test
	Tests/Mutants/mutants.py $(ONLY)

## model        check the protocol of get, refresh, store, erase and sign-in: every order of steps, every crash (Spin)
# Needs no build of the program.
model: dependencies-model
	Tests/Model/model.sh

## install      install what `make` built to $(DESTDIR)$(PREFIX); build only if nothing is there
# Installed programs are not rebuilt: a second build would lack the client IDs of the first.
install: $(if $(wildcard $(stripped)/$(program)-full),,build) copy

# The installed files, each as SOURCE:PLACE:MODE with the place below the prefix; uninstall removes the same.
completions := packaging/completions
# The units are installed but not enabled, so that nothing is shared by default. Below ~/.local, systemd reads only
# share (systemd.unit(5)).
units_folder := share/systemd/user
units := gitspace-share@.socket gitspace-share@.service
installed := \
	$(stripped)/$(program):bin/$(program):755 \
	$(stripped)/$(program)-full:libexec/$(program)-full:755 \
	$(foreach page,$(notdir $(wildcard man/*.[15])),man/$(page):share/man/man$(patsubst .%,%,$(suffix $(page)))/$(page):644) \
	$(foreach page,$(wildcard man/*/man[15]/*.[15]),$(page):share/$(page):644) \
	$(foreach language,$(languages),$(catalogues)/$(call catalogue,$(language)):share/locale/$(call catalogue,$(language)):644) \
	$(completions)/$(program).bash:share/bash-completion/completions/$(program):644 \
	$(completions)/_$(program):$(ZSH_COMPLETIONS)/_$(program):644 \
	$(completions)/$(program).fish:share/fish/vendor_completions.d/$(program).fish:644 \
	$(completions)/$(program).conf.fish:share/fish/vendor_conf.d/$(program).fish:644 \
	$(foreach unit,$(units),packaging/systemd/$(unit):$(units_folder)/$(unit):644)

## copy         install like `make install`, but never build: for packages
copy:
	@[[ -z $$(find Package.swift Sources -newer $(stripped)/$(program) -print -quit) ]] || \
	    echo 'note: the sources have changed since the programs were built; `make` builds them again' >&2
	@for file in $(installed); do \
	    IFS=: read -r source place mode <<<"$$file"; \
	    install -D -m "$$mode" "$$source" "$(DESTDIR)$(PREFIX)/$$place"; \
	done
	@sed -i 's|@libexecdir@|$(PREFIX)/libexec|' "$(DESTDIR)$(PREFIX)/$(units_folder)/gitspace-share@.service" \
	    "$(DESTDIR)$(PREFIX)/$(units_folder)/gitspace-share@.socket"
	@echo 'Installed $(words $(installed)) files in $(DESTDIR)$(PREFIX).'
	@case :$$PATH: in \
	*:$(PREFIX)/bin:*) echo 'Next: git credential-gitspace setup' ;; \
	*) echo 'Next: add $(PREFIX)/bin to your PATH, then: git credential-gitspace setup' ;; \
	esac

## version      print the version, which Sources/FullProgram/Version.swift has
version:
	@packaging/version.sh

## tarball      pack the installed files, their debug symbols and a list of components into dist
tarball: build
	packaging/tarball.sh dist

## deb          make Debian packages of the program and of its debug symbols in .build/deb
deb: dependencies-deb
	GITHUB_CLIENT_ID='$(GITHUB_CLIENT_ID)' GITLAB_CLIENT_ID='$(GITLAB_CLIENT_ID)' \
		CODEBERG_CLIENT_ID='$(CODEBERG_CLIENT_ID)' packaging/deb.sh

## deb-lint     check the packages that `make deb` has made with lintian
deb-lint: dependencies-deb-test
	lintian --allow-root --fail-on error,warning --display-info --info $(DEB_FOLDER)/*.deb

## deb-test     build the packages twice, compare them; check, install, try and remove them on a bare Debian 12 and 13; takes long
deb-test: dependencies-deb dependencies-debian
	Tests/World/deb.sh

## uninstall    remove what `make install` installed
uninstall:
	@for file in $(installed); do \
	    IFS=: read -r source place mode <<<"$$file"; \
	    rm -f "$(DESTDIR)$(PREFIX)/$$place"; \
	done
	@echo 'Removed git-credential-gitspace from $(DESTDIR)$(PREFIX).'

## recording    record the picture in the README again
recording: dependencies-recording build
	swift build --product stand-in
	Tests/Recording/recording.sh $(built)

## clean        remove what was built
clean:
	rm -rf .build

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST) | while read -r target does; do printf '%-16s  %s\n' "$$target" "$$does"; done

dependencies-%:
	packaging/dependencies.sh $*
	@packaging/pkg-config.sh "$(descriptions)"
