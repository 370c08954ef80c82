"""The public names of the module, one line each."""

from .engines import Engine as Engine
from .engines import align_files as align_files
from .formats import FORMATS as FORMATS
from .formats import Format as Format
from .formats import NoConfidenceError as NoConfidenceError
from .formats import require_confidence as require_confidence
from .items import AlignedOutputs as AlignedOutputs
from .items import PageCounts as PageCounts
from .items import align as align
from .pairing import Pair as Pair
from .pairing import Pairing as Pairing
from .pairing import PairingError as PairingError
from .pairing import match_pages as match_pages
from .pairing import pair_files as pair_files
from .readers import OcrFileError as OcrFileError
from .readers import read as read
from .sample import Sample as Sample
from .sample import SampleFolders as SampleFolders
from .sample import load_sample as load_sample
from .sample import sample_folders as sample_folders
from .sensitivities import Limit as Limit
from .sensitivities import Sensitivity as Sensitivity
from .sensitivities import sensitivity as sensitivity
from .truth import read_truth as read_truth
from .words import Words as Words
