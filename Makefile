# Two commands on a fresh machine: `make run` and `make test`. Needs Python 3.10 or newer, a C++17 compiler and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= out
BLENDER ?= build/blender
BLENDER_PYTHON ?= python3.11
CLANG ?= clang++
NATIVE_TESTS := tests/test_core.py tests/figure tests/kinematics tests/linalg tests/solvers tests/test_backend.py
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find src cpp -name '*.py' -o -name '*.pyi' -o -name '*.cpp' -o -name '*.h' -o -name py.typed)

.PHONY: run test lint format bench bench-users docs sanitize clang-test stub sdist blender-check clean

run: $(VENV)/.installed  ## install into a local venv and pose the built-in person
	$(BIN)/manikin demo --out $(OUT)

test: $(VENV)/.tested  ## install what the tests need, and run them
	$(BIN)/python -m pytest $(PYTEST)

lint: $(VENV)/.linted  ## ruff and mypy --strict
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy

format: $(VENV)/.linted
	$(BIN)/ruff check --fix src tests benchmarks examples
	$(BIN)/ruff format src tests benchmarks examples

bench: $(VENV)/.optional  ## ours and the peers in one run: builds each peer's own venv under build/bench/ (4 GB), then measures (6 min)
	$(BIN)/python -m benchmarks.environments
	$(BIN)/python -m benchmarks --peers

bench-users: $(VENV)/.optional  ## calls as users write them: clips, reachable goals, single calls (30 min); NAME=before names the results
	$(BIN)/python -m benchmarks.environments placo mink
	$(BIN)/python -m benchmarks.success --name "$(NAME)"
	$(BIN)/python -m benchmarks.calls --name "$(NAME)"
	$(BIN)/python -m benchmarks.frames --name "$(NAME)"
	$(BIN)/python -m benchmarks.clips --peers --name "$(NAME)"

docs: $(VENV)/.installed  ## there is nothing to build: docs/ is Markdown; this opens the index
	@echo "docs/index.md is where to start reading"

sanitize: $(VENV)/.tested  ## native tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(BIN)/python -m pip install -q "nanobind>=2.4" "cmake>=3.18" ninja
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DMANIKIN_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DPython_EXECUTABLE=$(abspath $(BIN))/python -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build build/sanitize
	rm -rf build/sanitized && mkdir -p build/sanitized && cp -r src/manikin build/sanitized/manikin && rm -f build/sanitized/manikin/_core*.so
	cp build/sanitize/_core*.so build/sanitized/manikin/
	LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
	  PYTHONPATH=build/sanitized $(BIN)/python -m pytest -q -p no:cacheprovider $(NATIVE_TESTS)
	for kernels in base v3; do MANIKIN_C_SANITIZE=ON MANIKIN_BACKEND=$$kernels $(BIN)/python -m pytest -q -p no:cacheprovider tests/native/test_c_api.py || exit 1; done

clang-test: $(VENV)/.tested  ## build the native core with Clang, and run the native tests on it
	$(BIN)/python -m pip install -q "nanobind>=2.4" "cmake>=3.18" ninja
	$(BIN)/cmake -S . -B build/clang -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DCMAKE_CXX_COMPILER=$(CLANG) -DMANIKIN_WARNINGS_ARE_ERRORS=ON \
	  -DPython_EXECUTABLE=$(abspath $(BIN))/python -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build build/clang
	rm -rf build/clanged && mkdir -p build/clanged && cp -r src/manikin build/clanged/manikin && rm -f build/clanged/manikin/_core*.so
	cp build/clang/_core*.so build/clanged/manikin/
	PYTHONPATH=$(abspath build/clanged) $(BIN)/python -m pytest -q -p no:cacheprovider $(NATIVE_TESTS) tests/test_symbols.py

stub: $(VENV)/.tested  ## write the type stub of the native core anew
	$(BIN)/python -m nanobind.stubgen -m manikin._core -p cpp/bindings/stub.txt -o src/manikin/_core.pyi

sdist: $(VENV)/.tested
	$(BIN)/python -m pip install -q build && $(BIN)/python -m build --sdist

blender-check: $(VENV)/.tested $(BLENDER)/.installed  ## open GLB, BVH and USD of ours in Blender, and compare every joint (bpy: 900 MB, Python 3.11)
	$(BIN)/python tests/blender/write.py build/blender-check
	$(BLENDER)/bin/python tests/blender/check.py build/blender-check

$(BLENDER)/.installed:
	$(BLENDER_PYTHON) -m venv $(BLENDER) && $(BLENDER)/bin/python -m pip install --quiet "bpy==5.0.1"
	@touch $@

clean:
	rm -rf build dist $(OUT)

# The venv. Each stamp says that this much is installed from these sources; larger sets include the smaller ones, so that
# nothing is built twice.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet ".[all]"
	@touch $@

$(VENV)/.tested: $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet ".[test]"
	@touch $(VENV)/.installed $@

$(VENV)/.linted: $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet ".[all,lint]"
	@touch $(VENV)/.installed $@

$(VENV)/.optional: $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet ".[peers,lint]"
	@touch $(VENV)/.installed $(VENV)/.tested $(VENV)/.linted $@
