"""The curator: the only object that touches data and noise together.

An algorithm never sees the data and never calls a random generator.  It hands the curator a query (a function of the
data) with its declared sensitivity, and receives a noisy answer.  Three curators run the same algorithm text:

* `LiveCurator` draws noise;
* `RecordingCurator` draws noise and keeps the transcript;
* `ReplayingCurator` forces what was recorded: the *answers* (on a neighbouring data set, so that the difference of
  every query can be compared with its declared sensitivity) or the *noise* (to match another implementation, or the
  same one in ball arithmetic).
"""

from dpref.curator.gridded import GriddedCurator
from dpref.curator.interface import Curator
from dpref.curator.keeping import all_finite
from dpref.curator.modes import DrawingCurator, LiveCurator, RecordingCurator, ReplayingCurator, draw_batch
from dpref.transcript import Answer, Held, Indices, Selection, Transcript

__all__ = [
    "Answer",
    "Curator",
    "DrawingCurator",
    "GriddedCurator",
    "Held",
    "Indices",
    "LiveCurator",
    "RecordingCurator",
    "ReplayingCurator",
    "Selection",
    "Transcript",
    "all_finite",
    "draw_batch",
]
