# Included by the Makefile at the root of the repository. DESTDIR is for those who make
# packages. The program finds the ONNX Runtime library in lib/ next to its folder.

PREFIX  ?= /usr/local
SHARE   := $(DESTDIR)$(PREFIX)/share
OWN     := $(DESTDIR)$(PREFIX)/lib/quarry

.PHONY: install
install: tools build ## install the program, its manual and completion for bash, zsh and fish: PREFIX=/usr/local
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(OWN)/bin" "$(SHARE)/man/man1" "$(SHARE)/bash-completion/completions" \
		"$(SHARE)/zsh/site-functions" "$(SHARE)/fish/vendor_completions.d"
	install -m 755 bin/quarry "$(OWN)/bin/quarry"
	ln -sf ../lib/quarry/bin/quarry "$(DESTDIR)$(PREFIX)/bin/quarry"
	@! test -d lib || { install -d "$(OWN)/lib" && install -m 644 lib/* "$(OWN)/lib"; }
	$(GO) run -trimpath $(STAMP) ./cmd/quarry-man "$(SHARE)/man/man1"
	bin/quarry completion bash >"$(SHARE)/bash-completion/completions/quarry"
	bin/quarry completion zsh >"$(SHARE)/zsh/site-functions/_quarry"
	bin/quarry completion fish >"$(SHARE)/fish/vendor_completions.d/quarry.fish"

.PHONY: uninstall
uninstall: ## remove what install has put there: PREFIX=/usr/local
	rm -rf "$(OWN)"
	rm -f "$(DESTDIR)$(PREFIX)/bin/quarry" "$(SHARE)/man/man1/quarry.1" "$(SHARE)/man/man1"/quarry-*.1 \
		"$(SHARE)/bash-completion/completions/quarry" "$(SHARE)/zsh/site-functions/_quarry" "$(SHARE)/fish/vendor_completions.d/quarry.fish"
