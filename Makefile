# make              the library (build/)            make demo     the example programs on 4 ranks
# make install      PREFIX=/usr/local DESTDIR=      make check    the tests (9 minutes on two slow cores)
# make uninstall    the same variables              make bench    performance next to floors measured in the same run
# make headers      rewrite the generated files     make deps     install missing Debian packages (apt)
# make check-programs DIR=... [PROGRAMS=file]       build, run and judge any directory of GASNet programs (man 7 gasnet)
# make fuzz         TARGET=... SECONDS=60           fuzz the parsers of external input (nightly Rust)
# make dist                                         build/dist/libgasnet-VERSION.tar.gz: the source with all crates, for builds without a network
# make licences                                     rewrite THIRD-PARTY.md and debian/copyright
# make docs                                         the book: guide, manual, reference (mdBook), in build/book/html
# make check-deep                                   the tests that take longer: more rank counts and settings, lossy networks
# make check-sanitizers                             C tests and the library under Address-, ThreadSanitizer and UBSan (clang)
# make check-cross  ARCH=aarch64 ROOT= RUNNER=        tests of another architecture (riscv64, ppc64le) under qemu-user; capi-tests/cross/run has the rest
# make soak         SECONDS=60 SEED= TURN= KINDS=   stress tests of every kind in turn on smp, udp and NETWORKS=; stops at the first failure
# make counts                                       rewrite capi-tests/counts/table: instructions of operations (valgrind)
# make mutants      MODULE=all SAMPLE=30 SEED=1     how many small faults of a module do its tests find? (cargo-mutants; hours)
# make check-against OTHER=.../smp-seq.mak SEEDS=   random programs on another GASNet-EX and on this one; reduces differing programs
#
# For another architecture: make install CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu CC=aarch64-linux-gnu-gcc PREFIX=... DESTDIR=...
# Rust's standard library of that target is needed.

PREFIX ?= /usr/local
DESTDIR ?=
CARGO ?= cargo
# For another architecture than this machine's, Rust's name of it, as cargo reads it from the environment. CC is then a cross compiler;
# the compilers of MPI and other libraries are this machine's, so that there are no shims.
CARGO_BUILD_TARGET ?=
CONDUIT ?= smp udp$(if $(CARGO_BUILD_TARGET),, mpi shmem ucx ofi)
ifeq ($(origin CC),default)
CC := $(shell command -v gcc || command -v cc)
endif
ifeq ($(origin CXX),default)
CXX := $(shell command -v g++ || command -v c++ || echo c++)
endif
# The compilers named in fragments and packages, for clients that compare them with their own; gcc-13 implies g++-13, clang
# implies clang++. Nothing is built with them.
GASNET_CC ?= $(CC)
CXX_OF_CC := $(shell echo '$(firstword $(GASNET_CC))' | sed -n 's|clang\([^/]*\)$$|clang++\1|p;t;s|gcc\([^/]*\)$$|g++\1|p')
GASNET_CXX ?= $(or $(if $(CXX_OF_CC),$(shell command -v $(CXX_OF_CC))),$(CXX))
# The same with absolute paths; options are kept.
path_of = $(strip $(shell command -v $(firstword $(1)) || echo $(firstword $(1))) $(wordlist 2,99,$(1)))
CC_PATH := $(call path_of,$(GASNET_CC))
CXX_PATH := $(call path_of,$(GASNET_CXX))

# Written into the .pc and .mak files, and used from other directories.
absolute = $(if $(filter /%,$(firstword $(1))),$(1),$(CURDIR)/$(1))
override PREFIX := $(call absolute,$(PREFIX))
override DESTDIR := $(if $(DESTDIR),$(call absolute,$(DESTDIR)))
export PREFIX DESTDIR

# Below PREFIX: where libraries are (lib64, lib/x86_64-linux-gnu), and the debug set, a prefix of its own.
LIBDIR ?= lib
DEBUGDIR ?= debug
override LIBDIR := $(patsubst %/,%,$(subst $(PREFIX)/,,$(LIBDIR)))
override DEBUGDIR := $(patsubst %/,%,$(subst $(PREFIX)/,,$(DEBUGDIR)))
ifneq ($(filter /%,$(firstword $(LIBDIR)) $(firstword $(DEBUGDIR))),)
$(error LIBDIR and DEBUGDIR are below PREFIX)
endif

