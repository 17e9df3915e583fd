"""Every number and text in the results of the library is a field of the results in Octave.

Usage: fields.py INCO_H   (tests/interface must be on PYTHONPATH)
"""
import pathlib
import re
import sys

import header

STRUCTS = {"inco_progress", "inco_learn_info", "inco_path_point", "inco_encode_info", "inco_metrics", "inco_comparison",
           "inco_decohere_info", "inco_frame_info"}
ELSEWHERE = {  # counted or added in another form
    "inco_progress": {"spread_passes", "spread_pairs", "gamma_updates"},
    "inco_metrics": {"babel_count", "histogram_count", "singular_count", "pair_count", "nearest_count", "quantile_count",
                     "duplicate_count"},
    "inco_comparison": {"histogram_count", "threshold_count"},
}


def scalars(struct):
    """Names of the members that are numbers, enums or texts."""
    for member in struct.members[1:]:
        kind, names = re.match(r"((?:const )?\w+) (.*)", member).groups()
        if "owner" in names or "(" in names:
            continue
        for name in names.split(","):
            is_pointer = "*" in name
            if not is_pointer or kind == "const char":
                yield name.strip(" *")


def main():
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    source = pathlib.Path(__file__).resolve().parents[1].joinpath("src", "inco_mex.c").read_text(encoding="utf-8")
    here = set(re.findall(r"FIELD\((inco_\w+), (\w+)\)", source))
    found = {struct.name: struct for struct in header.structs(text) if struct.name in STRUCTS}
    assert set(found) == STRUCTS, found
    missing = [(name, field) for name, struct in found.items() for field in scalars(struct)
               if (name, field) not in here and field not in ELSEWHERE.get(name, ())]
    assert not missing, f"these fields are not in bindings/octave/src/inco_mex.c: {missing}"
    print(f"{len(here)} fields: passed")


main()
