# Included by the Makefile at the root of the repository. DESTDIR is for those who make
# packages; PROGRAM and LIBRARY, for another system than this one, too. The program finds
# the ONNX Runtime library in lib/quarry/ next to its folder.

PREFIX  ?= /usr/local
PROGRAM ?= bin/quarry
LIBRARY ?= lib
PLACE   := $(DESTDIR)$(PREFIX)
SHARE   := $(PLACE)/share
OWN     := $(PLACE)/lib/quarry
UNIT    := $(PLACE)/lib/systemd/user/quarry@.service

.PHONY: install
install: tools build ## install the program, its manual, licences, a user's service, and completion for bash, zsh and fish: PREFIX=/usr/local
	install -d "$(PLACE)/bin" "$(OWN)" "$(dir $(UNIT))" "$(SHARE)/man/man1" "$(SHARE)/doc/quarry" "$(SHARE)/bash-completion/completions" \
		"$(SHARE)/zsh/site-functions" "$(SHARE)/fish/vendor_completions.d"
	install -m 755 "$(PROGRAM)" "$(PLACE)/bin/quarry"
	@for f in "$(LIBRARY)"/*onnxruntime*; do test ! -f "$$f" || install -m 644 "$$f" "$(OWN)"; done
	install -m 644 LICENSE NOTICE "$(SHARE)/doc/quarry"
	GO="$(GO)" sh scripts/licences/collect.sh "$(SHARE)/doc/quarry/licences"
	install -m 644 deploy/systemd/quarry@.service "$(UNIT)"
	GOOS= GOARCH= $(GO) run $(STAMP) ./cmd/quarry-man "$(SHARE)/man/man1"
	bin/quarry completion bash >"$(SHARE)/bash-completion/completions/quarry"
	bin/quarry completion zsh >"$(SHARE)/zsh/site-functions/_quarry"
	bin/quarry completion fish >"$(SHARE)/fish/vendor_completions.d/quarry.fish"

.PHONY: uninstall
uninstall: ## remove what install has put there: PREFIX=/usr/local
	rm -rf "$(OWN)" "$(SHARE)/doc/quarry"
	rm -f "$(PLACE)/bin/quarry" "$(UNIT)" "$(SHARE)/man/man1/quarry.1" "$(SHARE)/man/man1"/quarry-*.1 \
		"$(SHARE)/bash-completion/completions/quarry" "$(SHARE)/zsh/site-functions/_quarry" "$(SHARE)/fish/vendor_completions.d/quarry.fish"
