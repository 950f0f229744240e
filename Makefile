# Vitrine's build. `make` builds the three programs and the page, `make run` sets up and shares a
# shell, `make test` runs every test. VARIANT picks compiler and checks, BUILD the output folder.

VERSION  := 0.1.0
VARIANT  ?= release
BUILD    ?= build/$(VARIANT)
PREFIX   ?= /usr/local
DESTDIR  ?=
SUITE    ?= all

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all run test deps deps-test unit tools unit-programs layers notices install uninstall \
        clean fresh-test page vectors bench bench-mux bench-programs

# One short line per step; V=1 shows the commands.
ifeq ($(V),)
Q    := @
step  = @printf '  %-6s %s\n' $(1) $@
endif

# --- variants -------------------------------------------------------------------------------

WARN   := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
          -Wswitch-enum
HARDEN := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
ASAN   := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

cc_release    := gcc
flags_release := -O2 -g $(HARDEN)
cc_gcc        := gcc
flags_gcc     := -O1 -g -Werror -DVITRINE_TEST
cc_clang      := clang
flags_clang   := -O1 -g -Werror -DVITRINE_TEST
cc_gcc-asan   := gcc
flags_gcc-asan := -O1 -g -Werror -DVITRINE_TEST $(ASAN)
cc_clang-asan := clang
flags_clang-asan := -O1 -g -Werror -DVITRINE_TEST $(ASAN)
link_release  := -pie -Wl,-z,relro,-z,now

ifeq ($(cc_$(VARIANT)),)
$(error unknown VARIANT '$(VARIANT)': release, gcc, clang, gcc-asan or clang-asan)
endif
CC      := $(cc_$(VARIANT))
PKG     := pkg-config
CFLAGS  := -std=c11 $(WARN) $(flags_$(VARIANT))
CPPFLAGS := -D_POSIX_C_SOURCE=200809L -DVITRINE_VERSION='"$(VERSION)"' -I. -I$(BUILD)/gen -MMD -MP
LDFLAGS := $(filter -fsanitize%,$(flags_$(VARIANT))) $(link_$(VARIANT))

CRYPTO_LIBS := -lsodium -lmbedx509 -lmbedcrypto
DAEMON_LIBS := -luv -lvterm -lqrencode $(CRYPTO_LIBS)
GATE_LIBS   := -lwebsockets -lssl -lcrypto
# The client needs libc only; a static program starts faster. Sanitizers cannot link statically.
CLIENT_LINK := $(if $(findstring asan,$(VARIANT)),,-static)

# --- objects --------------------------------------------------------------------------------

