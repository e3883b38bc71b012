# make          build bin/pulsar-dissect
# make test     all tests; needs nothing but Go
# make race     the same under the race detector, with fewer tries; needs a C compiler
# make lint     linters, and go.mod is tidy
# make fuzz     every fuzz target for TIME each
# make oracle   the binary against the records of an independent decoder
# make lab      the binary beside a real broker and clients; needs Java, Maven and the right to capture
# make bench    throughput
# make generate the generated code and pages anew
# make docs     the pages of docs that follow from the program
# make release  binaries, archives, packages and their sums, in dist/

GO      ?= go
TIME    ?= 10s
SHARED  ?= ../shared
BINARY  := bin/pulsar-dissect
LINTER  := bin/golangci-lint
VERSION := $(or $(shell cat VERSION 2>/dev/null),$(shell git describe --tags --always --dirty 2>/dev/null),unknown)

# A release has the version on top of the list of changes, and the time of the
# commit, so that two builds of it are equal.
RELEASE = $(shell sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)
SOURCE_DATE_EPOCH ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),0)
NFPM    := bin/nfpm

EXCEPTIONS := testdata/oracle-except.tsv

.PHONY: build test race lint fuzz oracle lab bench generate docs release clean

# The version comes in by a flag, so Go need not ask git for it again.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o $(BINARY) ./cmd/pulsar-dissect

test:
	$(GO) test ./...

race:
	CGO_ENABLED=1 $(GO) test -race -short ./...

lint: $(LINTER)
	$(GO) mod tidy -diff
	$(GO) -C proto/gen vet .
	$(LINTER) run ./...
	cd lab && ../$(LINTER) run ./...

# Its own module pins it, so that its dependencies are not the product's.
$(LINTER): tools/go.mod tools/go.sum
	$(GO) -C tools build -trimpath -buildvcs=false -o ../$(LINTER) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

fuzz:
	.ci/fuzz $(TIME)

# SOAK is how long clients go as fast as they can.
SOAK ?= 20s
lab: build
	$(GO) -C lab test .
	$(GO) -C lab run . -binary $(CURDIR)/$(BINARY) -dir $(CURDIR)/lab/out -pom $(CURDIR)/lab/pom.xml -soak $(SOAK)

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

release: $(NFPM)
	$(GO) run ./release -version $(RELEASE) -time $(SOURCE_DATE_EPOCH) -nfpm $(NFPM) -dir dist

# A module of its own again: it asks for other versions than the linters do.
$(NFPM): tools/nfpm/go.mod tools/nfpm/go.sum
	$(GO) -C tools/nfpm build -trimpath -buildvcs=false -o ../../$(NFPM) github.com/goreleaser/nfpm/v2/cmd/nfpm

clean:
	rm -rf bin dist
