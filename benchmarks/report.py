"""Where measurements go: a line on the terminal and a file build/bench/NAME.json each."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/bench"


def heading(unit):
    print(f"{'':32}{'ours':>10}{'peer':>10}{'ratio':>8}  ({unit})", flush=True)


def record(name, ours, peer, peer_name, unit, cpu, lower_is_better=False):
    """peer may be None for a figure that has none; ratio is above 1 when we are better."""
    ratio = None
    if peer is not None:
        ratio = peer / ours if lower_is_better else ours / peer
    result = {
        "name": name,
        "ours": round(ours, 1),
        "peer": None if peer is None else round(peer, 1),
        "peer_name": peer_name,
        "ratio": None if ratio is None else round(ratio, 3),
        "unit": unit,
        "cpu": cpu,
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(result) + "\n")
    shown = "" if peer is None else f"{peer:10.1f}{ratio:8.2f}"
    print(f"{name:32}{ours:10.1f}{shown}", flush=True)
