"""Conversion of a function's source, so that statements that depend on tensors are recorded."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from proa.core import MissingModuleError, ProgramError
from proa.ops import concat, stack, unbind
from proa.program import TensorList

from . import _iteration as iteration
from . import _operators as operators
from ._rewrite import Unsupported, after, before
from ._switches import is_left_alone, left_alone, show_code

#: Code that is called as it is: it does not branch on tensors, or does it by ops.
_LIBRARIES = frozenset(
    {"proa", "jax", "jaxlib", "numpy", "malt", "equinox", "builtins", *sys.stdlib_module_names}
) - {"__main__"}
_BUILTINS: dict[Any, Callable[..., Any]] = {
    print: operators.print_,
    int: operators.int_,
    float: operators.float_,
    bool: operators.bool_,
    range: iteration.range_,
    enumerate: iteration.enumerate_,
    zip: iteration.zip_,
    reversed: iteration.reversed_,
    len: iteration.len_,
    any: iteration.any_,
    all: iteration.all_,
    sum: iteration.sum_,
    max: iteration.max_,
    min: iteration.min_,
}
_lock = threading.RLock()
_converted: weakref.WeakKeyDictionary[types.CodeType, Any] = weakref.WeakKeyDictionary()


#: Converted source, and why functions could not be converted, by their code.
_sources: weakref.WeakKeyDictionary[types.CodeType, str] = weakref.WeakKeyDictionary()
_reasons: weakref.WeakKeyDictionary[types.CodeType, str] = weakref.WeakKeyDictionary()


class Unconvertible(Exception):
    """A function's source is not there, or holds what cannot be converted."""


def convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that does the same and can be recorded with branches and loops.

    Args:
        function: a Python function or method.

    Raises:
        Unconvertible: the reason.
    """
    if inspect.ismethod(function):
        return types.MethodType(convert(function.__func__), function.__self__)
    if not inspect.isfunction(function):
        raise Unconvertible(f"{function!r} is no Python function")
    code = function.__code__
    with _lock:
        known = _reasons.get(code)
        if known is not None:
            raise Unconvertible(known)
        factory = _converted.get(code)
        if factory is None:
            try:
                factory = _converted[code] = _make_factory(function)
            except Unconvertible as error:
                _reasons[code] = str(error)
                raise
    return _instantiate(factory, function)


def converted_source(function: Any) -> str:
    """Returns the source of a function after conversion.

    Raises:
        Unconvertible: the reason.
    """
    plain = getattr(function, "__func__", function)
    convert(plain)
    return _sources[plain.__code__]


def _instantiate(factory: Any, function: Any) -> Callable[..., Any]:
    """Binds converted code to the globals, closure and defaults of one function."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    outer = types.FunctionType(
        factory,
        function.__globals__,
        closure=tuple([cells[name] for name in factory.co_freevars]),
    )
    made = outer(_names())
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    functools.update_wrapper(made, function, updated=())
    del made.__wrapped__
    made.autograph_info__ = None
    return made


def _make_factory(function: Any) -> types.CodeType:
    """Returns the code of a function that takes the operators and gives the converted one."""
    transpiler, options = _transpiler()
    code = function.__code__
    where = f"{code.co_filename}:{code.co_firstlineno}"
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise Unconvertible(f"`yield` or `await` at {where}")
    try:
        node, context = transpiler.transform_function(function, options)
    except Unsupported as error:
        line = code.co_firstlineno + max(error.line, 1) - 1
        raise Unconvertible(f"{error.construct} at {code.co_filename}:{line}") from error
    except OSError as error:
        raise Unconvertible(f"its source is not to be found, at {where}") from error
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Unconvertible(f"{reason}, in the function at {where}") from error
    name = context.info.name
    if isinstance(node, ast.Lambda):
        node = ast.Assign(targets=[ast.Name(name, ast.Store())], value=node)
    else:
        node.name = name
    _sources[code] = ast.unparse(ast.fix_missing_locations(node))
    show_code(function.__qualname__, _sources[code])
    _restore_lines(node, code.co_firstlineno)
    names = function.__code__.co_freevars
    head = ast.parse(
        "def _outer():\n"
        + "".join(f"    {each} = None\n" for each in names)
        + f"    def _factory(ag__):\n        return {name}\n    return _factory"
    )
    head.body[0].body[-2].body.insert(0, node)  # type: ignore[attr-defined]
    ast.fix_missing_locations(head)
    scope: dict[str, Any] = {}
    compiled = compile(head, function.__code__.co_filename, "exec", dont_inherit=True)
    exec(compiled, scope)
    return scope["_outer"]().__code__


def _restore_lines(node: ast.AST, line: int) -> None:
    """Gives converted nodes the lines of the source, for tracebacks and messages."""
    origin = getattr(node, "___pyct_anno", {})
    for key, value in origin.items():
        if getattr(key, "name", "") == "ORIGIN":
            line = value.loc.lineno
    if hasattr(node, "lineno") or isinstance(node, ast.expr | ast.stmt):
        node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
        node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    for child in ast.iter_child_nodes(node):
        _restore_lines(child, line)


