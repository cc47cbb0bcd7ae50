#!/bin/sh
# authtype.sh: runs git's own tests of helpers with `authtype`, which t0303-credential-external.sh leaves out.
#
# conformance.sh calls it in the folder t of git's sources, like one of git's own test scripts, with its options.
# shellcheck disable=SC1091,SC2016,SC2034

test_description='external credential helper: authtype and credential'

TEST_DIRECTORY=$(pwd)
. "$TEST_DIRECTORY"/test-lib.sh
. "$TEST_DIRECTORY"/lib-credential.sh

helper_test_authtype "$GIT_TEST_CREDENTIAL_HELPER"

# The eighth of git's tests, which releases before 2.48 lack.
if ! grep -q 'only if request has authtype capability' "$TEST_DIRECTORY"/lib-credential.sh
then
	HELPER=$GIT_TEST_CREDENTIAL_HELPER
	test_expect_success "helper ($HELPER) gets authtype and credential only if request has authtype capability" '
		check fill $HELPER <<-\EOT
		protocol=https
		host=git.example.com
		--
		protocol=https
		host=git.example.com
		username=askpass-username
		password=askpass-password
		--
		askpass: Username for '\''https://git.example.com'\'':
		askpass: Password for '\''https://askpass-username@git.example.com'\'':
		EOT
	'
fi

test_done