# Distributions set it and expect the same bytes from each build: files are not named by where they were compiled.
ifdef SOURCE_DATE_EPOCH
REMAP := --remap-path-prefix=$(CURDIR)=. --remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)=/cargo
export RUSTFLAGS := $(RUSTFLAGS) $(if $(findstring $(REMAP),$(RUSTFLAGS)),,$(REMAP))
endif

CONDUITS_HERE := smp udp mpi shmem ucx ofi
SONAME := libgasnet.so.1
# The version for clients and their build tools: the release of GASNet whose interface the library implements.
VERSION := $(shell sed -n 's/^\#define GASNETI_RELEASE_VERSION //p' include/gasnet_config.h)
BUILD := build
CARGO_OUT := $(or $(CARGO_TARGET_DIR),target)
RELEASE := $(CARGO_OUT)$(addprefix /,$(CARGO_BUILD_TARGET))/release
PROGRAMS_AT := $(CARGO_OUT)$(addprefix /,$(CARGO_BUILD_TARGET))/programs
# It writes the manual's section 3 from the headers; of the machine that builds.
REFERENCE ?= $(CARGO_OUT)/programs/gasnet_reference

# This machine's binutils, or those of a cross compiler.
tool = $(1)
for_target =
for_this_machine =
ifneq ($(CARGO_BUILD_TARGET),)
tool = $(shell $(CC) -print-prog-name=$(1))
target_name := $(subst -,_,$(CARGO_BUILD_TARGET))
for_target := CARGO_BUILD_TARGET=$(CARGO_BUILD_TARGET) CC_$(target_name)='$(CC)' \
  CARGO_TARGET_$(shell echo $(target_name) | tr a-z A-Z)_LINKER='$(firstword $(CC))'
for_this_machine := $(if $(filter file,$(origin REFERENCE)),env -u CARGO_BUILD_TARGET -u CC -u CFLAGS $(CARGO) build --profile programs --locked --quiet --bin gasnet_reference)
endif
NM_TOOL := $(call tool,nm)
LD_TOOL := $(call tool,ld)
# With -r and --gc-sections, ld of binutils 2.44 for RISC-V puts the relocations of .eh_frame at wrong offsets, so that unwinding a frame of the
# library aborts. On RISC-V the link of the shared library drops unused sections instead, and archives keep them.
DROP := $(if $(filter riscv%,$(shell $(CC) -dumpmachine 2>/dev/null)),,--gc-sections)
AR_TOOL := $(call tool,ar)
OBJCOPY_TOOL := $(call tool,objcopy)

ifeq ($(CONDUIT),all)
CONDUITS := $(CONDUITS_HERE)
else
CONDUITS := $(CONDUIT)
endif
UNKNOWN := $(filter-out $(CONDUITS_HERE),$(CONDUITS))
ifneq ($(UNKNOWN),)
$(error This version has the conduits: $(CONDUITS_HERE). It has not: $(UNKNOWN))
endif
ifeq ($(strip $(CONDUITS)),)
$(error CONDUIT is empty. This version has the conduits: $(CONDUITS_HERE))
endif

# Conduits over the communication libraries of a machine, each by a shim.
SHIMS := $(filter mpi shmem ucx ofi,$(CONDUITS))

.PHONY: all library install uninstall demo check check-deep check-cross check-sanitizers bench docs headers licences dist deps check-programs check-against counts fuzz mutants soak clean force need-build need-check stage
.DELETE_ON_ERROR:

all: library

library: $(BUILD)/libgasnet.a $(BUILD)/$(SONAME) $(BUILD)/bin/gasnet_perf

# --- one object with only the public symbols -------------------------------------------------------------------

