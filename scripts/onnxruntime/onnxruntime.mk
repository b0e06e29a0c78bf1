# Included by the Makefile at the root of the repository.

.PHONY: lib
lib: ## fetch the ONNX Runtime library into lib/ (through npm; optional)
	@sh scripts/onnxruntime/install.sh lib
