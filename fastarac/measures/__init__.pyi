"""The public names of the module, one line each."""

from .clustering import inverse_purity as inverse_purity
from .clustering import local_purity as local_purity
from .clustering import purity as purity
from .clustering import purity_f as purity_f
from .confusion import class_counts as class_counts
from .confusion import confusion_measures as confusion_measures
from .folds import average_curves as average_curves
from .ranking import cumulative_gain as cumulative_gain
from .ranking import discounted_cumulative_gain as discounted_cumulative_gain
from .ranking import mean_reciprocal_rank as mean_reciprocal_rank
from .ranking import normalized_dcg as normalized_dcg
from .ranking import pool as pool
from .ranking import precision_at_k as precision_at_k
from .ranking import rank_by_score as rank_by_score
from .ranking import ranking_average_precision as ranking_average_precision
from .ranking import recall_at_k as recall_at_k
from .ranking import reciprocal_rank as reciprocal_rank
