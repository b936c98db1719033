"""Rewriting of statements that `malt` does not convert into such that it does.

`before` runs on a function's syntax tree before `malt`, `after` on what `malt` has made of it.
Both only say the same in simpler words, so that the operators have a single meaning each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

#: Methods by which a list changes in place.
_CHANGES = frozenset({"append", "extend", "insert", "pop", "clear"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.While)
_SYMBOLS = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
}


class Unsupported(Exception):
    """A construct that cannot be converted: its name and line."""

    def __init__(self, construct: str, node: ast.AST) -> None:
        self.line: int = getattr(node, "lineno", 0)
        self.construct = construct
        super().__init__(construct)


def before(node: ast.AST) -> ast.AST:
    """Rewrites `else` of loops, `:=`, `match`, comprehensions, chains and changes of lists."""
    node = _Before().visit(node)
    ast.fix_missing_locations(node)
    return node


def after(node: ast.AST) -> ast.AST:
    """Converts what `malt` leaves: nested conditional expressions, and comparisons of sizes."""
    return _After().visit(node)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_operator(name), list(arguments), [])


def _operator(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("ag__", ast.Load()), name, ast.Load())


def _thunk(body: ast.expr, parameters: Sequence[str] = ()) -> ast.Lambda:
    arguments = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    return ast.Lambda(arguments, body)


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


class _Before(ast.NodeTransformer):
    """See `before`."""

    def __init__(self) -> None:
        self.locals: list[set[str]] = [set()]
        #: Those that hold lists, as far as the source tells.
        self.lists: list[set[str]] = [set()]
        self.count = 0

    def name(self, what: str) -> str:
        """Returns a name that nobody else uses."""
        self.count += 1
        return f"{what}_{self.count}__"

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visits blocks statement by statement, everything else by field."""
        at = getattr(node, "lineno", None)
        for field, old in ast.iter_fields(node):
            if isinstance(old, list) and old and isinstance(old[0], ast.stmt):
                setattr(node, field, list(self._block(old)))
            elif isinstance(old, list):
                setattr(node, field, [self._visited(each) for each in old])
            elif isinstance(old, ast.AST):
                setattr(node, field, self._visited(old))
        if at is not None:
            ast.fix_missing_locations(node)
        return node

    def _visited(self, each: Any) -> Any:
        return self.visit(each) if isinstance(each, ast.AST) else each

    def _block(self, statements: list[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in statements:
            changed = [] if isinstance(statement, _FUNCTIONS) else self._changed(statement)
            hoisted: list[ast.stmt] = []
            if not isinstance(statement, (*_FUNCTIONS, *_LOOPS, ast.ClassDef)):
                hoisted = _hoist(statement)
            for each in hoisted:
                yield from self._placed(self.visit(each), statement)
            made = self.visit(statement)
            for each in made if isinstance(made, list) else [made]:
                yield from self._placed(each, statement)
            for name in changed:
                yield from self._placed(_assign(name, _call("touched", _load(name))), statement)

    def _placed(self, made: Any, like: ast.stmt) -> Iterator[ast.stmt]:
        for each in made if isinstance(made, list) else [made]:
            ast.copy_location(each, like)
            ast.fix_missing_locations(each)
            yield each

    def _changed(self, statement: ast.stmt) -> list[str]:
        """Local lists that a simple statement changes in place."""
        if not isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign | ast.AnnAssign):
            return []
        found = {}
        for node in _walk_here(statement):
            if isinstance(node, ast.Call):
                for name in _changed_by(node):
                    found[name] = True
        return [name for name in found if name in self.locals[-1]]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Notes which names are the function's own."""
        self.locals.append(_local_names(node))
        self.lists.append(_list_names(node) & self.locals[-1])
        node.body = list(self._block(node.body))
        self.locals.pop()
        self.lists.pop()
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """An entry of a list is set by a function."""
        self.generic_visit(node)
        name = self._list_of_entry(node.targets[0]) if len(node.targets) == 1 else None
        return node if name is None else self._set_item(name, node.targets[0], node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Likewise."""
        self.generic_visit(node)
        name = self._list_of_entry(node.target)
        if name is None:
            return node
        before = ast.Subscript(_load(name), node.target.slice, ast.Load())  # type: ignore[union-attr]
        return self._set_item(name, node.target, ast.BinOp(before, node.op, node.value))

    def _list_of_entry(self, target: ast.expr) -> str | None:
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
            return None
        name = target.value.id
        is_entry = not isinstance(target.slice, ast.Slice | ast.Tuple)
        return name if is_entry and name in self.lists[-1] else None

    def _set_item(self, name: str, target: Any, value: ast.expr) -> ast.AST:
        return _assign(name, _call("set_item", _load(name), target.slice, value))

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Leaves a class in a function as it is."""
        return node

    def visit_While(self, node: ast.While) -> Any:
        """`else`, and `:=` in the condition."""
        statements = self._without_else(node)
        hoisted = _hoist_from(node, "test")
        if hoisted:
            end = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
            node.test = ast.Constant(True)
            node.body = [*hoisted, end, *node.body]
            ast.copy_location(end, node)
            ast.fix_missing_locations(node)
        self.generic_visit(node)
        return statements

    def visit_For(self, node: ast.For) -> Any:
        """`else`."""
        statements = self._without_else(node)
        self.generic_visit(node)
        return statements

    def _without_else(self, node: Any) -> list[ast.stmt]:
        if not node.orelse:
            return [node]
        name = self.name("completed")
        otherwise = ast.If(_load(name), list(self._block(node.orelse)), [])
        node.body = [_Breaks(name).visit(each) for each in node.body]
        node.orelse = []
        return [_assign(name, ast.Constant(True)), node, otherwise]

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Chains, whose inner operands are computed once."""
        self.generic_visit(node)
        inner = node.comparators[:-1]
        if all(isinstance(each, ast.Name | ast.Constant) for each in inner):
            return node
        if not all(type(op) in _SYMBOLS for op in node.ops):
            return node
        symbols = ast.Tuple([ast.Constant(_SYMBOLS[type(op)]) for op in node.ops], ast.Load())
        operands = [_thunk(each) for each in node.comparators]
        return ast.copy_location(_call("chained", symbols, node.left, *operands), node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """A comprehension over one iterable, which may be a tensor of unknown length."""
        made = self._comprehension(node, "list_of")
        return self.generic_visit(node) if made is None else made

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A generator as the only argument."""
        if len(node.args) == 1 and not node.keywords and isinstance(node.func, ast.Name):
            if isinstance(node.args[0], ast.GeneratorExp):
                made = self._comprehension(node.args[0], "items_of")
                if made is not None:
                    node.args = [made]
                    return node
        return self.generic_visit(node)

    def _comprehension(self, node: Any, operator: str) -> ast.expr | None:
        generator = node.generators[0]
        names = _target_names(generator.target)
        if len(node.generators) > 1 or names is None or generator.is_async:
            return None
        if any(isinstance(each, ast.NamedExpr) for each in ast.walk(node)):
            return None
        parameters = names[1]
        test = ast.Constant(None)
        if generator.ifs:
            tests = generator.ifs
            joined = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), list(tests))
            test = _thunk(joined, parameters)
        made = _call(
            operator,
            generator.iter,
            _thunk(node.elt, parameters),
            test,
            ast.Constant(names[0]),
        )
        ast.copy_location(made, node)
        ast.fix_missing_locations(made)
        return self.generic_visit(made)  # type: ignore[return-value]

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        """Generators are not converted.

        Raises:
            Unsupported: always.
        """
        raise Unsupported("`yield`", node)

    visit_YieldFrom = visit_Await = visit_Yield  # type: ignore[assignment]

    def visit_Match(self, node: ast.Match) -> Any:
        """`match` by values and names becomes `if` and `elif`."""
        subject = self.name("subject")
        chain: list[ast.stmt] = []
        for case in reversed(node.cases):
            test, bound = _pattern(case.pattern, subject)
            body = [*bound, *case.body]
            if case.guard is not None:
                if bound:
                    raise Unsupported("a `case` that binds a name and has a guard", case.pattern)
                parts = [test, case.guard] if test is not None else [case.guard]
                test = parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)
            if test is None:
                chain = body
            else:
                chain = [ast.copy_location(ast.If(test, body, chain), case.pattern)]
        made = [_assign(subject, node.subject), *chain]
        for each in made:
            ast.copy_location(each, node)
            ast.fix_missing_locations(each)
        return list(self._block(made))