@functools.cache
def _transpiler() -> tuple[Any, Any]:
    try:
        from malt.core import converter
        from malt.impl import api
        from malt.pyct import transpiler
    except ImportError as error:
        raise MissingModuleError(
            "a compiled function has `if`, `while` or `for` on a tensor",
            expected="the package diastatic-malt, which converts such statements",
            fix="pip install diastatic-malt, or use proa.static.nn.cond and while_loop",
        ) from error

    class Transpiler(api.PyToPy):
        """Converts one function; what is cached, and how it is loaded, is ours."""

        def transform_function(self, fn: Any, user_context: Any) -> Any:
            return transpiler.GenericTranspiler.transform_function(self, fn, user_context)

        def transform_ast(self, node: Any, ctx: Any) -> Any:
            changed: Any = super().transform_ast(before(node), ctx)
            return after(changed)

    class Options(converter.ConversionOptions):
        """Which converters run; converted code itself needs none of it."""

        def to_ast(self) -> ast.expr:
            return ast.Constant(None)

        def call_options(self) -> Options:
            return self

    features: Any = (converter.Feature.ASSERT_STATEMENTS, converter.Feature.BUILTIN_FUNCTIONS)
    options = Options(recursive=True, optional_features=features)
    return Transpiler(), converter.ProgramContext(options=options)


def converted_call(f: Any, args: tuple[Any, ...], kwargs: Any, scope: Any = None) -> Any:
    """Calls a function from converted code, converted as well where that makes sense."""
    kwargs = kwargs or {}
    if f is super and not args:
        from malt.operators import py_builtins

        return py_builtins.super_in_original_context(f, args, scope)
    try:
        builtin = _BUILTINS.get(f)
    except TypeError:
        return f(*args, **kwargs)
    if builtin is not None:
        return builtin(*args, **kwargs)
    adapted = adapt(f)
    iteration.refuse_sizes_as_keys(getattr(f, "__self__", None), args)
    if adapted is f and any(isinstance(v, TensorList) for v in (*args, *kwargs.values())):
        return _call_on_lists(f, args, kwargs)
    if adapted is f and _takes_functions(f):
        # What a library calls for the user (`autograd.jvp(f, x)`, `map(f, xs)`) is converted too.
        args = tuple([_adapt_function(v) for v in args])
        kwargs = {name: _adapt_function(v) for name, v in kwargs.items()}
    return adapted(*args, **kwargs)


def _takes_functions(f: Any) -> bool:
    module = getattr(f, "__module__", None) or ""
    return module.partition(".")[0] in ("proa", "builtins", "functools", "_functools")


def _adapt_function(value: Any) -> Any:
    function = getattr(value, "__func__", value)
    return adapt(value) if inspect.isfunction(function) else value


def _call_on_lists(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls what takes lists of tensors with one that has grown in a loop."""
    joins = {stack: TensorList.stack, concat: TensorList.concat}
    if f in joins:
        bound = inspect.signature(f).bind(*args, **kwargs).arguments
        found = bound.pop("x")
        return joins[f](found, bound.get("axis", 0))
    if getattr(f, "__self__", None).__class__ is TensorList or f in (list, isinstance, type):
        return f(*args, **kwargs)

    def opened(value: Any) -> Any:
        if not isinstance(value, TensorList):
            return value
        return list(unbind(value.whole(f"{getattr(f, '__name__', f)}()")))

    return f(*map(opened, args), **{name: opened(v) for name, v in kwargs.items()})


def adapt(f: Any) -> Any:
    """Returns the converted form of a callable, or itself where there is none to make."""
    if isinstance(f, functools.partial):
        return functools.partial(adapt(f.func), *f.args, **f.keywords)
    function = getattr(f, "__func__", f)
    compiled = getattr(function, "dygraph_function", None)
    if compiled is not None:
        return adapt(compiled)
    if not inspect.isfunction(function) or hasattr(function, "autograph_info__"):
        return f
    module = (getattr(function, "__module__", None) or "").partition(".")[0]
    if module in _LIBRARIES:
        return f
    if is_left_alone(f):
        left_alone.add(function.__code__)
        return f
    try:
        return convert(f)
    except Unconvertible:
        return f


@functools.cache
def _names() -> types.SimpleNamespace:
    """What converted code finds under its one reserved name."""
    return types.SimpleNamespace(
        **{**vars(operators), **vars(iteration)}, converted_call=converted_call
    )


def explain_unconverted(function: Any, error: ProgramError) -> ProgramError:
    """Returns an error that says what stood in the way of conversion, and where."""
    reason = _reason_of(function, error)
    if reason is None:
        return error
    made = type(error)(f"{error.got}; {reason}", expected=error.expected, fix=error.fix)
    return made.with_traceback(error.__traceback__)


def _reason_of(function: Any, error: BaseException) -> str | None:
    codes = []
    trace = error.__traceback__
    while trace is not None:
        codes.append(trace.tb_frame.f_code)
        trace = trace.tb_next
    codes.append(getattr(getattr(function, "__func__", function), "__code__", None))
    for code in reversed(codes):
        if code is None:
            continue
        if code in _reasons:
            return f"`{code.co_name}` could not be converted: {_reasons[code]}"
        if code in left_alone:
            return f"`{code.co_name}` is left as it is (not_to_static or ignore_module)"
    return None
