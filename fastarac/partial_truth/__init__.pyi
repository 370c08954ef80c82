"""The public names of the module, one line each."""

from .sample_files import join_answers as join_answers
from .sample_files import sample_outputs as sample_outputs
from .sampling import draw_verification_sample as draw_verification_sample