class _Breaks(ast.NodeTransformer):
    """Notes in a variable that a loop is left by `break`."""

    def __init__(self, name: str) -> None:
        self.variable = name

    def visit_Break(self, node: ast.Break) -> Any:
        """Sets the variable first."""
        noted = ast.copy_location(_assign(self.variable, ast.Constant(False)), node)
        return [ast.fix_missing_locations(noted), node]

    def visit_For(self, node: ast.For) -> ast.AST:
        """A loop inside has breaks of its own, but not in its `else`."""
        node.orelse = [self.visit(each) for each in node.orelse]
        return node

    visit_While = visit_For  # type: ignore[assignment]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Belongs to no loop outside."""
        return node


class _After(ast.NodeTransformer):
    """See `after`."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """What stands inside of another conditional expression."""
        self.generic_visit(node)
        made = _call("if_exp", node.test, _thunk(node.body), _thunk(node.orelse))
        return ast.copy_location(ast.fix_missing_locations(ast.copy_location(made, node)), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Sizes that are not known yet."""
        self.generic_visit(node)
        if len(node.ops) != 1 or type(node.ops[0]) not in _SYMBOLS:
            return node
        symbol = ast.Constant(_SYMBOLS[type(node.ops[0])])
        made = _call("compare", symbol, node.left, node.comparators[0])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An entry of a list by a number that is not known yet."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or isinstance(
            node.slice, ast.Constant | ast.Slice | ast.Tuple
        ):
            return node
        made = _call("get_item", node.value, node.slice)
        return ast.fix_missing_locations(ast.copy_location(made, node))


