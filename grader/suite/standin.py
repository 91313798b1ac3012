"""Stand-in modules: in the grader, ``import lab`` gives a module whose functions are remote calls.

A test sees a verdict as plain data, or as an exception of a built-in class without text. Any other verdict (a
missing function, a time limit) fails the test at once, with an outcome that no ``pytest.raises`` catches.
"""

import builtins
import contextlib
from collections.abc import Callable, Mapping
from types import GeneratorType, ModuleType
from typing import Any, NoReturn

import pytest

from grader.sandbox.inside import wire

Ask = Callable[[dict[str, Any]], dict[str, Any]]


class SubmissionProxy:
    """Connection of the running test to the submission; ``ask`` is None during collection.

    ``arguments``, ``value`` and ``verdict`` belong to the latest request; the report of a failure uses them.
    """

    def __init__(self) -> None:
        self.ask: Ask | None = None
        self.arguments: tuple[Any, ...] = ()
        self.value: Any = None
        self.verdict: Mapping[str, Any] = {}

    def request(
        self, verb: str, module: str, name: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
    ) -> Any:
        """Send a request; return the value, raise the exception that the submission raised, or fail the test.

        Lists and dicts that the submission changed are changed in ``arguments``, too.
        """
        __tracebackhide__ = True
        if self.ask is None:
            raise RuntimeError(
                f"{module}.{name} was read while tests were collected; "
                f"say `import {module}` and use {module}.{name} inside a test"
            )
        self.arguments, self.value, self.verdict = arguments, None, {}
        self.verdict = verdict = self.ask(
            {
                "verb": verb,
                "module": module,
                "name": name,
                "arguments": [_sendable(argument) for argument in arguments],
                "keywords": [[key, _sendable(value)] for key, value in keywords.items()],
            }
        )
        for position, tree in verdict.get("changed", ()):
            _change(arguments[position], wire.decode(tree))
        if verdict["kind"] == "value":
            self.value = wire.decode(verdict["value"])
            return self.value
        if verdict["kind"] == "raised":
            _raise(verdict["classes"])
        pytest.fail(f"{module}.{name}: {verdict['kind']} {verdict.get('reason', '')}".strip(), pytrace=False)


class RemoteFunction:
    """A function of the submission; calling it sends a request."""

    def __init__(self, proxy: SubmissionProxy, module: str, name: str) -> None:
        self._proxy, self._module, self._name = proxy, module, name

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the function in the submission's process."""
        __tracebackhide__ = True
        return self._proxy.request("call", self._module, self._name, arguments, keywords)

    def __repr__(self) -> str:
        return f"{self._module}.{self._name}"


class StandIn(ModuleType):
    """Takes the place of a file that students hand in, in ``sys.modules``; each name is read on access."""

    def __init__(self, name: str, functions: tuple[str, ...], proxy: SubmissionProxy) -> None:
        super().__init__(name)
        self._functions, self._proxy = functions, proxy

    def __getattr__(self, name: str) -> Any:
        """Return a task's function, or request any other name as a constant."""
        __tracebackhide__ = True
        if name.startswith("_"):
            raise AttributeError(name)
        if self._proxy.ask is not None and name in self._functions:
            return RemoteFunction(self._proxy, self.__name__, name)
        return self._proxy.request("constant", self.__name__, name, (), {})


def _sendable(value: Any) -> Any:
    """Encode an argument; a generator is sent as its items."""
    if isinstance(value, GeneratorType):
        return {"g": [wire.encode(item) for item in value]}
    tree = wire.encode(value)
    if _holds_opaque(tree):
        raise TypeError(f"tests call a submission with plain data only, not with {type(value).__name__}")
    return tree


def _holds_opaque(tree: Any) -> bool:
    if type(tree) is list:
        return any(map(_holds_opaque, tree))
    return type(tree) is dict and ("o" in tree or any(map(_holds_opaque, tree.values())))


def _change(argument: Any, value: Any) -> None:
    """Replace the content of the test's list or dict by what the submission left in its copy."""
    if type(argument) is list:
        argument[:] = value if type(value) is list else [value]
    else:
        argument.clear()
        argument.update(value if type(value) is dict else {"": value})


def _raise(classes: list[str]) -> NoReturn:
    """Raise an error of all of these built-in classes, or of the first that can be made without arguments."""
    __tracebackhide__ = True
    kinds: list[type[BaseException]] = [getattr(builtins, name) for name in classes]
    # An error may derive from several, as in ``class TooLong(ArithmeticError, ValueError)``.
    own = tuple(k for k in kinds if not any(other is not k and issubclass(other, k) for other in kinds))
    joined: list[type[BaseException]] = []
    if len(own) > 1 and all(issubclass(kind, Exception) for kind in own):
        with contextlib.suppress(TypeError):  # of two classes that Python cannot join
            joined = [type(own[0].__name__, own, {})]
    for kind in (*joined, *kinds):
        if not issubclass(kind, Exception):
            pytest.fail(f"raised {kind.__name__}", pytrace=False)
        try:
            error = kind()
        except TypeError:
            continue
        raise error
    raise Exception  # noqa: TRY002 - no built-in class is known
