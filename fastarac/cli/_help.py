"""Write the pages of ``--help`` and ``--help-all``: commands by task, options in panels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from copy import copy
from functools import cache
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer import BadParameter
from typer.core import TyperArgument, TyperCommand, TyperGroup

from fastarac._core.text import listed
from fastarac.cli._panels import Panel

TASKS = {  # copies of the commands' docstrings, so that listing commands imports none of them
    "Measure and compare": {
        "demo": "Evaluate four models on handwritten digits, as an example.",
        "evaluate": "Show how much you can accept unchecked, and at which confidence.",
        "compare": "Compare models on the same items, and test whether they differ.",
        "ocr": "Evaluate and compare OCR engines from their files and the truth.",
    },
    "Verify a few": {
        "sample": "Draw outputs for people to verify, each with a known probability.",
        "search": "Verify small batches until you know how much you can accept.",
        "station": "Write a page on which a person marks which outputs are right.",
    },
    "Choose a threshold that holds": {
        "plan": "Plan how many outputs to verify.",
        "fit": "Fit thresholds that keep a limit on new outputs; write a policy.",
        "check": "Check a policy on newly verified outputs.",
        "cascade": "Choose thresholds for several models and people at the least cost.",
    },
    "Operate": {
        "apply": "Split outputs into those to accept and those to review.",
        "monitor": "Watch a policy in use by auditing outputs, and raise an alarm.",
        "drift": "Test whether a judge's releases judge the same outputs as before.",
        "week": "Apply, audit, check and monitor a policy week by week.",
    },
    "Files and installation": {
        "inspect": "Show what files hold, and how they would be read.",
        "doctor": "Check the installation.",
    },
}
# Modules of commands whose name is not the command's name after an underscore.
MODULES = {"ocr": "_ocr_command"}
WORDS = {  # parts of pydantic's error messages about options, and their replacements
    "Value error, ": "",
    "Input should be ": "it should be ",
    ", unable to parse string as an integer": "",
    ", unable to parse string as a number": "",
    "a valid integer": "an integer",
    "a valid number": "a number",
    "greater than or equal to": "at least",
}
WIDEST_USAGE = 26  # maximum width; the help of a longer option begins on the next line
MORE = "\f"  # --help leaves out the epilog after this character; --help-all shows it
WHOLE = "fastarac.help_all"


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.meta[WHOLE] = True
        typer.echo(context.get_help())
        context.exit()


HelpAll = Annotated[
    bool,
    typer.Option(
        "--help-all",
        callback=_show_all,
        is_eager=True,
        help="Show all options and more examples, and exit.",
        rich_help_panel=Panel.other,
    ),
]


class Command(TyperCommand):
    """A command whose help puts options in panels and shows expert options only in ``--help-all``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; an error names all missing parameters, not only the first."""
        given = list(args)
        self._refuse_repeated(ctx, given)
        try:
            return super().parse_args(ctx, args)
        except BadParameter as error:
            if type(error).__name__ == "MissingParameter":
                self._name_all_missing(error, ctx, given)
            raise

    def _refuse_repeated(self, ctx: Any, given: list[str]) -> None:
        """Refuse a repeated option that takes one value; otherwise its first value would be lost."""
        options = given[: given.index("--")] if "--" in given else given
        names = Counter(each.partition("=")[0] for each in options if each.startswith("-"))
        for param in self.get_params(ctx):
            # Flags take no value; arguments have no `is_flag`.
            takes_one = not (param.multiple or getattr(param, "is_flag", True))
            if takes_one and sum(names[name] for name in param.opts) > 1:
                raise BadParameter(f"{param.opts[0]} is given twice, but takes one value", ctx=ctx)

    def _name_all_missing(self, error: Any, ctx: Any, given: list[str]) -> None:
        values = self.make_parser(ctx).parse_args(args=given)[0]
        missing = [
            param
            for param in self.get_params(ctx)
            if param.required and param.value_is_missing(param.consume_value(ctx, values)[0])
        ]
        if len(missing) > 1:
            kinds = dict.fromkeys(f"{param.param_type_name}s" for param in missing)
            error.param_type = " and ".join(kinds)
            names = (
                param.metavar or param.name if isinstance(param, TyperArgument) else param.opts[0]
                for param in missing
            )
            error.param_hint = listed(list(map(repr, names)))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            is_argument = isinstance(param, TyperArgument)
            shown: Any = copy(param)
            if ctx.meta.get(WHOLE) and not is_argument:
                shown.hidden = False
            record = shown.get_help_record(ctx)
            if record is not None:
                title = "Arguments" if is_argument else _panel_of(param)
                panels.setdefault(title, []).append(_plain(record, is_argument=is_argument))
        if not ctx.meta.get(WHOLE):
            panels.pop(Panel.other, None)
        widest = max((len(usage) for rows in panels.values() for usage, _ in rows), default=0)
        width = min(widest, WIDEST_USAGE)
        for title in ("Arguments", *Panel):
            if title in panels:
                rows = [(usage.ljust(width), text) for usage, text in panels[title]]
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=width)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples; with ``--help-all``, also the part after `MORE`."""
        shown, _, more = (self.epilog or "").partition(MORE)
        if not ctx.meta.get(WHOLE):
            hides = more or any(getattr(param, "hidden", False) for param in self.params)
            more = f"{ctx.command_path} --help-all shows all options." if hides else ""
        for text in (shown, more):
            if text.strip():
                formatter.write_paragraph()
                with formatter.indentation():
                    formatter.write_text(text.strip("\n"))


def _panel_of(param: Any) -> str:
    return str(getattr(param, "rich_help_panel", None) or Panel.other)


def _plain(record: tuple[str, str], *, is_argument: bool) -> tuple[str, str]:
    """Return a row of help; for an argument, leave out its type and "[required]"."""
    usage, text = record
    if is_argument:
        return usage.partition(" <")[0], text.removesuffix("  [required]")
    return usage, text.replace("  [", " [")


@cache
def _command(name: str) -> TyperCommand:
    """Import the module of a command, and build the command."""
    module = import_module(f"fastarac.cli.{MODULES.get(name, f'_{name}')}")
    alone = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
    alone.command(name, cls=Command, epilog=getattr(module, "EXAMPLES", None))(getattr(module, name))
    return cast("TyperCommand", typer.main.get_command(alone))


class Commands(Mapping[str, TyperCommand]):
    """The commands by name; a command's module is imported on demand."""

    def __getitem__(self, name: str) -> TyperCommand:
        if name not in list(self):
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return (name for names in TASKS.values() for name in names)

    def __len__(self) -> int:
        return len(list(iter(self)))


class ByTask(TyperGroup):
    """The root command, whose help lists the commands by task."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = Commands()

    def invoke(self, ctx: Any) -> Any:
        """Run a command; reword pydantic's errors about options."""
        try:
            return super().invoke(ctx)
        except BadParameter as error:
            for library, words in WORDS.items():
                error.message = error.message.replace(library, words)
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        self.format_commands(ctx, formatter)
        records = [param.get_help_record(ctx) for param in self.get_params(ctx)]
        with formatter.section("Options before a command"):
            formatter.write_dl([each for each in records if each], col_max=WIDEST_USAGE)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002, as typer has it
        widest = max(map(len, self.commands))
        for task, names in TASKS.items():
            rows = [(name.ljust(widest), sentence) for name, sentence in names.items()]
            with formatter.section(task):
                formatter.write_dl(rows)