# cargo decides whether to rebuild; the rules below depend on the time of its result. The library is one unit of code generation,
# on one core; the programs are made on others.
$(RELEASE)/libgasnet.a: force
	@if command -v $(CARGO) >/dev/null 2>&1; then \
	  test -f $@ || echo "$(CARGO) builds the library: about a minute"; \
	  $(for_target) $(CARGO) build --profile programs --locked --quiet --bins & programs=$$!; \
	  $(for_target) $(CARGO) rustc --release --locked --quiet --lib --crate-type staticlib -- --cfg gasnet_library; status=$$?; \
	  wait $$programs && $(if $(for_this_machine),$(for_this_machine) &&) exit $$status; \
	elif test -f $@; then :; \
	else echo "cargo is not in PATH: install Rust 1.85 or newer (Debian 13: apt-get install cargo; https://rustup.rs)"; exit 1; fi

$(BUILD)/exports: $(RELEASE)/libgasnet.a
	@mkdir -p $(BUILD)
	@$(NM_TOOL) --defined-only --extern-only --format=posix $< 2>/dev/null | \
	  sed -nE 's/^((gasnet|gasnett|gasneti|gasnetc|gasnete|gex)_[^ ]*) .*/\1/p' | LC_ALL=C sort -u >$@
	@cmp -s $@ exports.txt || echo "note: exports.txt is not what this build exports; \`make headers\` rewrites it"

$(BUILD)/gasnet.o: $(BUILD)/exports
	@sed 's/^/-u /' $(BUILD)/exports >$(BUILD)/roots
	$(LD_TOOL) -r $(DROP) @$(BUILD)/roots -o $@.all $(RELEASE)/libgasnet.a
	$(OBJCOPY_TOOL) --keep-global-symbols=$(BUILD)/exports --strip-debug --remove-section=.llvmbc --remove-section=.llvmcmd \
	  --remove-section=.note.GNU-stack --add-section .note.GNU-stack=/dev/null $@.all $@
	@rm -f $@.all

$(BUILD)/libgasnet.a: $(BUILD)/gasnet.o
	@rm -f $@
	$(AR_TOOL) rcsD $@ $<

$(BUILD)/$(SONAME): $(BUILD)/gasnet.o
	@{ echo 'GASNET_1 { global:'; sed 's/$$/;/' $(BUILD)/exports; echo 'local: *; };'; } >$(BUILD)/exports.map
	$(CC) -shared -o $@ $< -Wl,-soname,$(SONAME) -Wl,--version-script=$(BUILD)/exports.map -Wl,-z,defs -Wl,-z,noexecstack -Wl,-z,nodelete $(if $(DROP),,-Wl,--gc-sections) $(LDFLAGS) -pthread

PERF_SOURCES := $(addprefix capi-tests/perf/,gasnet_perf.c options.c am.c rma.c ex_am.c ex_rma.c vis.c coll.c job.c report.c)
PERF_CC = $(CC) -O3 -falign-loops=64 -D_REENTRANT -D_GNU_SOURCE=1 -Iinclude -Iinclude/smp-conduit
$(BUILD)/bin/gasnet_perf: $(BUILD)/libgasnet.a $(PERF_SOURCES) capi-tests/perf/perf.h capi-tests/perf/vis.h $(wildcard include/*.h include/*/*.h)
	@mkdir -p $(BUILD)/bin
	@if test -f include/gasneti/tools_compiler.h; then set -ex; \
	  $(PERF_CC) -DGASNET_SEQ -o $@ $(PERF_SOURCES) $< $(LDFLAGS) -pthread; \
	  $(PERF_CC) -DGASNET_PAR -o $@-par $(PERF_SOURCES) $< $(LDFLAGS) -pthread; fi

# --- install ---------------------------------------------------------------------------------------------------

