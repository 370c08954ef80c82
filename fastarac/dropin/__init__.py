"""What scikit-learn has by the same name: same arguments, values, errors and warnings.

The test suite of scikit-learn runs over these functions. They need neither scikit-learn nor scipy,
and where two classes are compared they take a `ThresholdSweep` in place of the two columns.
"""

from __future__ import annotations

from fastarac.dropin.agreement import cohen_kappa_score as cohen_kappa_score
from fastarac.dropin.areas import auc as auc
from fastarac.dropin.areas import average_precision_score as average_precision_score
from fastarac.dropin.areas import roc_auc_score as roc_auc_score
from fastarac.dropin.curves import ConfusionMatrixAtThresholds as ConfusionMatrixAtThresholds
from fastarac.dropin.curves import DETCurve as DETCurve
from fastarac.dropin.curves import PrecisionRecallCurve as PrecisionRecallCurve
from fastarac.dropin.curves import ROCCurve as ROCCurve
from fastarac.dropin.curves import confusion_matrix_at_thresholds as confusion_matrix_at_thresholds
from fastarac.dropin.curves import det_curve as det_curve
from fastarac.dropin.curves import precision_recall_curve as precision_recall_curve
from fastarac.dropin.curves import roc_curve as roc_curve
from fastarac.dropin.ranking import dcg_score as dcg_score
from fastarac.dropin.ranking import ndcg_score as ndcg_score
