"""Other implementations on the tape of a recorded run: the same draws in, step by step the same numbers out.

`record` writes a run down, `write_transcript` and `read_transcript` take it to JSON and back, `TapeGenerator` and the
adapters bring its draws into somebody else's code, and `assert_same_run` names the first step and quantity that differ.
`assert_sensitivity` and `assert_sensitivity_of_run` compare queries on neighbouring data sets with what is declared.
"""

from dpref.foreign.replay.document import read_transcript, write_transcript
from dpref.foreign.replay.recording import Conventions, ForeignRun, Leaf, Recording, Source, Step, record
from dpref.foreign.replay.run_sensitivity import assert_sensitivity_of_run
from dpref.foreign.replay.same_run import Agreement, RunsDifferError, assert_same_run
from dpref.foreign.replay.sensitivity import SensitivityError, assert_sensitivity
from dpref.foreign.replay.tape import Tape, TapeGenerator, UnexpectedDraw
from dpref.foreign.replay.worst_pairs import worst_pairs

__all__ = [
    "Agreement",
    "Conventions",
    "ForeignRun",
    "Leaf",
    "Recording",
    "RunsDifferError",
    "SensitivityError",
    "Source",
    "Step",
    "Tape",
    "TapeGenerator",
    "UnexpectedDraw",
    "assert_same_run",
    "assert_sensitivity",
    "assert_sensitivity_of_run",
    "read_transcript",
    "record",
    "worst_pairs",
    "write_transcript",
]
