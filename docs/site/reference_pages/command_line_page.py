"""Reference page for all commands and options, generated from the argument parsers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import postmeal.cli
import postmeal_serve.command_line
from reference_pages.markdown import code, fenced, table

__all__ = ["Command", "command_line_page", "commands"]

_INTRODUCTION = """\
# Command line

The package installs the commands `postmeal` and `postmeal-serve`. `postmeal-serve` runs the service
and manages its data. It requires the extra `serve`. In a checkout, `make help` lists the `make`
targets.

The commands print an error on one line. The exit status is 0 on success, 2 after an error and 130
after Ctrl-C. `postmeal days` exits with 1 if a history contains too few valid days.
"""


@dataclass(frozen=True)
class Command:
    """A command and its parser.

    Attributes
    ----------
    words : str
        The command as typed, such as ``postmeal foods search``.
    about : str
        Summary of what the command does.
    parser : argparse.ArgumentParser
        Parser of the command.
    """

    words: str
    about: str
    parser: argparse.ArgumentParser

    @property
    def arguments(self) -> list[argparse.Action]:
        """Arguments and options, without ``--help``."""
        return [
            action
            for action in self.parser._actions
            if not isinstance(action, argparse._SubParsersAction | argparse._HelpAction)
        ]

    @property
    def groups(self) -> list[argparse._SubParsersAction[argparse.ArgumentParser]]:
        """Actions that contain the subcommands; at most one."""
        actions = self.parser._actions
        return [action for action in actions if isinstance(action, argparse._SubParsersAction)]


def commands() -> list[Command]:
    """Return all commands of ``postmeal`` and ``postmeal-serve``, groups before subcommands."""
    found: list[Command] = []
    for parser in (postmeal.cli._parser(), postmeal_serve.command_line._parser()):
        found += _walk(Command(parser.prog, parser.description or "", parser))
    return found


def command_line_page() -> str:
    """Return the page as Markdown."""
    return "\n\n".join([_INTRODUCTION.rstrip(), *map(_section, commands())]) + "\n"


def _walk(command: Command) -> Iterator[Command]:
    yield command
    for group in command.groups:
        abouts = {choice.dest: choice.help for choice in group._choices_actions}
        for name, parser in group.choices.items():
            about = parser.description or abouts.get(name) or ""
            yield from _walk(Command(f"{command.words} {name}", about, parser))


def _section(command: Command) -> str:
    level = "##" if len(command.words.split()) == len(command.parser.prog.split()) else "###"
    about = command.about[:1].upper() + command.about[1:]
    if about and about[-1] not in ".?!":
        about += "."
    parts = [f"{'##' if command.groups else level} {command.words}", about]
    if command.groups:
        parts.append(_subcommands(command))
    else:
        parts.append(fenced("text", _usage(command.parser)))
    if command.arguments:
        formatter = command.parser._get_formatter()
        rows = [[_name(action), _effect(action, formatter)] for action in command.arguments]
        parts.append(table(["Argument", "Description"], rows))
    return "\n\n".join(filter(None, parts))


def _subcommands(command: Command) -> str:
    lines = []
    for group in command.groups:
        for choice in group._choices_actions:
            words = f"{command.words} {choice.dest}"
            lines.append(
                f"- [`{words}`](#{words.replace(' -', '-').replace(' ', '-')}): {choice.help}"
            )
    return "\n".join(lines)


def _usage(parser: argparse.ArgumentParser) -> str:
    formatter = argparse.HelpFormatter(parser.prog, width=88)
    groups = parser._mutually_exclusive_groups
    formatter.add_usage(parser.usage, parser._actions, groups, prefix="")
    return formatter.format_help()


def _name(action: argparse.Action) -> str:
    """Return an option with its value, or the placeholder of an argument."""
    value = action.metavar if isinstance(action.metavar, str) else ""
    if action.choices is not None and not value:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    if not action.option_strings:
        return code(value or action.dest)
    names = ", ".join(code(name) for name in action.option_strings)
    if action.nargs == 0:
        return names
    return f"{names} {code(value or action.dest.upper())}"


def _effect(action: argparse.Action, formatter: argparse.HelpFormatter) -> str:
    about = formatter._expand_help(action) if action.help else ""
    return f"{about} (required)" if action.required and action.option_strings else about
