.PHONY: test
test:
	@echo "to be written"
