# What a person types; `make help` lists it. Each target installs what it needs and says so.

PREFIX ?= /usr/local
DESTDIR ?=
# The OAuth client ID of github.com that a distributor builds in; without one, people configure their own.
GITHUB_CLIENT_ID ?=
# Where zsh looks for completions below the prefix; Debian's packages put them into share/zsh/vendor-completions.
ZSH_COMPLETIONS ?= share/zsh/site-functions
# How long `make fuzz` runs each target.
SECONDS_EACH ?= 60

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.PHONY: build test demo lint conformance fuzz newer-git bench counts stress install copy uninstall \
	install-test completions-test recording clean help

program := git-credential-gitspace
release := swift build -c release --static-swift-stdlib
# Where the programs that are installed and tried are.
built := .build/release
# A catalogue of texts for each packaging/po/LANGUAGE.po,
languages := $(basename $(notdir $(wildcard packaging/po/*.po)))
# where a program that was built finds it; the same way leads from bin and libexec.
catalogues := $(built)/../share/locale
catalogue = $(1)/LC_MESSAGES/$(program).mo
distributor := $(if $(GITHUB_CLIENT_ID),-Xcc '-DGITSPACE_GITHUB_CLIENT_ID="$(GITHUB_CLIENT_ID)"')

## build        build the program for use (the default)
build: dependencies-build
	$(release) --product $(program) $(distributor)
	$(release) --product $(program)-full $(distributor)
	packaging/po/catalogue.sh build $(catalogues)

## test         run every test, against a private keyring and a stand-in for GitHub
test: dependencies-test
	Tests/Support/test.sh

## demo         see it work: sign-in, clone, push, refresh, log-out; needs no account and no network
demo: dependencies-test build
	swift build --product stand-in
	Tests/Demo/demo.sh

## lint         formatting and compiler warnings as errors, the manual, the translations, the scripts
lint: dependencies-lint
	swift format lint --strict --recursive Package.swift Sources Tests
	mandoc -T lint -W warning $$(git ls-files 'man/*.1')
	packaging/po/catalogue.sh check
	packaging/po/documents.sh
	Tests/Documents/settings.sh
	shellcheck --external-sources $$(git ls-files '*.sh' '*.bash' .ci/run)

## install-test install into an empty folder, try what is there, uninstall, find nothing left
install-test: dependencies-test build
	Tests/Install/install.sh $(built)

## completions-test ask bash, zsh and fish for completions; the manual and --help must know the same options
completions-test: dependencies-test build
	-packaging/dependencies.sh completions
	Tests/Completions/completions.sh $(built)

## conformance  git's own tests for credential helpers, 21 of 21
conformance: dependencies-conformance build
	Tests/Conformance/conformance.sh .build/release

## fuzz         feed every parser with what nobody would write, SECONDS_EACH=60 seconds each
fuzz: dependencies-build
	Tests/Fuzz/fuzz.sh $(SECONDS_EACH)

## newer-git    build a newer git than the system's, for the tests
newer-git: dependencies-conformance
	Tests/Conformance/newer-git.sh

## bench        measure against git's own libsecret helper
bench: dependencies-bench build
	$(release) --product measure
	swift build --product stand-in
	Tests/Bench/bench.sh

## counts       what makes it fast, counted: instructions, libraries, calls; fails beyond the limits
counts: dependencies-bench build
	Tests/Bench/counts.sh

## stress       thousands of reads at once, after which the keyring's daemon must live and be open
stress: dependencies-test build
	Tests/Bench/stress.sh

## install      install to $(DESTDIR)$(PREFIX)
install: build
	$(MAKE) --no-print-directory copy

# What is installed, each as SOURCE:PLACE:MODE, the place below the prefix; uninstall removes the same.
completions := packaging/completions
installed := \
	$(built)/$(program):bin/$(program):755 \
	$(built)/$(program)-full:libexec/$(program)-full:755 \
	man/$(program).1:share/man/man1/$(program).1:644 \
	$(foreach page,$(wildcard man/*/man1/$(program).1),$(page):share/$(page):644) \
	$(foreach language,$(languages),$(catalogues)/$(call catalogue,$(language)):share/locale/$(call catalogue,$(language)):644) \
	$(completions)/$(program).bash:share/bash-completion/completions/$(program):644 \
	$(completions)/_$(program):$(ZSH_COMPLETIONS)/_$(program):644 \
	$(completions)/$(program).fish:share/fish/vendor_completions.d/$(program).fish:644 \
	$(completions)/$(program).conf.fish:share/fish/vendor_conf.d/$(program).fish:644

## copy         install what was built, without building: for packages, and with sudo
copy:
	for file in $(installed); do \
	    IFS=: read -r source place mode <<<"$$file"; \
	    install -D -m "$$mode" "$$source" "$(DESTDIR)$(PREFIX)/$$place"; \
	done

## uninstall    remove what install has put there
uninstall:
	for file in $(installed); do \
	    IFS=: read -r source place mode <<<"$$file"; \
	    rm -f "$(DESTDIR)$(PREFIX)/$$place"; \
	done

## recording    record a first clone anew, for the README
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
