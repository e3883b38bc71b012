# make          build bin/pulsar-dissect
# make test     all tests; needs nothing but Go
# make race     the same under the race detector; needs a C compiler
# make lint     linters, and go.mod is tidy
# make fuzz     every fuzz target for TIME each
# make oracle   the binary against the records of an independent decoder
# make bench    throughput
# make generate the generated code and pages anew
# make docs     the pages of docs that follow from the program

GO      ?= go
TIME    ?= 10s
SHARED  ?= ../shared
BINARY  := bin/pulsar-dissect
LINTER  := bin/golangci-lint
VERSION := $(or $(shell cat VERSION 2>/dev/null),$(shell git describe --tags --always --dirty 2>/dev/null),unknown)

EXCEPTIONS := testdata/oracle-except.tsv

.PHONY: build test race lint fuzz oracle bench generate docs clean

# The version comes in by a flag, so Go need not ask git for it again.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o $(BINARY) ./cmd/pulsar-dissect

test:
	$(GO) test ./...

race:
	CGO_ENABLED=1 $(GO) test -race ./...

lint: $(LINTER)
	$(GO) mod tidy -diff
	$(GO) -C proto/gen vet .
	$(LINTER) run ./...

# Its own module pins it, so that its dependencies are not the product's.
$(LINTER): tools/go.mod tools/go.sum
	$(GO) -C tools build -trimpath -buildvcs=false -o ../$(LINTER) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

fuzz:
	.ci/fuzz $(TIME)

oracle: build
	@if [ -d $(SHARED)/oracle ]; then \
		python3 $(SHARED)/oracle/check_product.py $(BINARY) --except $(EXCEPTIONS); \
	else \
		echo "oracle: skipped, there is no $(SHARED)/oracle"; \
	fi

bench: build
	$(GO) run ./bench
	$(GO) test -run '^$$' -bench . -benchtime 300ms ./decrypt ./decode/codec ./reassembly/segment ./capture

generate:
	$(GO) generate ./...

docs:
	$(GO) generate ./cmd/pulsar-dissect

clean:
	rm -rf bin
