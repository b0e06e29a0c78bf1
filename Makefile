# Everything starts here; `make help` lists the targets.
SHELL := /bin/sh
GO    ?= go
ROOT  ?= .
# go-tree-sitter's generated parsers make the C compiler warn about bytes in
# string literals; -w keeps the build readable.
export CGO_CFLAGS ?= -O2 -g -w

.PHONY: help build
help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

build: ## build bin/quarry
	$(GO) build -trimpath -o bin/quarry ./cmd/quarry
