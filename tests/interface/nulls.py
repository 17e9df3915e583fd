#!/usr/bin/env python3
"""Calls every function of inco.h with NULL for every pointer, alone and together, and with invalid handles:
freed ones, and addresses of something else. None of these calls crashes, under valgrind where it is installed.

    nulls.py HEADER LIBRARY CC [FLAGS...]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import growth
import header

HANDLES = {"inco_options": "options", "inco_data": "data", "inco_learner": "learner", "inco_coder": "coder",
           "inco_report": "report", "inco_chart": "chart", "inco_log": "log", "inco_file": "file"}
HERE = {"log": "run_log"}  # names that C uses otherwise

# Valid arguments for pointers, by type, or by type and name if the type is not enough; see nulls.c.
VALID = {
    "inco_error *": "&error_place", "const inco_mat *": "&x", "inco_mat *": "&made", "const inco_csc *": "&codes",
    "inco_csc *": "&made_codes", "const inco_source *": "&source", "inco_source *": "&made_source",
    "const inco_stream *": "&stream", "inco_stream *": "&made_stream", "inco_learn_info *": "&learn_info",
    "inco_encode_info *": "&encode_info", "inco_frame_info *": "&frame_info", "inco_decohere_info *": "&decohere_info",
    "inco_metrics *": "&made_metrics", "inco_comparison *": "&made_comparison",
    "const inco_comparison_summary *": "&compared", "inco_residuals *": "&made_residuals", "const inco_origin *": "&origin",
    "inco_origin *": "&made_origin", "inco_path *": "&path", "inco_path_point *": "&point",
    "inco_progress *": "&progress", "const inco_progress *": "&progress", "inco_option *": "&option", "const inco_table *": "&table",
    "const inco_cluster *": "&cluster", "inco_online *": "&online", "const inco_summary *": "&summary", "inco_progress_fn": "on_progress", "void *": "nothing", "char *": "buffer",
    "const char *": '"a"', "const char * const *": "texts", "const double *": "rising", "double *": "numbers",
    "int64_t *": "&count_place",
    ("const inco_mat *", "dictionary"): "&d", ("const char *", "path"): "matrix_name", ("void *", "data"): "values",
    ("const char * const *", "paths"): "paths", ("const char *", "kinds"): '"tc"',
}
NUMBERS = {"inco_type": "INCO_F64", "size_t": "sizeof(inco_progress)", "int64_t": "2", "int": "1", "unsigned": "INCO_LEARN",
           "double": "1"}
PATHS = {"inco_load_codes": "codes_name", "inco_save_codes": "codes_name", "inco_log_load": "log_name",
         "inco_file_create": "file_name", "inco_save_decoded": "codes_name"}


def parameters(declaration):
    """Type and name of every parameter."""
    inside = declaration[declaration.index("(") + 1:declaration.rindex(")")]
    if inside == "void":
        return []
    pairs = []
    for part in inside.split(","):
        match = re.fullmatch(r"\s*(.*?)(\w+)\s*", part)
        pairs.append((" ".join(match.group(1).replace("*", " * ").split()), match.group(2)))
    return pairs


def is_pointer(kind):
    return kind.endswith("*") or kind == "inco_progress_fn"


def handle_of(kind):
    """The handle type of a parameter, or None."""
    return HANDLES.get(re.sub(r"^const | \*$", "", kind)) if kind.count("*") == 1 else None


def valid(function, kind, name):
    """A valid argument; None: unknown."""
    if kind.endswith("* *") and kind[:-4] in HANDLES:
        return "&made_" + HANDLES[kind[:-4]]
    if handle_of(kind):
        return HERE.get(handle_of(kind), handle_of(kind))
    if name == "path" and function in PATHS:
        return PATHS[function]
    return NUMBERS.get(kind) or VALID.get((kind, name)) or VALID.get(kind)


def calls_of(function, declaration):
    """Argument lists for a function."""
    pairs = parameters(declaration)
    good = [valid(function, kind, name) for kind, name in pairs]
    if None in good:
        kind, name = pairs[good.index(None)]
        sys.exit(f"nulls.py knows no valid '{kind} {name}' for {function}")
    places = [i for i, (kind, _) in enumerate(pairs) if is_pointer(kind)]
    ends = re.search(r"_(free|close)$", function) and handle_of(pairs[0][0])  # these would end the shared handle
    if not ends:
        yield good
    yield ["NULL" if i in places else argument for i, argument in enumerate(good)]
    for i in places:
        if not ends or i == 0:
            yield good[:i] + ["NULL"] + good[i + 1:]
        handle = handle_of(pairs[i][0])
        if handle:
            yield good[:i] + [f"gone_{handle}"] + good[i + 1:]
            yield good[:i] + ["(void *)nothing"] + good[i + 1:]
            others = [name for name in HANDLES.values() if name != handle]
            other = HERE.get(others[0], others[0])
            yield good[:i] + [f"(void *){other}"] + good[i + 1:]
    for i in places:  # and with all optional ones NULL
        for k in places:
            if i < k:
                yield ["NULL" if j in (i, k) else argument for j, argument in enumerate(good)]


def statement(function, declaration, arguments):
    """A call; its result is kept if it must be released."""
    made = {"inco_options *": "made_options", "inco_report *": "made_report", "inco_chart *": "made_chart"}
    returns = " ".join(declaration[:declaration.index(function)].replace("*", " * ").split())
    call = f"{function}({', '.join(arguments)})"
    return f"    {made[returns]} = {call};\n    release();\n" if returns in made else f"    (void){call};\n    release();\n"


def program(text):
    lines = ['#include "nulls.c"\n']
    names = []
    for function, declaration in header.functions(text):
        body = "".join(statement(function, declaration, arguments) for arguments in calls_of(function, declaration))
        lines.append(f"static void call_{function}(void) {{\n{body}}}\n")
        names.append(function)
    calls = "".join(f'    fputs("{name}\\n", stderr);\n    call_{name}();\n' for name in names)
    return "\n".join(lines) + f"\nint main(void) {{\n    begin();\n{calls}    end();\n    return 0;\n}}\n", len(names)


def main():
    path, library, cc, *flags = sys.argv[1:]
    flags = [word for flag in flags for word in flag.split()]
    library, here = pathlib.Path(library).resolve(), pathlib.Path(__file__).parent
    source, count = program(pathlib.Path(path).read_text())
    with tempfile.TemporaryDirectory() as work:
        made = pathlib.Path(work, "calls.c")
        made.write_text(source)
        subprocess.run([cc, "-std=gnu11", "-Wall", "-Wextra", *flags, f"-I{here}", f"-I{pathlib.Path(path).parents[1]}",
                        made, library, f"-Wl,-rpath,{library.parent}", "-o", pathlib.Path(work, "program")], check=True)
        growth.run(pathlib.Path(work, "program"), flags)
    print(f"{count} functions, {source.count('release();')} calls")


if __name__ == "__main__":
    main()
