# Two commands do everything: `make run` and `make test`.

OUT     := out
TRUNNION := target/release/trunnion
RUST    := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
AS_ROOT := $(shell [ "$$(id -u)" = 0 ] || echo sudo -n)
SHOW    := examples/machines/forestry/crane

.DEFAULT_GOAL := help
.PHONY: help run install test mutants bench pictures tools clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Rust is named, not installed: which version to use is the user's decision. A C compiler comes from the distribution.
tools:
	@command -v cargo >/dev/null || { echo "Rust $(RUST) or newer is missing; install it with: curl https://sh.rustup.rs -sSf | sh"; exit 1; }
	@printf '%s\n%s\n' $(RUST) "$$(rustc --version | cut -d' ' -f2)" | sort -CV \
	  || { echo "$$(rustc --version) is too old: Trunnion needs $(RUST); install it with: rustup update stable"; exit 1; }
	@command -v cc >/dev/null || $(AS_ROOT) sh -c 'apt-get update -q && apt-get install -qy gcc libc6-dev' \
	  || { echo "A C compiler is missing; install it with: sudo apt-get install gcc libc6-dev"; exit 1; }

run: tools ## Build, run the showcase, leave results and a picture in out/
	cargo build --release --locked -p trunnion
	@mkdir -p $(OUT)
	$(TRUNNION) run $(SHOW).toml -o $(OUT)/crane.parquet --stats $(OUT)/crane.json
	$(TRUNNION) plot $(SHOW).toml --view side --frames 5 --trace stick.tip -o $(OUT)/crane.png
	$(TRUNNION) compare $(SHOW).toml --set-b hydraulics=reduced -y e,reach.p_2,u_sk --plot $(OUT)/full-and-reduced.png
	$(TRUNNION) compare $(SHOW).toml --set-b hydraulics=reduced -y raise.p_1 --plot $(OUT)/boom.png
	@echo
	@echo "Results: $(OUT)/crane.parquet   pictures: $(OUT)/crane.png, $(OUT)/full-and-reduced.png, $(OUT)/boom.png   figures: $(OUT)/crane.json"
	@echo "Drive it: $(TRUNNION) live $(SHOW).toml --set motion=operator     More: $(TRUNNION) examples"

install: tools ## Install the program as `trunnion` for this user, in ~/.cargo/bin
	cargo install --locked --profile dist --path apps/cli

# Incremental compilation would double the size of target/; a first build has no use for it.
test: export CARGO_INCREMENTAL ?= 0
test: tools ## Check format and lints, run all tests and verify all examples and test models
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	@if cargo nextest --version >/dev/null 2>&1; then cargo nextest run --locked; else cargo test --locked; fi
	cargo test --locked --doc
	# The program that the tests have built; another build would compile with other features.
	"$${CARGO_TARGET_DIR:-target}/debug/trunnion" verify examples tests/models

mutants: tools ## Plant faults in the library and list those that no check notices
	cargo build --release --locked -p trunnion
	$(TRUNNION) mutants --jobs $$(nproc)

bench: tools ## Measure: solvers, native code, and other tools where Python is present
	cargo bench --locked -p trunnion-num --bench lu
	cargo bench --locked -p trunnion-equations --bench native
	cargo bench --locked -p trunnion-equations --bench chain
	cargo bench --locked -p trunnion --bench networks
	cargo bench --locked -p trunnion --bench preparation
	cargo bench --locked -p trunnion-multibody --bench chain
	cargo bench --locked -p trunnion-multibody --bench elastic
	cargo bench --locked -p trunnion --bench mechanisms
	cargo bench --locked -p trunnion --bench forestry
	cargo bench --locked -p trunnion --bench servo
	cargo bench --locked -p trunnion --bench live
	cargo bench --locked -p trunnion-sim --bench steppers
	@if python3 -m venv .venv && .venv/bin/pip install -q casadi==3.8.2 numpy==2.4.6; then \
	  TRUNNION_PEER_PYTHON=$(CURDIR)/.venv/bin/python cargo bench --locked -p trunnion --bench circuit; \
	else cargo bench --locked -p trunnion --bench circuit; fi

pictures: tools ## Draw the pictures of the manual anew
	cargo build --release --locked -p trunnion
	docs/pictures.sh $(TRUNNION)

clean: ## Remove everything that was built
	cargo clean
	rm -rf $(OUT)
