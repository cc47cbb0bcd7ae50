# What a person types; `make help` lists it. Each target installs what it needs and says so.

PREFIX ?= /usr/local
DESTDIR ?=
# The OAuth client ID of github.com that a distributor builds in; without one, people configure their own.
GITHUB_CLIENT_ID ?=
# How long `make fuzz` runs each target.
SECONDS_EACH ?= 60

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.PHONY: build test demo lint conformance fuzz newer-git bench counts stress install uninstall clean help

program := git-credential-gitspace
release := swift build -c release --static-swift-stdlib
distributor := $(if $(GITHUB_CLIENT_ID),-Xcc '-DGITSPACE_GITHUB_CLIENT_ID="$(GITHUB_CLIENT_ID)"')

## build        build the program for use (the default)
build: dependencies-build
	$(release) --product $(program) $(distributor)
	$(release) --product $(program)-full $(distributor)
	packaging/po/catalogue.sh build "$$(realpath .build/release)/../share/locale"

## test         run every test, against a private keyring and a stand-in for GitHub
test: dependencies-test
	Tests/Support/test.sh

## demo         see it work: sign-in, clone, push, refresh, log-out; needs no account and no network
demo: dependencies-test build
	swift build --product stand-in
	Tests/Demo/demo.sh

## lint         formatting and compiler warnings as errors, the manual, the scripts
lint: dependencies-lint
	swift format lint --strict --recursive Package.swift Sources Tests
	mandoc -T lint -W warning man/*.1
	packaging/po/catalogue.sh check
	shellcheck --external-sources $$(git ls-files '*.sh' '*.bash' .ci/run)

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
	install -D -m 755 .build/release/$(program) $(DESTDIR)$(PREFIX)/bin/$(program)
	install -D -m 755 .build/release/$(program)-full $(DESTDIR)$(PREFIX)/libexec/$(program)-full
	install -D -m 644 man/$(program).1 $(DESTDIR)$(PREFIX)/share/man/man1/$(program).1
	packaging/po/catalogue.sh build $(DESTDIR)$(PREFIX)/share/locale

## uninstall    remove what install has put there
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/$(program) $(DESTDIR)$(PREFIX)/libexec/$(program)-full
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/$(program).1
	rm -f $(DESTDIR)$(PREFIX)/share/locale/*/LC_MESSAGES/$(program).mo

## clean        remove what was built
clean:
	rm -rf .build

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

dependencies-%:
	packaging/dependencies.sh $*
