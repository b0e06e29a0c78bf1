# Included by the Makefile at the root of the repository.

# What was built and linked; other systems need a runner of their own.
TARGETS ?= linux/amd64 linux/arm64 windows/amd64 darwin/amd64 darwin/arm64

.PHONY: release
release: tools ## build the packages of a release into dist/: VERSION=x.y.z [TARGETS="linux/amd64 linux/arm64 windows/amd64 darwin/amd64 darwin/arm64"]
	@test -n "$(VERSION)" || { echo 'usage: make release VERSION=x.y.z [TARGETS="linux/amd64"]' >&2; exit 1; }
	GO="$(GO)" MAKE="$(MAKE)" sh scripts/release/release.sh "$(VERSION)" $(TARGETS)

.PHONY: try-release
try-release: ## install the packages in dist/ into clean Debian systems, use them, uninstall them; needs root
	sh scripts/debian.sh debootstrap debootstrap curl curl
	sh scripts/release/try.sh

.PHONY: check-workflows
check-workflows: tools ## check .github/workflows
	$(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

.PHONY: check-vulnerabilities
check-vulnerabilities: tools ## look for known vulnerabilities in what the program calls; asks vuln.go.dev
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./cmd/quarry

.PHONY: check-licences
check-licences: tools ## check the licence of each module and grammar that is linked against those that may be
	$(GO) test . -run '^Test(Licences|Grammars)$$' -count 1