# mode-archives DIRECTORY,FLAGS: an archive for each conduit and mode: the library and the identification strings of that mode.
# With ARCHIVES=scripts, for packages, which would contain the library 36 times: scripts for the linker that name libgasnet.a, with the same strings.
ARCHIVES ?= whole
mode-archives = for c in $(CONDUITS); do for m in SEQ PAR PARSYNC; do \
	  idents=$(BUILD)/idents-$$c-$$m.o archive=$(1)/libgasnet-$$c-$$(echo $$m | tr A-Z a-z).a; \
	  $(CC) -c -O1 -fPIC -DGASNET_$$m -D_REENTRANT -D_GNU_SOURCE=1 $(2) -Iinclude -Iinclude/$$c-conduit pkgconfig/idents.c -o $$idents && \
	  $(if $(filter scripts,$(ARCHIVES)),{ echo '/* GNU ld script' && strings $$idents | grep '^[$$]GASNet' && echo '*/' && echo 'INPUT ( libgasnet.a )'; } >$$archive,\
	  cp $(BUILD)/libgasnet.a $$archive && $(AR_TOOL) rD $$archive $$idents) || exit 1; done; done

# The complete installed tree, with paths for PREFIX.
STAGE := $(BUILD)/stage
stage: library
	@rm -rf $(STAGE)
	@mkdir -p $(STAGE)/include $(STAGE)/$(LIBDIR) $(STAGE)/bin $(STAGE)/share/man/man1 $(STAGE)/share/man/man3 $(STAGE)/share/man/man7 $(STAGE)/share/doc/gasnet
	@cp include/*.h $(STAGE)/include/
	@cp -R include/gasneti $(STAGE)/include/
	@for c in $(CONDUITS); do cp -R include/$$c-conduit $(STAGE)/include/; done
	@chmod -R u+w $(STAGE)
	@cp $(BUILD)/libgasnet.a $(BUILD)/$(SONAME) $(STAGE)/$(LIBDIR)/
	@ln -s $(SONAME) $(STAGE)/$(LIBDIR)/libgasnet.so
	@for c in $(CONDUITS); do \
	  ln -s $(SONAME) $(STAGE)/$(LIBDIR)/libgasnet-$$c.so; ln -s libgasnet.a $(STAGE)/$(LIBDIR)/libgasnet-$$c.a; \
	  cp $(PROGRAMS_AT)/gasnetrun $(STAGE)/bin/gasnetrun_$$c; done
	@$(if $(filter udp,$(CONDUITS)),ln -s gasnetrun_udp $(STAGE)/bin/amudprun && ar rcD $(STAGE)/$(LIBDIR)/libamudp.a,:)
	@for m in seq par; do ln -s libgasnet.a $(STAGE)/$(LIBDIR)/libgasnet_tools-$$m.a; done
	@sh pkgconfig/debug-tree $(STAGE) $(LIBDIR) $(DEBUGDIR) $(CONDUITS)
	@$(call mode-archives,$(STAGE)/$(LIBDIR),)
	@$(call mode-archives,$(STAGE)/$(DEBUGDIR)/lib,-DGASNET_DEBUG)
	@cp $(PROGRAMS_AT)/gasnet_info $(PROGRAMS_AT)/gasnet_trace $(STAGE)/bin/
	@if test -f $(BUILD)/bin/gasnet_perf; then cp $(BUILD)/bin/gasnet_perf $(BUILD)/bin/gasnet_perf-par $(STAGE)/bin/; fi
	@cp man/*.1 $(STAGE)/share/man/man1/
	@for c in $(CONDUITS); do ln -s gasnetrun.1 $(STAGE)/share/man/man1/gasnetrun_$$c.1; done
	@ln -s gasnet_perf.1 $(STAGE)/share/man/man1/gasnet_perf-par.1
	@$(if $(filter udp,$(CONDUITS)),ln -s gasnetrun.1 $(STAGE)/share/man/man1/amudprun.1,:)
	@cp man/*.7 $(STAGE)/share/man/man7/
	@$(REFERENCE) man include $(STAGE)/share/man/man3
	@cp README.md CHANGELOG.md LICENSE-* THIRD-PARTY.md $(wildcard docs/abi.md docs/env.md docs/differences.md docs/debug.md docs/tracing.md docs/trace-page.png docs/hung-jobs.md docs/segments.md docs/restricted.md docs/clients.md) $(STAGE)/share/doc/gasnet/
	@sh pkgconfig/place "$$PREFIX/$(LIBDIR)/gasnet" $(STAGE)/$(LIBDIR) $(STAGE)/$(DEBUGDIR)/lib
	@$(if $(SHIMS),mkdir -p $(STAGE)/$(LIBDIR)/gasnet $(STAGE)/share/gasnet/shims && cp $(addprefix shims/,signals.h $(SHIMS:=.c) $(SHIMS:=_shim.h)) $(STAGE)/share/gasnet/shims/ && \
	  sed 's|\.\./lib/gasnet|../$(LIBDIR)/gasnet|' shims/gasnet-build-shim >$(STAGE)/bin/gasnet-build-shim && chmod +x $(STAGE)/bin/gasnet-build-shim && for c in $(SHIMS); do sh shims/gasnet-build-shim $$c $(STAGE)/$(LIBDIR)/gasnet >/dev/null || \
	  echo "note: no shim of conduit $$c was built; gasnet-build-shim $$c builds it once its headers are there"; done,:)
	@sh pkgconfig/fill release $(STAGE) "$$PREFIX" $(LIBDIR) $(VERSION) '$(CC_PATH)' '$(CXX_PATH)' $(CONDUITS)
	@sh pkgconfig/fill debug $(STAGE)/$(DEBUGDIR) "$$PREFIX/$(DEBUGDIR)" lib $(VERSION) '$(CC_PATH)' '$(CXX_PATH)' $(CONDUITS)
	@sh tree/fill $(STAGE) "$$PREFIX" $(LIBDIR) $(DEBUGDIR)

# Existing directories keep their modes; new ones are readable by all users, regardless of the umask.
install: stage
	@umask 022 && mkdir -p "$$DESTDIR$$PREFIX" && tar -C $(STAGE) -cf - --owner=0 --group=0 --mode=u+rwX,go+rX,go-w . | \
	  (umask 022 && cd "$$DESTDIR$$PREFIX" && tar xf - --no-same-owner --no-overwrite-dir)
	@echo "installed in $$DESTDIR$$PREFIX"

uninstall: stage
	@if cd "$$DESTDIR$$PREFIX" 2>/dev/null; then stage='$(abspath $(STAGE))'; \
	  (cd "$$stage" && find . ! -type d) | xargs rm -f; \
	  (cd "$$stage" && find . -mindepth 1 -depth -type d) | xargs rmdir --ignore-fail-on-non-empty 2>/dev/null; fi; true
	@echo "removed from $$DESTDIR$$PREFIX"

# --- demo and tests --------------------------------------------------------------------------------------------

DEPS_BUILD := gcc libc6-dev binutils pkg-config
# The headers of two MPIs and of an OpenSHMEM, and those of UCX, for the shims of conduits mpi, shmem and ucx.
DEPS_SHIMS := libopenmpi-dev libmpich-dev libucx-dev
# The headers of libfabric, for the shim of conduit ofi.
DEPS_OFI := libfabric-dev
# Other people's launchers, under which tests/launchers.rs starts jobs; it leaves out those that are not there.
DEPS_LAUNCHERS := mpich openmpi-bin libpmix-dev slurmctld slurmd slurm-client slurm-wlm-basic-plugins libpmi0 libpmi2-0 python3-venv
# The checks of the manual, and of the page of a trace.
DEPS_DOCS := mandoc chromium
# Comparison of the ABI with that of the last release.
DEPS_ABI := abigail-tools
# The roots in which the oldest Rust builds the library, and the packages are built.
DEPS_ROOTS := debootstrap
# The checkers of make check-deep, clang's run-time libraries for those of make check-sanitizers, and the debugger of frozen jobs and backtraces.
DEPS_CHECKERS := valgrind python3 libclang-rt-dev gdb qemu-user
DEPS := $(DEPS_BUILD) g++ clang cmake procps $(DEPS_CHECKERS) $(DEPS_SHIMS) $(DEPS_OFI) $(DEPS_LAUNCHERS) $(DEPS_DOCS) $(DEPS_ABI) $(DEPS_ROOTS)
sudo := $(shell test "$$(id -u)" = 0 || echo sudo)
deps:
	@command -v apt-get >/dev/null || { echo "there is no apt-get here; install by other means: $(DEPS)"; exit 1; }
	@$(if $(sudo),command -v sudo >/dev/null || { echo "as root: apt-get install $(DEPS)"; exit 1; })
	$(sudo) apt-get update -q
	$(sudo) env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $(DEPS)
	@$(if $(filter mpich,$(DEPS)),bash capi-tests/launchers/wheels build/launchers || :,:)

# need TOOLS,PACKAGES: installs missing tools if run as root, else prints the command that installs them.
need = missing=; for tool in $(1); do command -v $$tool >/dev/null 2>&1 || missing="$$missing $$tool"; done; \
	if test -n "$$missing"; then \
	  if test -z "$(sudo)" && command -v apt-get >/dev/null; then $(MAKE) --no-print-directory deps DEPS='$(2)'; \
	  elif command -v sudo >/dev/null; then echo "missing:$$missing. Run: make deps"; exit 1; \
	  else echo "missing:$$missing. Run as root: apt-get install $(2)"; exit 1; fi; fi
need-build:
	@$(call need,$(or $(CC),cc) ld objcopy pkg-config,$(DEPS_BUILD))
need-check:
	@$(call need,gcc g++ clang clang++ ld objcopy pkg-config cmake valgrind pgrep,$(DEPS))

SCRATCH := $(BUILD)/install
demo: need-build
	@$(MAKE) --no-print-directory install PREFIX='$(abspath $(SCRATCH))' DESTDIR=
	@sh examples/demo '$(abspath $(SCRATCH))' '$(abspath $(BUILD))/demo' $(CONDUITS)

check: need-check
	@bash capi-tests/check-all '$(abspath $(BUILD))' quick
check-deep: need-check
	@bash capi-tests/check-all '$(abspath $(BUILD))' deep

check-sanitizers: need-check
	@$(MAKE) --no-print-directory install PREFIX='$(abspath $(SCRATCH))' DESTDIR=
	@bash capi-tests/checkers/sanitizers '$(abspath $(SCRATCH))' '$(abspath $(BUILD))/sanitizers' $(PARTS)

# SETS, SMP, UDP, TOOLS, CONFIGS, JOBS and PATIENCE as they are in the environment or on the command line.
ARCH ?= aarch64
check-cross:
	@$(if $(ROOT),ROOT='$(ROOT)') $(if $(RUNNER),RUNNER='$(RUNNER)') bash capi-tests/cross/run '$(ARCH)' '$(abspath $(BUILD))'

BENCH := $(firstword $(CONDUITS))
bench:
	@$(MAKE) --no-print-directory install PREFIX='$(abspath $(SCRATCH))' DESTDIR=
	@CARGO='$(CARGO)' bash capi-tests/perf/bench CONDUIT=$(BENCH) MAK_SEQ='$(abspath $(SCRATCH))/include/$(BENCH)-conduit/$(BENCH)-seq.mak' \
	  OUT='$(abspath $(BUILD))/bench-$(BENCH)' DOCS=docs $(if $(OTHER),OTHER='$(OTHER)') $(if $(OTHER_RUN),OTHER_RUN='$(OTHER_RUN)') \
	  $(if $(PAIRS),PAIRS='$(PAIRS)') $(if $(RUN_AS),RUN_AS='$(RUN_AS)') $(if $(ROWS),ROWS='$(ROWS)') $(if $(SKIP),SKIP='$(SKIP)')
	@[ '$(BENCH)' != udp ] || { printf '\nThe start of jobs of many ranks, simulated (docs/scale.md):\n\n' && $(PROGRAMS_AT)/gasnet_scale -ranks 1000,10000,100000; }

check-programs: need-build
	@test -n "$(DIR)" || { echo "say DIR=directory-of-programs"; exit 1; }
	@$(MAKE) --no-print-directory install PREFIX='$(abspath $(SCRATCH))' DESTDIR=
	@PREFIX='$(abspath $(SCRATCH))' OUT='$(abspath $(or $(OUT),$(BUILD)/programs))' bash capi-tests/check-programs '$(DIR)' $(if $(PROGRAMS),'$(PROGRAMS)')

counts: need-check
	@$(MAKE) --no-print-directory install PREFIX='$(abspath $(SCRATCH))' DESTDIR=
	@bash capi-tests/counts/run '$(abspath $(SCRATCH))' '$(abspath $(BUILD))/counts' write

fuzz:
	@bash fuzz/run '$(TARGET)' '$(or $(SECONDS),60)'

mutants: need-build
	@cargo mutants --version >/dev/null 2>&1 || { echo "make mutants needs cargo-mutants: cargo install --locked cargo-mutants"; exit 1; }
	@$(CARGO) run -q -p xtask -- mutants '$(or $(MODULE),all)' '$(or $(SAMPLE),30)' '$(or $(SEED),1)' '$(abspath $(BUILD))/mutants'

# By default this library's fragment is that of the first conduit in CONDUIT, in the mode of OTHER's name; OURS names another.
AGAINST = $(abspath $(SCRATCH))/include/$(firstword $(CONDUITS))-conduit/$(firstword $(CONDUITS))-$(lastword $(subst -, ,$(basename $(notdir $(OTHER))))).mak
check-against: need-build
	@test -f "$(OTHER)" || { echo "say OTHER=<prefix>/include/smp-conduit/smp-seq.mak of another GASNet-EX"; exit 1; }
	@$(MAKE) --no-print-directory install PREFIX='$(abspath $(SCRATCH))' DESTDIR=
	@bash capi-tests/against/run OURS='$(or $(OURS),$(AGAINST))' OTHER='$(OTHER)' OUT='$(abspath $(BUILD))/against' \
	  PROGRAM='$(or $(PROGRAM),waits=1)' $(if $(OTHER_RUN),OTHER_RUN='$(OTHER_RUN)') $(if $(SEED),SEED='$(SEED)') SEEDS='$(or $(SEEDS),200)' $(if $(RANKS),RANKS='$(RANKS)')

FAULTS ?= loss=1%,dup=1%,reorder=5%,corrupt=0.1%
soak: need-build
	@$(MAKE) --no-print-directory install PREFIX='$(abspath $(SCRATCH))' DESTDIR=
	@PKG_CONFIG_PATH='$(abspath $(SCRATCH))/lib/pkgconfig' BUILD='$(abspath $(BUILD))/soak' $(if $(SEED),SEED='$(SEED)') $(if $(TURN),TURN='$(TURN)') \
	  $(if $(KINDS),KINDS='$(KINDS)') NETWORKS='$(NETWORKS)' bash capi-tests/soak/run '$(or $(SECONDS),60)' '$(FAULTS)'

headers:
	$(CARGO) run -q -p xtask -- headers
	@$(MAKE) --no-print-directory $(BUILD)/exports 2>/dev/null | grep -v '^note:' || true
	@cmp -s $(BUILD)/exports exports.txt || { cp $(BUILD)/exports exports.txt; echo "wrote exports.txt"; }

licences:
	$(CARGO) run -q -p xtask -- third-party

dist:
	@CARGO='$(CARGO)' sh packaging/dist '$(BUILD)/dist'

MDBOOK = $(or $(shell command -v mdbook),$(BUILD)/mdbook/bin/mdbook)
docs:
	@$(CARGO) build --profile programs --locked --quiet --bin gasnet_reference
	@test -x '$(MDBOOK)' || { echo "mdbook is compiled once, in $(BUILD)/mdbook: some minutes"; \
	  $(CARGO) install --quiet --locked --root $(BUILD)/mdbook --no-default-features --features search mdbook@0.5.4; }
	@sh docs/book '$(abspath $(BUILD))/book' '$(abspath $(MDBOOK))' '$(abspath $(REFERENCE))'

clean:
	rm -rf $(BUILD)
	$(CARGO) clean -q
