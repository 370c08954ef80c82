"""The public names of the module, one line each."""

from .adaptive_search import AdaptiveThresholdSearch as AdaptiveThresholdSearch
from .confidence_based import confidence_based_estimate as confidence_based_estimate
from .double_readings import reader_of_answers as reader_of_answers
from .sample_files import join_answers as join_answers
from .sample_files import sample_outputs as sample_outputs
from .sampling import draw_verification_sample as draw_verification_sample
from .search_files import search_outputs as search_outputs
from .verified_files import read_verified as read_verified
