"""A policy: the thresholds by which a system accepts outputs, and the promise about them."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.checks import fraction_of, inner_fraction, require_type, whole_number
from fastarac._core.export import fields_of
from fastarac._core.files import SavedAsJson
from fastarac._core.results import Result
from fastarac._core.text import percent
from fastarac._engine.inputs import read_groups
from fastarac.operation.absences import FieldAbsence, OptionalSetting, advice
from fastarac.operation.acceptance import AcceptanceRule, NewOutputs, Rule, require_column
from fastarac.operation.calibration import Calibration, confidences
from fastarac.operation.checking import CheckedPromise, PolicyTest
from fastarac.operation.expected_errors import all_of_found, errors_expected, expected_rates
from fastarac.operation.looks import LookRequest
from fastarac.operation.policy_files import fields_of_policy, text_of_policy
from fastarac.operation.shifts import ConfidenceShift, Reference, Seen, shift_of
from fastarac.reviewer import Reviewer, premise_of
from fastarac.samples.door import answers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.interval import Interval
    from fastarac.operation.documents import DocumentType
    from fastarac.operation.looks import Looks
    from fastarac.operation.verdicts import PolicyCheck

_WHOLE = {"max_error_rate": "all outputs", "max_risk": "the accepted outputs"}
_DOCUMENTS = {"max_error_rate": "all documents", "max_risk": "the accepted documents"}


@dataclass(frozen=True, slots=True, eq=False)
class Policy(SavedAsJson, Result):
    """The rule for accepting outputs under one limit, with its guarantee.

    :func:`.fit_policy` returns a policy. It can be saved as JSON, and prints as a sentence.

    Attributes
    ----------
    fields : tuple of str or int
        The labels of the fields, in increasing order; empty if one threshold serves all outputs.
    thresholds : tuple of float
        The threshold of each field, or the single one: accept iff confidence >= threshold.
    criterion : {"max_error_rate", "max_risk"}
        Whether errors are limited as a share of all outputs, or of the accepted ones.
    limit : float
        The limit of the error rate or risk.
    failure_probability : float
        δ of the guarantee.
    bound : float
        The upper bound of the limited rate at these thresholds; NaN if the method has no bound.
    max_group_size : int or None
        For dependent items, the largest group size for which the guarantee holds.
    certified : bool
        Whether the promise is proved; False if an approximation chose the thresholds.
    approximate_acceptance_rate : float or None
        The acceptance rate of the approximation ``method="gamma"``, if it is more than twice the rate
        that is proved; otherwise None.
    n_items, accepted, errors : int
        Counts of the items (or whole documents) on which the guarantee was tested. With partial truth,
        `errors` is an estimate for the accepted items, which is too low by about one verified error;
        :meth:`expected_errors` corrects this.
    accepted_by_field, errors_by_field : tuple of int
        The same counts for each field; one element without fields, or for whole documents.
    errors_per_group : float
        The mean number of accepted errors in a group, if a group counts once for each of its errors:
        Σy²/Σy over groups with y accepted errors. It is 1 for independent items that are all verified.
        With partial truth, an error with verification probability π counts as 1/π errors.
    n_verified : int or None
        Number of verified items among the `n_items`; None if all are verified.
    least_probability : float or None
        The lower bound that the guarantee assumes for unknown verification probabilities.
    fitted_on : str or None
        A fingerprint of the outputs that the policy was fitted on, by which :meth:`check` recognizes
        them. None if they have too few distinct confidences.
    n_unread : int
        Number of items without an output or without a confidence. They are never accepted, and they are
        not counted in `n_items`.
    missed_rate : float or None
        For words, the share of true words that had no output in the fitted data, if known.
    regions : str or None
        The parts of pages that the outputs came from, such as "inside the regions of the truth"; None
        for whole pages.
    calibrations : tuple of Calibration
        The calibration of each field, or a single one for all outputs.
    references : tuple of Reference
        The distribution of the fitted confidences, for each field or for all outputs.
    documents : {"product", "least"} or None
        How the confidence of a document is computed: as the product or as the least of its outputs'
        probabilities of being right. None if single outputs are accepted.
    document_threshold : float
        The lowest confidence of an accepted document.
    optional : tuple of str or int
        The fields that an accepted document may lack.
    types : tuple of DocumentType
        The document types with their fields; a document of any other type must have all fields.
    absences : tuple of FieldAbsence
        For each field: how many documents of the ranking half lack it, and how many of these rightly.
    truth_reader : Reviewer or None
        The people who gave the truth, if they overlook errors. Then `errors` counts only the errors
        that they found, while `bound` includes overlooked errors.
    faultless_acceptance_rate : float or None
        The acceptance rate that the same answers would give if `truth_reader` overlooked nothing.
    settings : tuple of OptionalSetting
        Acceptance rates under several choices of the optional fields: the present choice, the choices
        with one field changed, and the best choice that was found.
    columns : mapping of str to str, bool or tuple of str
        For each role, the column of the file that ``fastarac fit`` read, such as ``{"by": "field"}``.
        The command line reads the same columns from other files. Empty if the policy was fitted to
        arrays.

    See Also
    --------
    fit_policy : fit the thresholds of a policy
    apply_policy : split the outputs in a file into accepted and rejected ones
    fastarac.results.PolicyCheck : whether the limit holds on new verified outputs
    """

    fields: tuple[Any, ...]
    thresholds: tuple[float, ...]
    criterion: str
    limit: float
    failure_probability: float
    bound: float
    max_group_size: int | None
    n_items: int
    accepted: int
    errors: float
    calibrations: tuple[Calibration, ...]
    references: tuple[Reference, ...]
    documents: Rule | None = None
    document_threshold: float = math.inf
    accepted_by_field: tuple[int, ...] = ()
    errors_by_field: tuple[float, ...] = ()
    errors_per_group: float = 1.0
    certified: bool = True
    approximate_acceptance_rate: float | None = None
    n_verified: int | None = None
    least_probability: float | None = None
    fitted_on: str | None = None
    n_unread: int = 0
    missed_rate: float | None = None
    regions: str | None = None
    optional: tuple[Any, ...] = ()
    types: tuple[DocumentType, ...] = ()
    absences: tuple[FieldAbsence, ...] = ()
    settings: tuple[OptionalSetting, ...] = ()
    truth_reader: Reviewer | None = None
    faultless_acceptance_rate: float | None = None
    columns: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __repr__(self) -> str:
        by = f"{len(self.fields)} fields" if self.fields else f"threshold={self.thresholds[0]:g}"
        if self.documents:
            by = f"whole documents of {by}"
        return f"Policy({by}, {self.criterion}={self.limit:g}, accepted {self.accepted}/{self.n_items})"

    def __str__(self) -> str:
        text = f"{self.decision}{self._verified_words()}"
        if self.approximate_acceptance_rate is not None:
            share = percent(self.approximate_acceptance_rate, 3)
            text += f"; without proof, method='gamma' would accept {share}"
        return text

    @property
    def decision(self) -> str:
        """The outputs to accept and the promise about them, in words."""
        if self.accepted == 0:
            sure = percent(1.0 - self.failure_probability)
            limit = percent(self.limit)
            return f"no threshold keeps the limit of {limit} with {sure} confidence: review everything"
        return f"accept {self._share_words()} {self.rule.in_words}: {self.promise}"

    def _share_words(self) -> str:
        """Describe the accepted share of all items and, if it differs, of the items with an output."""
        if self.n_unread:
            of_all, of_read = percent(self.share_of_all_items, 3), percent(self.acceptance_rate, 3)
            n = self.n_read + self.n_unread
            return f"{of_all} of {n:,} items ({of_read} of the {self.n_read:,} with an output)"
        whole = "documents" if self.documents else "outputs"
        return f"{percent(self.acceptance_rate, 3)} of the {whole}"

    def _verified_words(self) -> str:
        """Describe how many outputs were verified; empty if all were."""
        if self.n_verified is None:
            return ""
        words = f", from {self.n_verified:,} verified of {self.n_items:,} outputs"
        if self.least_probability is None:
            return words
        return f"{words}, if each was drawn with a probability of at least {self.least_probability:.4g}"

    @property
    def promise(self) -> str:
        """The guarantee in words."""
        whole = (_DOCUMENTS if self.documents else _WHOLE)[self.criterion]
        if self.regions:
            whole += f" {self.regions}"
        if self.criterion == "max_risk":
            wrong = "have an error" if self.documents else "are wrong"
        else:
            wrong = "go through with an error" if self.documents else "are accepted and wrong"
        unproved = "" if self.certified else ", by an approximation without proof"
        sure = percent(1.0 - self.failure_probability)
        if self.truth_reader is not None:
            unproved += f", {premise_of(self.truth_reader)}"
        return f"with {sure} confidence, at most {percent(self.limit)} of {whole} {wrong}{unproved}"

    @property
    def advice(self) -> tuple[str, ...]:
        """Sentences on how often documents lack fields, and on the effect of other optional fields."""
        return advice(self.absences, self.settings)

    @property
    def acceptance_rate(self) -> float:
        """The accepted share of the items that were used to test the guarantee."""
        return self.accepted / self.n_items

    @property
    def expected_rates(self) -> list[float]:
        """The expected share of errors among accepted outputs, by field (:meth:`expected_errors`)."""
        d = 1.0 if self.truth_reader is None else self.truth_reader.detection_rate
        return [min(1.0, rate / d) for rate in expected_rates(*self._tested)]

    @property
    def _tested(self) -> tuple[tuple[int, ...], tuple[float, ...], float, bool]:
        is_all = self.accepted == self.n_items
        return self.accepted_by_field, self.errors_by_field, self.errors_per_group, is_all

    @property
    def n_read(self) -> int:
        """The number of outputs with a confidence in the fit, including the half used for ranking."""
        return sum(int(each.counts.sum()) for each in self.references)

    @property
    def by_halves(self) -> bool:
        """Whether one half of the sample was used for ranking, and the other half for testing."""
        return self.documents is not None or self.n_items < self.n_read

    @property
    def share_of_all_items(self) -> float:
        """The accepted share of all items, including items without an output."""
        return self.acceptance_rate * self.n_read / (self.n_read + self.n_unread)

    @property
    def of_outputs_read(self) -> str:
        """Sentences on outputs that the shares leave out, such as missed words; may be empty."""
        said = []
        if self.regions:
            said.append(
                f"The limit is for outputs {self.regions}, but a new page does not show these regions."
            )
        if self.missed_rate:
            said.append(
                "Shares refer to the outputs that were read. In the fitted data, the engine missed "
                f"{percent(self.missed_rate, 3)} of the true words; in new data, nobody notices them."
            )
        return " ".join(said)

    def with_unread(
        self, n_unread: int, missed_rate: float | None = None, regions: str | None = None
    ) -> Policy:
        """Return a copy of the policy with data on items that had no output in the fit.

        Parameters
        ----------
        n_unread : int
            The number of items that had no output or no confidence.
        missed_rate : float, optional
            For words, the share of true words that had no output, in [0, 1].
        regions : str, optional
            The parts of pages that the outputs came from, such as "inside the regions of the truth".

        Returns
        -------
        Policy
        """
        n = whole_number(n_unread, "n_unread", 0)
        rate = None if missed_rate is None else fraction_of(missed_rate, "missed_rate")
        if regions is not None:
            require_type(regions, str, "regions", "a text")
        return replace(self, n_unread=n, missed_rate=rate, regions=regions)

    def apply(
        self,
        confidence: ArrayLike,
        *,
        by: ArrayLike | None = None,
        documents: ArrayLike | None = None,
        rejected: ArrayLike | None = None,
        types: ArrayLike | None = None,
    ) -> NDArray[np.bool_]:
        """Decide which outputs are accepted.

        Parameters
        ----------
        confidence : array_like of shape (n,)
            The confidence of each output, finite.
        by : array_like of shape (n,), optional
            The field of each output, if the policy has thresholds by field. Outputs of unknown fields
            are rejected, or ignored in whole documents.
        documents : array_like of shape (n,), optional
            The document of each output, if the policy accepts whole documents. A document that lacks a
            required field is never accepted.
        rejected : array_like of shape (n,), bool, optional
            Marks outputs without a confidence, which are never accepted; their `confidence` is ignored
            but must be finite. A document lacks a field if all its outputs of that field are marked. A
            document without any output has one marked row, whose field does not matter. A policy
            without fields does not accept documents with marked rows.
        types : array_like of shape (n,), optional
            The type of each output's document, if the policy was fitted with types.

        Returns
        -------
        accepted : ndarray of shape (n,), bool
            True if the output goes through unchecked.

        Raises
        ------
        TypeError
            If `by` or `documents` is missing or superfluous, or if the labels have another type than
            the labels of the policy.
        """
        return self.rule.apply(NewOutputs(confidence, by, documents, rejected, types))

    def error_probability(
        self, confidence: ArrayLike, *, by: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return the calibrated error probability p̂ of each output, (n,); 1 for unknown fields."""
        values = confidences(confidence)
        return self.rule.error_probability(values, self.rule.codes(by, len(values)))

    def expected_errors(self, accepted: Sequence[int], *, confidence_level: float = 0.95) -> Interval:
        """Return the expected number of errors among newly accepted outputs from the same source.

        Parameters
        ----------
        accepted : sequence of int
            The number of accepted outputs of each field. Without fields, a sequence of one number. For
            a policy of whole documents, the number of accepted documents.
        confidence_level : float, default=0.95
            The confidence level of the interval, in (0, 1).

        Returns
        -------
        Interval
            The expected number of errors; actual numbers scatter around it.

        Raises
        ------
        ValueError
            If `accepted` does not have one number for each field.

        Notes
        -----
        The estimate uses the items that tested the guarantee, because the calibrations have not seen
        them. Let n items be accepted, with FA errors among them. Acceptance stops just before the error
        that would be one too many. So FA/n would be too low, and the estimated rate is (FA + 1)/(n +
        1). With groups, d errors are added instead of 1, where d is `errors_per_group`. If no item was
        rejected, nothing is added. The interval is based on a gamma distribution of shape (FA + d)/d.

        The rate of each field is shrunk towards the overall rate: each field gets additional outputs at
        the overall rate, with three errors in all. The expected errors of all fields still add up to
        the total.
        """
        level = inner_fraction(confidence_level, "confidence_level")
        found = errors_expected(tuple(accepted), *self._tested, level=level)
        return all_of_found(self.truth_reader, found, float(sum(accepted)))

    def check(
        self,
        correct: ArrayLike,
        confidence: ArrayLike,
        *,
        by: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        max_group_size: int | None = None,
        documents: ArrayLike | None = None,
        audit_probability: ArrayLike | None = None,
        drawn: ArrayLike | None = None,
        rejected: ArrayLike | None = None,
        types: ArrayLike | None = None,
        fields_complete: bool = False,
        looks: Looks | None = None,
        once: bool = False,
        ids: ArrayLike | None = None,
        truth_reader: Reviewer | None = None,
    ) -> PolicyCheck:
        """Test whether the limit holds on new verified outputs drawn at random, or on a log of audits.

        Parameters
        ----------
        correct, confidence : array_like of shape (n,)
            Whether each output was right, and its confidence. `correct` may be a
            :class:`.PartialTruth` if neither `documents` nor `rejected` is given. With
            `audit_probability`, give all outputs of a period, and NaN as the truth of unverified
            outputs. The truth of rejected outputs does not matter.
        by, documents : array_like of shape (n,), optional
            As for :meth:`apply`.
        groups : array_like of shape (n,), optional
            Labels of outputs that depend on each other, such as those of a page.
        max_group_size : int, optional
            The largest possible group size, known beforehand. By default, the check assumes that no
            group is larger than the largest given group.
        audit_probability : float or array_like of shape (n,), optional
            π, the probability with which each accepted output was audited, in [0, 1]. It must be
            fixed before the truth is known. With `groups`, single outputs or whole groups may have been
            drawn. With `documents`, whole documents must have been drawn.
        drawn : array_like of shape (n,), bool, optional
            With `audit_probability`: which outputs were drawn for an audit, whether or not they have a
            result. Without `drawn`, the verdict on a log is never "holds".
        rejected, types : array_like of shape (n,), optional
            As for :meth:`apply`; `rejected` cannot be given with a log of single outputs. The limit
            applies only to outputs that are not rejected, as in :func:`.fit_policy`. A document that
            lacks an optional field is wrong if the field has a true value. In this case, the document
            has a rejected row of the field that is not correct.
        fields_complete : bool, default=False
            Whether a field without a row in a document is known to have no true value.
        looks : Looks, optional
            The log of all looks so far, to which this look is added. All outputs so far are tested, and
            the verdicts of all looks hold together. Without a log, the check is an exact test, which is
            valid for a single look.
        once : bool, default=False
            With `looks`: whether to test only these outputs, by an exact test. No earlier look may
            include any of them.
        ids : array_like of shape (n,), optional
            With `looks`: the name of each output, so that each output counts only once. With
            `documents`, their labels serve as names instead.
        truth_reader : Reviewer, optional
            The people who gave `correct`, as for :func:`.fit_policy`; by default the policy's
            `truth_reader`. Use ``Reviewer()`` for people who overlook nothing.

        Returns
        -------
        PolicyCheck
            The verdict, the interval, and the number of outputs still needed.

        Raises
        ------
        ValueError, TypeError
            As :func:`.threshold_sweep` and :meth:`.Looks.add`. Also if a log contradicts itself: it
            has the truth of an output that was not drawn, or its number of audits does not fit the
            probabilities. Also if `documents` or `rejected` is given with a :class:`.PartialTruth`,
            `rejected` with a log of single outputs, or `drawn` without `audit_probability`. Also if the
            truth does not say whether an optional field is empty.

        Notes
        -----
        *All verified.* The number of accepted errors among n random outputs is binomial, and the
        interval is exact (Clopper and Pearson). With `groups`, the interval consists of the rates that
        betting on the groups does not refute.

        *Logs of audits.* If π is the same for all outputs, the number of errors found by audits is
        binomial. Its success probability is π times the error rate. If π varies, or with `groups`, the
        interval comes from bets on outputs, or on whole groups, with errors weighted by 1/π. Drawn
        outputs without a result count as errors. So select the outputs of a log by their own date, not
        by the date of their answers.

        *Partial truth.* The number of errors is binomial if all items had the same probability, without
        groups and without a judge. Otherwise the interval comes from bets, with the judge as a control
        variate.

        For the outputs that the policy was fitted on, the verdict is never "holds".
        """
        digest = "" if looks is None else self.digest
        log = LookRequest.of(looks, digest, once=once, ids=ids, documents=documents, groups=groups)
        if truth_reader is None and getattr(correct, "truth_reader", None) is None:
            truth_reader = self.truth_reader
        correct, truth, people = answers_of(correct, truth_reader)
        promise = CheckedPromise.of(self.criterion, self.limit, self.failure_probability, people)
        test = PolicyTest(self.rule, promise, self.fitted_on, self.references, log)
        outputs = NewOutputs(confidence, by, documents, rejected, types, groups, max_group_size)
        if audit_probability is not None:
            if rejected is not None and self.documents is None:
                raise TypeError(
                    "rejected cannot go with audit_probability: leave out the rejected outputs"
                )
            told = correct if truth is None else truth
            return test.of_log(told, outputs, audit_probability, drawn, fields_complete=fields_complete)
        if drawn is not None:
            raise TypeError("drawn needs audit_probability: give both for a log, or neither")
        if truth is not None:
            if documents is not None or rejected is not None:
                name = "rejected" if documents is None else "documents"
                raise TypeError(f"{name} cannot go with a PartialTruth: leave out {name}")
            return test.of_partly_verified(truth, outputs)
        return test.of_all_verified(correct, outputs, fields_complete=fields_complete)

    @property
    def rule(self) -> AcceptanceRule:
        """The thresholds and requirements that decide on outputs and documents."""
        return AcceptanceRule(
            self.fields, self.thresholds, self.calibrations, self.documents, self.document_threshold,
            self.optional, self.types, tuple(each.missed_share for each in self.absences),
        )  # fmt: skip

    def shift(
        self,
        confidence: ArrayLike,
        *,
        by: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> ConfidenceShift:
        """Test whether the confidences have shifted since the policy was fitted; needs no truth.

        Parameters
        ----------
        confidence : array_like of shape (n,)
            The confidences of new outputs, finite.
        by : array_like of shape (n,), optional
            The field of each output, if the policy has thresholds by field.
        groups : array_like of shape (n,), optional
            Labels of outputs that depend on each other, such as those of a page, if the policy was
            fitted with groups.

        Returns
        -------
        ConfidenceShift
            The p-value, and the field with the smallest p-value.

        Raises
        ------
        TypeError
            If `by` is missing or superfluous, or `groups` is given although :func:`.fit_policy` was
            called without groups.

        Notes
        -----
        The test permutes the outputs of the fit and the new outputs. With `groups`, it permutes whole
        groups, because outputs of a page that vary together might look like a shift. If the fit or
        the new outputs have more than 500 groups, 500 random groups are used.
        """
        values = confidences(confidence)
        codes = self.rule.codes(by, len(values))
        pages = None
        if groups is not None:
            require_column(groups, "groups", needed=self.has_groups)
            pages = read_groups(groups, len(values))[1]
        parts = list(self.rule.parts(codes)) or [(None, np.ones(len(values), np.bool_))]
        seen = [
            Seen.of(field, reference, values[own], None if pages is None else pages[own])
            if own.any()
            else None
            for reference, (field, own) in zip(self.references, parts, strict=True)
        ]
        return shift_of(self.references, seen, self.failure_probability)

    def to_json(self) -> str:
        """Return the policy as the text of a JSON file."""
        return text_of_policy(fields_of(self))

    @property
    def has_groups(self) -> bool:
        """Whether the policy stores confidences by group, which :meth:`shift` with `groups` needs."""
        return all(each.groups is not None for each in self.references)

    @property
    def fields_complete(self) -> bool:
        """Whether a field without a row in a document has no true value, as stated at the fit."""
        return bool(self.columns.get("fields_complete"))

    @property
    def digest(self) -> str:
        """The policy's identity: the SHA-256 of its JSON text."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the policy written by :meth:`to_json`.

        Raises
        ------
        ValueError
            If the text is not a policy, or has another version. Also if a field is missing, is unknown,
            has another type, is out of its range, or contradicts another field. The message names the
            field.
        """
        return cls(**fields_of_policy(text))

    def require_columns(
        self, *, by: object, documents: object, groups: object = None, types: object = None
    ) -> None:
        """Raise a TypeError if a column of labels is missing or superfluous."""
        if not self.has_groups:
            require_column(groups, "groups", needed=False)
        self.rule.require_columns(by=by, documents=documents, types=types)