def _walk_here(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes below, without those of functions that are defined there."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _FUNCTIONS):
            yield from _walk_here(child)


def _changed_by(call: ast.Call) -> Iterator[str]:
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr in _CHANGES:
        if isinstance(function.value, ast.Name):
            yield function.value.id
    called = getattr(function, "attr", getattr(function, "id", ""))
    if called == "array_write":
        third = call.args[2:3] + [k.value for k in call.keywords if k.arg == "array"]
        yield from (each.id for each in third if isinstance(each, ast.Name))


def _local_names(function: ast.FunctionDef) -> set[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    names = {each.arg for each in every}
    foreign: set[str] = set()
    for statement in function.body:
        for node in _walk_here(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            if isinstance(node, ast.Global | ast.Nonlocal):
                foreign.update(node.names)
    return names - foreign


def _list_names(function: ast.FunctionDef) -> set[str]:
    """Names that are given a list, or changed as only lists are."""
    names: set[str] = set()
    for node in (n for statement in function.body for n in _walk_here(statement)):
        if isinstance(node, ast.Call):
            names.update(_changed_by(node))
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.ListComp):
            names.update(t.id for t in node.targets if isinstance(t, ast.Name))
    return names


def _target_names(target: ast.expr) -> tuple[bool, list[str]] | None:
    """Whether an item is taken apart, and the names it goes to."""
    if isinstance(target, ast.Name):
        return False, [target.id]
    if isinstance(target, ast.Tuple) and all(isinstance(e, ast.Name) for e in target.elts):
        return True, [e.id for e in target.elts]  # type: ignore[attr-defined]
    return None


class _Hoist(ast.NodeTransformer):
    """Takes `name := value` out of an expression, where it is always computed."""

    def __init__(self) -> None:
        self.found: list[ast.stmt] = []

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        """Becomes the name; its assignment goes before the statement."""
        self.generic_visit(node)
        made = _assign(node.target.id, node.value)
        ast.copy_location(made, node)
        self.found.append(ast.fix_missing_locations(made))
        return ast.copy_location(_load(node.target.id), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Only the first operand is computed in any case."""
        node.values[0] = self.visit(node.values[0])
        for each in node.values[1:]:
            _refuse_named(each)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Only the test is computed in any case."""
        node.test = self.visit(node.test)
        _refuse_named(node.body)
        _refuse_named(node.orelse)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Has variables of its own."""
        return node

    visit_ListComp = visit_SetComp = visit_Lambda  # type: ignore[assignment]
    visit_DictComp = visit_GeneratorExp = visit_Lambda  # type: ignore[assignment]


def _refuse_named(node: ast.AST) -> None:
    for each in ast.walk(node):
        if isinstance(each, ast.NamedExpr):
            raise Unsupported("`:=` where it may not be reached", each)


def _hoist_from(node: ast.AST, field: str) -> list[ast.stmt]:
    value = getattr(node, field, None)
    if not isinstance(value, ast.expr) or not any(
        isinstance(each, ast.NamedExpr) for each in ast.walk(value)
    ):
        return []
    hoist = _Hoist()
    setattr(node, field, hoist.visit(value))
    return hoist.found


def _hoist(statement: ast.stmt) -> list[ast.stmt]:
    return [
        made for field in ("test", "value", "subject") for made in _hoist_from(statement, field)
    ]


def _pattern(pattern: ast.AST, subject: str) -> tuple[ast.expr | None, list[ast.stmt]]:
    """Returns the test of a `case`, `None` if it always holds, and what it binds."""
    if isinstance(pattern, ast.MatchValue):
        return ast.Compare(_load(subject), [ast.Eq()], [pattern.value]), []
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Compare(_load(subject), [ast.Is()], [ast.Constant(pattern.value)]), []
    if isinstance(pattern, ast.MatchOr):
        tests = [_pattern(each, subject) for each in pattern.patterns]
        if all(test is not None and not bound for test, bound in tests):
            return ast.BoolOp(ast.Or(), [t for t, _ in tests if t is not None]), []
    if isinstance(pattern, ast.MatchAs):
        test, bound = (None, [])
        if pattern.pattern is not None:
            test, bound = _pattern(pattern.pattern, subject)
        if pattern.name is not None:
            bound = [*bound, _assign(pattern.name, _load(subject))]
        return test, bound
    raise Unsupported("a `case` that takes a value apart", pattern)
