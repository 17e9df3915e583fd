#!/usr/bin/env python3
"""An older and a newer program with this library: both run unchanged, with their own structs.

Makes a header with a field fewer in every struct that may grow, and one with a field more, compiles program.c against each
and against the header itself, and runs all three with the same library, under valgrind where it is installed.

    growth.py HEADER LIBRARY CC [FLAGS...]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import header


def sizes(folder, cc, flags, names):
    """sizeof of every struct, by a header in a folder."""
    lines = "".join(f'    printf("%zu\\n", sizeof({name}));\n' for name in names)
    source = folder / "sizes.c"
    source.write_text(f"#include <stdio.h>\n#include <inco/inco.h>\nint main(void) {{\n{lines}    return 0;\n}}\n")
    subprocess.run([cc, *flags, f"-I{folder}", source, "-o", folder / "sizes"], check=True)
    return [int(line) for line in subprocess.run([folder / "sizes"], check=True, capture_output=True).stdout.split()]


def build(folder, library, cc, flags):
    here, program = pathlib.Path(__file__).parent, folder / "program"
    more = ["-DINCO_TEST_MORE"] if folder.name == "more" else []
    if not watched(flags):
        more.append("-DGUARD=64")
    subprocess.run([cc, "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, *more, f"-I{folder}", here / "program.c",
                    library, f"-Wl,-rpath,{library.parent}", "-lm", "-o", program], check=True)
    return program


def sanitized(flags):
    return any("sanitize" in flag for flag in flags)


def watched(flags):
    """Whether accesses after the end of a block are detected."""
    return sanitized(flags) or shutil.which("valgrind")


def run(program, flags):
    command = [program]
    if watched(flags) and not sanitized(flags):
        command = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite",
                   "--show-leak-kinds=definite", program]
    environment = dict(os.environ, OMP_NUM_THREADS="2", INCO_ISA="sse2", OPENBLAS_NUM_THREADS="1")
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    if result.returncode:
        sys.exit(f"{program.parent.name}: exit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def main():
    path, library, cc, *flags = sys.argv[1:]
    flags = [word for flag in flags for word in flag.split()]
    text = pathlib.Path(path).read_text()
    wrong = header.check(text)
    sized = [struct.name for struct in header.structs(text) if struct.sized]
    if wrong:
        sys.exit("\n".join(wrong))
    headers = {"same": text, "fewer": header.rewrite(text, header.Struct.fewer),
               "more": header.rewrite(text, header.Struct.more)}
    outputs, size = {}, {}
    with tempfile.TemporaryDirectory() as work:
        for name, content in headers.items():
            folder = pathlib.Path(work, name)
            (folder / "inco").mkdir(parents=True)
            (folder / "inco" / "inco.h").write_text(content)
            size[name] = sizes(folder, cc, flags, sized)
            outputs[name] = run(build(folder, pathlib.Path(library).resolve(), cc, flags), flags)
    for name, fewer, same, more in zip(sized, size["fewer"], size["same"], size["more"]):
        if not fewer < same < more:  # else a new field would lie in the padding of an old caller's struct
            sys.exit(f"{name} ends with padding: its sizes are {fewer}, {same}, {more}")
    for name, output in outputs.items():
        if output != outputs["same"]:
            sys.exit(f"{name}: the output differs\n{output}\n--- from ---\n{outputs['same']}")
    missing = set(sized) - {line.split()[1] for line in outputs["same"].splitlines() if line.startswith("covers ")}
    if missing:
        sys.exit(f"program.c does not use {', '.join(sorted(missing))}")
    print(f"{len(sized)} structs, in three sizes each\n{outputs['same']}", end="")


if __name__ == "__main__":
    main()