objs = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(1)/*.c))
PROTO_O  := $(call objs,proto)
CRYPTO_O := $(call objs,crypto)
DAEMON_O := $(filter-out %/server/daemon/main.o,$(call objs,server/daemon))
GATE_O   := $(filter-out %/server/gate/main.o,$(call objs,server/gate))
CLIENT_O := $(filter-out %/server/client/main.o,$(call objs,server/client))
# libvitrine: what a program links, from the same objects as `vitrine`.
LIBRARY_O := $(filter %/connection.o %/request.o %/runtime_dir.o %/start.o %/plain_text.o \
             %/json_read.o %/library.o %/library_command.o %/library_list.o %/library_cells.o \
             %/library_output.o %/library_expect.o %/library_share.o,$(CLIENT_O)) $(PROTO_O)
ASSETS_O := $(BUILD)/obj/gen/assets.o
BIN      := $(BUILD)/bin

# Completions of shells, made from the command table as it is in a release.
COMPLETION := $(addprefix $(BUILD)/completion/,vitrine.bash _vitrine vitrine.fish)
shell_of    = $(patsubst _vitrine,zsh,$(patsubst vitrine.%,%,$(1)))

LIB      := $(BUILD)/lib
SONAME   := libvitrine.so.0
SHARED   := libvitrine.so.$(VERSION)

all: $(BIN)/vitrine $(BIN)/vitrined $(BIN)/vitrine-gate $(LIB)/libvitrine.a $(LIB)/$(SHARED) \
     $(COMPLETION)
	@:

# Says what is missing before the compiler does, once per build folder and list of packages.
$(BUILD)/.deps: tests/setup/packages
	@tests/setup/deps --check run
	@mkdir -p $(@D)
	@touch $@

$(BUILD)/obj/%.o: %.c Makefile | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call step,CC)
	$(Q)$(CC) $(CPPFLAGS) -MT $@ $(CFLAGS) -c -o $@ $<

# Of these the library is made too: only what vitrine.h declares is seen from outside.
$(BUILD)/obj/proto/%.o $(BUILD)/obj/server/client/%.o: CFLAGS += -fPIC -fvisibility=hidden

$(BIN)/vitrine: $(BUILD)/obj/server/client/main.o $(LIB)/client.a $(LIB)/proto.a
	@mkdir -p $(@D)
	$(call step,LINK)
	$(Q)$(CC) $(filter-out -pie,$(LDFLAGS)) $(CLIENT_LINK) -o $@ $^

$(BIN)/vitrined: $(BUILD)/obj/server/daemon/main.o $(DAEMON_O) $(CRYPTO_O) $(PROTO_O)
	@mkdir -p $(@D)
	$(call step,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(DAEMON_LIBS)

$(BIN)/vitrine-gate: $(BUILD)/obj/server/gate/main.o $(GATE_O) $(ASSETS_O) $(PROTO_O)
	@mkdir -p $(@D)
	$(call step,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GATE_LIBS)

# One object whose other names are local: a static program's own cannot clash with them.
$(LIB)/libvitrine.a: $(LIBRARY_O)
	@mkdir -p $(@D)
	@rm -f $@
	$(call step,AR)
	$(Q)$(LD) -r -o $(LIB)/libvitrine.o $^
	$(Q)objcopy --localize-hidden $(LIB)/libvitrine.o
	$(Q)ar rcs $@ $(LIB)/libvitrine.o

$(LIB)/$(SHARED): $(LIBRARY_O)
	@mkdir -p $(@D)
	$(call step,LINK)
	$(Q)$(CC) $(filter-out -pie,$(LDFLAGS)) -shared -Wl,-soname,$(SONAME) -o $@ $^

COMPLETION_C := server/gen/completion.c proto/args.c proto/args_help.c server/daemon/hooks.c

$(BUILD)/gen/completion: $(COMPLETION_C) $(wildcard proto/*.def proto/args*.h) \
                         server/daemon/options.def server/daemon/layout.h | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call step,GEN)
	$(Q)$(cc_release) -std=c11 $(WARN) -D_POSIX_C_SOURCE=200809L -I. -o $@ $(COMPLETION_C)

$(BUILD)/completion/%: docs/completion/%.in $(BUILD)/gen/completion
	@mkdir -p $(@D)
	$(call step,GEN)
	$(Q)$(BUILD)/gen/completion $(call shell_of,$(@F)) <$< >$@.new && mv $@.new $@

# --- unit tests -----------------------------------------------------------------------------

UNIT        := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))
UNIT_GATE   := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/gate/test_*.c))
UNIT_CLIENT := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/client/test_*.c))
TOOLS       := $(patsubst tests/tools/%.c,$(BUILD)/tools/%,$(wildcard tests/tools/*.c))

UNIT_ALL    := $(UNIT) $(UNIT_GATE) $(UNIT_CLIENT)

# Tests link archives: of a folder they take what they use.
DAEMON_A    := $(LIB)/daemon.a $(LIB)/crypto.a $(LIB)/proto.a
GATE_A      := $(LIB)/gate.a $(LIB)/proto.a
CLIENT_A    := $(LIB)/client.a $(LIB)/proto.a

$(LIB)/daemon.a: $(DAEMON_O)
$(LIB)/crypto.a: $(CRYPTO_O)
$(LIB)/proto.a: $(PROTO_O)
$(LIB)/gate.a: $(GATE_O) $(ASSETS_O)
$(LIB)/client.a: $(CLIENT_O)
$(LIB)/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(call step,AR)
	$(Q)ar rcs $@ $^

tools: $(TOOLS) bench-programs
unit-programs: $(UNIT_ALL)
unit: $(UNIT_ALL)
	@tests/run-unit $^

$(BUILD)/unit/test_%: $(BUILD)/obj/tests/unit/test_%.o $(DAEMON_A)
	@mkdir -p $(@D)
	$(call step,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(DAEMON_LIBS) -lcmocka

$(BUILD)/unit/gate/test_%: $(BUILD)/obj/tests/unit/gate/test_%.o $(GATE_A)
	@mkdir -p $(@D)
	$(call step,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GATE_LIBS) -lcmocka

$(BUILD)/unit/client/test_%: $(BUILD)/obj/tests/unit/client/test_%.o \
                             $(BUILD)/obj/tests/unit/client/harness.o $(CLIENT_A)
	@mkdir -p $(@D)
	$(call step,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lcmocka

$(BUILD)/tools/%: $(BUILD)/obj/tests/tools/%.o $(DAEMON_A)
	@mkdir -p $(@D)
	$(call step,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(DAEMON_LIBS)

# --- benchmarks -----------------------------------------------------------------------------

# The driver is built like the programs it measures; the two empty programs, without anything.
BENCH       := $(BUILD)/bench
BENCH_O     := $(filter-out %/bench/floor.o,$(call objs,bench))
BENCH_MUX   := footprint commands attach servers panes

bench-programs: $(addprefix $(BENCH)/,driver floor-static floor-dynamic)
bench: bench-mux

# Wants VARIANT=release, which is the default, and a machine with nothing else to do.
bench-mux: deps-test
	@$(MAKE) --no-print-directory -j$(JOBS) all bench-programs
	@node bench/run.mjs $(BIN) $(BENCH) $(BENCH_MUX)

$(BENCH)/driver: $(BENCH_O)
	@mkdir -p $(@D)
	$(call step,LINK)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

$(BENCH)/floor-static $(BENCH)/floor-dynamic: bench/floor.c
	@mkdir -p $(@D)
	$(call step,LINK)
	$(Q)$(cc_release) -O2 $(if $(findstring static,$@),-static) -o $@ $<

# Examples of every message and link, which the C and the page's tests read.
vectors:
	@python3 proto/vectors/generate.py

# --- page -----------------------------------------------------------------------------------

# The page does not depend on VARIANT: one copy serves all of them. The message table is compiled
# and run on this machine, so it takes the plain compiler whatever CC is.
WEB        := build/web
PAGE_SRC   := $(shell find web/src -type f) $(wildcard web/*.mjs web/*.json)
PAGE_STAMP := $(WEB)/.built
PAGE_FILES := $(addprefix $(WEB)/dist/,index.html icon.svg app.js app.css licenses.txt csp.txt)

page: $(PAGE_STAMP)
$(PAGE_FILES): $(PAGE_STAMP) ;

$(WEB)/gen/messages.ts: proto/gen/messages_ts.c proto/viewer.def $(wildcard proto/table_*.h) \
                        | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call step,GEN)
	$(Q)$(cc_release) -std=c11 -I. -o $(WEB)/gen/messages_ts $<
	$(Q)$(WEB)/gen/messages_ts >$@.new && mv $@.new $@

$(PAGE_STAMP): $(WEB)/gen/messages.ts $(PAGE_SRC)
	$(call step,PAGE)
	$(Q)node web/build.mjs $(WEB)
	@touch $@

# The gate carries the page: its files as a table of constants.
$(BUILD)/gen/assets.c: $(PAGE_STAMP) server/gate/embed
	$(call step,EMBED)
	$(Q)server/gate/embed $(WEB)/dist $(@D)

$(ASSETS_O): $(BUILD)/gen/assets.c
	@mkdir -p $(@D)
	$(call step,CC)
	$(Q)$(CC) $(CPPFLAGS) -MT $@ $(CFLAGS) -c -o $@ $<

# --- set-up, running, tests -----------------------------------------------------------------

JOBS ?= $(shell nproc 2>/dev/null || echo 1)

deps:
	@tests/setup/deps run

deps-test:
	@tests/setup/deps run test

# Attached to the terminal where there is one; otherwise the link is printed and make returns.
run: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@command -v vitrine >/dev/null || echo "The command is $(BIN)/vitrine; sudo make install puts it on PATH."
	@if [ -t 0 ] && [ -t 1 ]; then $(BIN)/vitrine share; else $(BIN)/vitrine share -d; fi

test: deps-test
	@tests/run $(SUITE)

layers: all
	@tests/layers $(BUILD)

# The licences of what the page bundles, for docs/.
notices: deps
	node tests/setup/notices.mjs

# Clones the current commit into minimal Debian 12 and 13 roots and runs both commands there.
fresh-test:
	@tests/fresh/run

# --- install --------------------------------------------------------------------------------

# All three programs go to one folder: the client finds the daemon, and the daemon the gate, next
# to itself.
BINDIR   := $(DESTDIR)$(PREFIX)/bin
MAN1DIR  := $(DESTDIR)$(PREFIX)/share/man/man1
MAN3DIR  := $(DESTDIR)$(PREFIX)/share/man/man3
MAN5DIR  := $(DESTDIR)$(PREFIX)/share/man/man5
MAN8DIR  := $(DESTDIR)$(PREFIX)/share/man/man8
INCDIR   := $(DESTDIR)$(PREFIX)/include
LIBDIR   := $(DESTDIR)$(PREFIX)/lib
PCDIR    := $(LIBDIR)/pkgconfig
DOCDIR   := $(DESTDIR)$(PREFIX)/share/doc/vitrine
BASHDIR  := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR   := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISHDIR  := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
PROGRAMS := vitrine vitrined vitrine-gate
MAN1     := $(wildcard docs/*.1)
MAN3     := $(wildcard docs/*.3)
MAN5     := $(wildcard docs/*.5)
MAN8     := $(wildcard docs/*.8)
NOTICES  := LICENSE THIRD-PARTY-NOTICES

install: all
	install -d $(BINDIR) $(MAN1DIR) $(MAN3DIR) $(MAN5DIR) $(MAN8DIR) $(DOCDIR) $(BASHDIR) $(ZSHDIR) $(FISHDIR) \
	           $(INCDIR) $(PCDIR)
	install -m 755 $(addprefix $(BIN)/,$(PROGRAMS)) $(BINDIR)
	install -m 644 LICENSE docs/THIRD-PARTY-NOTICES $(DOCDIR)
	$(if $(MAN1),install -m 644 $(MAN1) $(MAN1DIR))
	$(if $(MAN3),install -m 644 $(MAN3) $(MAN3DIR))
	$(if $(MAN5),install -m 644 $(MAN5) $(MAN5DIR))
	$(if $(MAN8),install -m 644 $(MAN8) $(MAN8DIR))
	install -m 644 server/client/vitrine.h $(INCDIR)
	install -m 644 $(LIB)/libvitrine.a $(LIB)/$(SHARED) $(LIBDIR)
	ln -sf $(SHARED) $(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(LIBDIR)/libvitrine.so
	printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' 'libdir=$${prefix}/lib' '' \
	  'Name: vitrine' 'Description: drives Vitrine, the terminal server' \
	  'Version: $(VERSION)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lvitrine' \
	  >$(PCDIR)/vitrine.pc
	install -m 644 $(BUILD)/completion/vitrine.bash $(BASHDIR)/vitrine
	install -m 644 $(BUILD)/completion/_vitrine $(ZSHDIR)
	install -m 644 $(BUILD)/completion/vitrine.fish $(FISHDIR)

uninstall:
	rm -f $(addprefix $(BINDIR)/,$(PROGRAMS)) $(addprefix $(MAN1DIR)/,$(notdir $(MAN1))) \
	      $(addprefix $(MAN3DIR)/,$(notdir $(MAN3))) $(addprefix $(MAN5DIR)/,$(notdir $(MAN5))) \
	      $(addprefix $(MAN8DIR)/,$(notdir $(MAN8)))
	rm -f $(INCDIR)/vitrine.h $(PCDIR)/vitrine.pc $(addprefix $(LIBDIR)/,libvitrine.a $(SHARED) \
	      $(SONAME) libvitrine.so)
	rm -f $(addprefix $(DOCDIR)/,$(NOTICES)) $(BASHDIR)/vitrine \
	      $(ZSHDIR)/_vitrine $(FISHDIR)/vitrine.fish
	@rmdir $(DOCDIR) 2>/dev/null || true

clean:
	rm -rf build

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
