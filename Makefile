# What a person or a machine does with this repository. `make run` needs nothing but a Swift 6.3
# toolchain on the PATH; whatever else is missing is installed, or named.

.DEFAULT_GOAL := help
.PHONY: help run build bench instructions test test-build asan fuzz fuzz-build mutations soak soak-server lint form tidy \
	no-failpoints format docs image clean

# Passed on to `transferd demo`: make run ARGS="--port 9000"
ARGS ?=

BINARY := .build/release/transferd
SOURCES := Package.swift Sources Tests Migrations

# Tests run optimised, because ThreadSanitizer misses races in unoptimised code, and with the named
# points where a test kills, delays or fails the server. They have a build folder of their own, so
# that nothing of this gets near the product.
TEST_FLAGS := -c release --sanitize thread --traits Failpoints --scratch-path .build/test \
	-Xswiftc -enable-testing
TEST_BINARY := .build/test/release/transferd

# The same under AddressSanitizer, with leaks. Not a part of .ci/run: it is one more build of everything.
ASAN_FLAGS := -c release --sanitize address --traits Failpoints --scratch-path .build/asan \
	-Xswiftc -enable-testing

# The server that is soaked: as it is shipped, but for the failpoints.
SOAK_FLAGS := -c release --traits Failpoints --scratch-path .build/soak/build

# Every fuzz target, in one program. SwiftPM passes sanitizers on in no certain order, and the last
# one wins, so both are named together. Optimised, but with assertions.
FUZZ_FLAGS := -c release --scratch-path .build/fuzz --sanitize fuzzer \
	-Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing -Xswiftc -assert-config \
	-Xswiftc Debug

# How long each target runs.
FUZZ_SECONDS ?= 20

# How long each figure is measured.
BENCH_SECONDS ?= 8

# The first race ends the run. A trap is reported by ThreadSanitizer too, because it does not survive
# the process that Swift's own crash reports start.
export TSAN_OPTIONS ?= halt_on_error=1 second_deadlock_stack=1 handle_sigill=1 handle_sigtrap=1
export SWIFT_BACKTRACE ?= enable=no

# The other implementations that tests compare with.
export PATH := $(CURDIR)/.build/venv/bin:$(PATH)

help:
	@echo 'make run [ARGS="--port 9000"]  a bank to try things on'
	@echo 'make build                     the server, optimised'
	@echo 'make test [FILTER=Ledger]      every test, under ThreadSanitizer'
	@echo 'make fuzz [FUZZ_SECONDS=20]    every reader of foreign bytes, under AddressSanitizer'
	@echo 'make asan [FILTER=Ledger]      every test, under AddressSanitizer'
	@echo 'make mutations                 breaks one guarantee after another; a test must see each'
	@echo 'make soak [SOAK_MINUTES=15]    traffic and faults, then fuzz, mutations and asan: two hours'
	@echo 'make lint                      form of the sources, and the tests that read them'
	@echo 'make bench [BENCH_SECONDS=8]   measures it beside nginx, and writes Benchmarks/RESULTS.md'
	@echo 'make instructions              counts instructions a request against the committed figures'
	@echo 'make docs                      writes what the documentation takes from the code'
	@echo 'make format                    brings the sources into form'
	@echo 'make image                     a container image, where Docker runs'
	@echo 'make clean                     removes what was built'

run: build
	@exec $(BINARY) demo $(ARGS)

# Swift's libraries go into the binary, so that it runs where no Swift is.
build:
	@.ci/need build
	swift build -c release --static-swift-stdlib --product transferd

# Beside a PostgreSQL of its own, which is gone afterwards.
test: test-build
	.ci/with-postgres swift test --skip-build --disable-xctest $(TEST_FLAGS) $(if $(FILTER),--filter $(FILTER))

test-build:
	@.ci/need test
	swift build --build-tests $(TEST_FLAGS)

# Seeds in Tests/Fuzz/Corpus; what a run finds in .build/fuzz/findings.
fuzz: fuzz-build
	@.ci/fuzz .build/fuzz/release/Fuzz $(FUZZ_SECONDS)

fuzz-build:
	@.ci/need build
	TRANSFERD_FUZZ=1 swift build $(FUZZ_FLAGS) --product Fuzz

asan:
	@.ci/need test
	swift build --build-tests $(ASAN_FLAGS)
	swift test --skip-build --disable-xctest $(ASAN_FLAGS) $(if $(FILTER),--filter $(FILTER))

# Writes docs/mutations.md. An hour or so: each mutation is a build.
mutations:
	@.ci/need build
	.ci/mutations

# What is too long for every change.
soak: soak-server
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=600
	@$(MAKE) --no-print-directory mutations
	@$(MAKE) --no-print-directory asan

# Writes docs/soak.md.
soak-server:
	@.ci/need build
	swift build --product transferd $(SOAK_FLAGS)
	Tests/Soak/soak.py .build/soak/build/release/transferd

# Every way of loading it, nginx beside it, latency against offered load; about 7 minutes, and it
# wants a quiet machine. More or less: BENCH_SECONDS for each figure.
bench: build
	@.ci/need bench
	Benchmarks/run --write --seconds $(BENCH_SECONDS) $(ARGS)

# Instructions a request, counted by callgrind: no clock, so a busy machine does not matter. Built
# beside the product, of the same objects. ARGS=--write commits to what was counted.
instructions:
	@.ci/need instructions
	TRANSFERD_INSTRUCTIONS=1 swift build -c release --static-swift-stdlib --product Instructions
	@.ci/instructions .build/release/Instructions $(ARGS)

lint: form tidy

# What needs no build.
form:
	@.ci/need lint
	swift format lint --strict --recursive --parallel $(SOURCES)
	hadolint Dockerfile

# Sizes, arrows between rooms, words, doc comments, links: tests that read the sources.
tidy:
	@$(MAKE) --no-print-directory test FILTER=TidyTests

# Nothing of the failpoints may be in the product.
no-failpoints: build
	@.ci/no-failpoints $(BINARY) $(TEST_BINARY)

format:
	swift format --in-place --recursive --parallel $(SOURCES)

# The table of settings in docs/operations.md, from the one in the code.
docs:
	@TRANSFERD_WRITE_DOCS=1 $(MAKE) --no-print-directory test FILTER=SettingsPageTests

image:
	docker build --tag transferd .

clean:
	rm -rf .build
