"""Other implementations on the tape of a recorded run: the same draws in, step by step the same numbers out.

`record` writes a run down, `write_transcript` and `read_transcript` take it to JSON and back, `TapeGenerator` and the
adapters bring its draws into somebody else's code, and `assert_same_run` names the first step and quantity that differ.
`assert_sensitivity` and `assert_sensitivity_of_run` compare queries on neighbouring data sets with what is declared.
"""

from dpref.foreign.replay.document import read_transcript as read_transcript
from dpref.foreign.replay.document import write_transcript as write_transcript
from dpref.foreign.replay.recording import Conventions as Conventions
from dpref.foreign.replay.recording import ForeignRun as ForeignRun
from dpref.foreign.replay.recording import Leaf as Leaf
from dpref.foreign.replay.recording import Recording as Recording
from dpref.foreign.replay.recording import Source as Source
from dpref.foreign.replay.recording import Step as Step
from dpref.foreign.replay.recording import record as record
from dpref.foreign.replay.run_sensitivity import assert_sensitivity_of_run as assert_sensitivity_of_run
from dpref.foreign.replay.same_run import Agreement as Agreement
from dpref.foreign.replay.same_run import RunsDifferError as RunsDifferError
from dpref.foreign.replay.same_run import assert_same_run as assert_same_run
from dpref.foreign.replay.sensitivity import SensitivityError as SensitivityError
from dpref.foreign.replay.sensitivity import assert_sensitivity as assert_sensitivity
from dpref.foreign.replay.tape import Tape as Tape
from dpref.foreign.replay.tape import TapeGenerator as TapeGenerator
from dpref.foreign.replay.tape import UnexpectedDraw as UnexpectedDraw
from dpref.foreign.replay.worst_pairs import worst_pairs as worst_pairs
