"""The curator: the only object that touches data and noise together.

An algorithm never sees the data and never calls a random generator.  It hands the curator a query (a function of the
data) with its declared sensitivity, and receives a noisy answer.  Three curators run the same algorithm text:

* `LiveCurator` draws noise;
* `RecordingCurator` draws noise and keeps the transcript;
* `ReplayingCurator` forces what was recorded: the *answers* (on a neighbouring data set, so that the difference of
  every query can be compared with its declared sensitivity) or the *noise* (to match another implementation, or the
  same one in ball arithmetic).
"""

from dpref.curator.gridded import GriddedCurator as GriddedCurator
from dpref.curator.interface import Curator as Curator
from dpref.curator.keeping import all_finite as all_finite
from dpref.curator.modes import DrawingCurator as DrawingCurator
from dpref.curator.modes import LiveCurator as LiveCurator
from dpref.curator.modes import RecordingCurator as RecordingCurator
from dpref.curator.modes import ReplayingCurator as ReplayingCurator
from dpref.curator.modes import draw_batch as draw_batch
from dpref.transcript import Answer as Answer
from dpref.transcript import Held as Held
from dpref.transcript import Indices as Indices
from dpref.transcript import Selection as Selection
from dpref.transcript import Transcript as Transcript
