# What functions of Python say of themselves: their annotations as types of plumb, and their docstrings. First of the three parts of the text that
# runs them; knows nothing of the rest of this project.
import collections.abc, dataclasses, datetime, decimal, enum, functools, inspect, json, os, pathlib, queue, re, sys, threading, traceback
import types, typing, uuid

ANY = {"kind": "json"}
PLAIN = {str: "string", int: "int", float: "number", bool: "bool", type(None): "unit", None: "unit"}
LISTS = (list, set, frozenset, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection, collections.deque)
MAPS = (dict, collections.abc.Mapping, collections.abc.MutableMapping, collections.OrderedDict, collections.defaultdict)
#: Classes that are made of a string.
TEXTS = {
    datetime.datetime: lambda text: datetime.datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text),
    **{of: of.fromisoformat for of in (datetime.date, datetime.time)},
    **{of: of for of in (uuid.UUID, pathlib.Path, pathlib.PurePath)},
}
UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))
#: Names of classes that no JSON is made to, or that are made to none, as they are met.
STRANGE = []
#: What one parameter is made of: where it is too much, no more is said of it.
NODES = []


def is_model(of):
    return isinstance(of, type) and hasattr(of, "model_validate") and hasattr(of, "model_fields")


def is_a(of, *classes):
    return isinstance(of, type) and issubclass(of, classes)


def is_named_tuple(of):
    return is_a(of, tuple) and hasattr(of, "_fields")


def is_typed_dict(of):
    return is_a(of, dict) and hasattr(of, "__required_keys__")


def function_of(value):
    """What has the annotations and the docstring of something that can be called."""
    while isinstance(value, functools.partial):
        value = value.func
    return value if hasattr(value, "__name__") else type(value).__call__


#: By the ids of what they are of, which is kept with them.
HINTS = {}


def hints(of):
    """Annotations by their names, resolved; one that cannot be says nothing."""
    if id(of) not in HINTS:
        HINTS[id(of)] = (of, read_hints(of))
    return HINTS[id(of)][1]


def read_hints(of):
    try:
        return typing.get_type_hints(of, include_extras=True)
    except Exception:
        pass
    module = sys.modules.get(getattr(of, "__module__", None))
    known = {}
    try:
        written = dict(getattr(of, "__annotations__", {}))
    except Exception:
        written = {}
    for name, hint in written.items():
        alone = types.SimpleNamespace(__annotations__={name: hint})
        try:
            known.update(typing.get_type_hints(alone, getattr(of, "__globals__", vars(module) if module else {}), include_extras=True))
        except Exception:
            continue
    return known


def opened(of):
    """Behind what is only another name of it, or a word about it."""
    for _ in range(20):
        origin = typing.get_origin(of)
        if origin is typing.Annotated or getattr(origin, "__name__", "") in ("Required", "NotRequired", "ReadOnly", "Untrusted", "Secret"):
            of = typing.get_args(of)[0]
        elif hasattr(of, "__supertype__"):
            of = of.__supertype__
        elif type(of).__name__ == "TypeAliasType":
            of = of.__value__
        elif type(origin).__name__ == "TypeAliasType":
            of = origin.__value__
        elif dataclasses.is_dataclass(origin) or is_typed_dict(origin):
            of = origin
        else:
            break
    return of


def type_of(of, gives=False, inside=()):
    """`gives`: it is of a result, and not of an argument."""
    of = opened(of)
    NODES.append(of)
    try:
        if of in inside or len(inside) > 20 or len(NODES) > 5000:
            return ANY
        if of is typing.Any or of is object:
            return ANY
        if of in PLAIN:
            return {"kind": PLAIN[of]}
    except TypeError:
        return ANY
    within = (*inside, of)
    origin, args = typing.get_origin(of), typing.get_args(of)

    def each(one):
        return type_of(one, gives, within)

    def record(fields):
        return {"kind": "record", "fields": [{"name": n, "type": each(of), "isOptional": o} for n, of, o in fields]}

    if origin is typing.Literal:
        return union([literal(value) for value in args])
    if origin in UNIONS:
        return union([each(arg) for arg in args])
    base = origin or of
    if base in LISTS:
        if gives and base in (set, frozenset, collections.deque):
            STRANGE.append(base.__name__)
        return {"kind": "array", "item": each(args[0]) if args else ANY}
    if base is tuple:
        if not args or (len(args) == 2 and args[1] is Ellipsis):
            return {"kind": "array", "item": each(args[0]) if args else ANY}
        return {"kind": "tuple", "items": [each(arg) for arg in args]}
    if base in MAPS:
        return {"kind": "map", "item": each(args[1]) if len(args) == 2 else ANY}
    if is_named_tuple(of):
        known = hints(of)
        items = [(name, known.get(name, typing.Any), name in of._field_defaults) for name in of._fields]
        listed = {"kind": "tuple", "items": [each(hint) for _, hint, _ in items]}
        return listed if gives else union([listed, record(items)])
    if is_typed_dict(of):
        return record([(name, hint, is_optional(of, name, hint)) for name, hint in hints(of).items()])
    if dataclasses.is_dataclass(of):
        known = hints(of)
        return record([(f.name, known.get(f.name, typing.Any), has_default(f)) for f in dataclasses.fields(of) if f.init])
    if is_model(of):
        return model(of, gives, each, record)
    if is_a(of, enum.Enum):
        return union([literal(member) for member in of])
    if is_a(of, str, int, float):
        return each(next(kind for kind in (str, int, float) if issubclass(of, kind)))
    if of in TEXTS and not gives:
        return {"kind": "string"}
    if isinstance(of, type) and of is not decimal.Decimal and not is_open(of):
        STRANGE.append(of.__name__)
    return ANY


def is_open(of):
    """A value of JSON may be one: `object`, protocols and the like."""
    if getattr(of, "_is_protocol", False):
        return True
    try:
        return any(issubclass(kind, of) for kind in (str, int, float, bool, list, dict, type(None)))
    except TypeError:
        return True


def is_optional(of, name, hint):
    word = getattr(typing.get_origin(hint), "__name__", "")
    return word == "NotRequired" or (word != "Required" and name not in of.__required_keys__)


def model(of, gives, each, record):
    """A model of pydantic, with the names that its fields have in JSON."""
    try:
        of.model_rebuild(raise_errors=False)
    except Exception:
        pass
    before = len(STRANGE)
    if "root" in of.model_fields:
        made = each(of.model_fields["root"].annotation)
    else:
        fields = [(alias(name, f, gives), f.annotation, not gives and not f.is_required()) for name, f in of.model_fields.items()]
        if gives:
            fields += [(f.alias or name, f.return_type, False) for name, f in of.model_computed_fields.items()]
        made = {**record(fields), "isOpen": of.model_config.get("extra") == "allow"}
    # It knows itself how its fields are written.
    del STRANGE[before:]
    return made


def alias(name, field, gives):
    told = field.serialization_alias if gives else field.validation_alias
    told = getattr(told, "choices", [told])[0]
    return told if isinstance(told, str) else field.alias or name


def has_default(field):
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def literal(value):
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, str):
        return {"kind": "literal", "value": value}
    return {"kind": PLAIN[type(value)]} if type(value) in PLAIN else ANY


def union(variants):
    different = [one for i, one in enumerate(variants) if one not in variants[:i]]
    return ANY if ANY in different or not different else different[0] if len(different) == 1 else {"kind": "sum", "variants": different}


# --- docstrings, of Google, NumPy and reST

HEAD = re.compile(r"(args|arguments|parameters|params|keyword args|keyword arguments|other parameters)\s*:?\s*$", re.I)
SECTION = re.compile(r"(returns?|raises?|yields?|examples?|notes?|attributes|see also|warnings?|warns|references|todo)\s*:?\s*$", re.I)
ITEM = re.compile(r"\s*[*]{0,2}(\w+)\s*(?:\(([^)]*)\)\s*:|:)\s*(.*)$")
FIELD = re.compile(r"\s*:(?:param|parameter|arg|argument|type)\b\s*([^:]*?)\s*(\w+)\s*:\s*(.*)$")
WORDS = {"str": str, "string": str, "int": int, "integer": int, "float": float, "number": float, "bool": bool, "boolean": bool, "list": list}
WORDS["dict"] = dict


def documented(text):
    """The first paragraph, and what is said of parameters: their texts, and the types of those words that name one."""
    lines = text.splitlines()
    end = next((i for i, line in enumerate(lines) if not line.strip() or is_head(line)), len(lines))
    told, kinds, at, in_list = {}, {}, None, False

    def says(name, kind, words):
        if kind.split(",")[0].strip() in WORDS:
            kinds[name] = WORDS[kind.split(",")[0].strip()]
        told.setdefault(name, [])
        if words:
            told[name].append(words)
        return name

    indent = 0
    for i, line in enumerate(lines):
        below = lines[i + 1].strip() if i + 1 < len(lines) else ""
        if field := FIELD.match(line):
            is_type = line.lstrip().startswith(":type")
            at = says(field[2], field[3] if is_type else field[1], "" if is_type else field[3])
            indent = len(line) - len(line.lstrip())
        elif HEAD.match(line.strip()):
            in_list, at, indent = True, None, -1
        elif SECTION.match(line.strip()) or line.lstrip().startswith(":"):
            in_list, at = False, None
        elif not line.strip() or set(line.strip()) == {"-"}:
            continue
        elif in_list and (indent < 0 or len(line) - len(line.lstrip()) <= indent):
            indent = len(line) - len(line.lstrip())
            item = ITEM.match(line)
            numpy = indent == 0 and item
            at = (says(item[1], item[3], "") if numpy else says(item[1], item[2] or "", item[3])) if item else None
            if not item and re.fullmatch(r"\s*\w+\s*", line):
                at = says(line.strip(), "", "")
        elif at:
            told[at].append(line.strip())
    return " ".join(" ".join(lines[:end]).split()), {name: " ".join(words) for name, words in told.items() if words}, kinds


def is_head(line):
    return line.lstrip().startswith((":param", ":return", ":raises", ":type", "@param")) or HEAD.match(line.strip()) or SECTION.match(line.strip())


# --- functions


def start():
    STRANGE.clear()
    NODES.clear()


def parameter(p, known, described, kinds):
    of = known.get(p.name, kinds.get(p.name, typing.Any))
    # None is the default of what need not be given, also where the annotation does not say so.
    if p.default is None and of is not typing.Any:
        of = typing.Optional[of]
    start()
    told = {"name": p.name, "kind": p.kind.name, "hasDefault": p.default is not p.empty, "type": type_of(of)}
    if p.name in described:
        told["description"] = described[p.name]
    return {**told, **({"strange": STRANGE[0]} if STRANGE else {})}


def said(function):
    known = hints(function_of(function))
    summary, described, kinds = documented(inspect.getdoc(function_of(function)) or "")
    parameters = [parameter(p, known, described, kinds) for p in inspect.signature(function).parameters.values()]
    told = {"parameters": parameters, "description": summary, "isAsync": is_async(function)}
    if "return" in known:
        start()
        told["output"] = type_of(known["return"], True)
        if STRANGE:
            told["strange"] = STRANGE[0]
    return told


def is_async(function):
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(function_of(function))


def is_function(value):
    return callable(value) and not isinstance(value, type) and type(value).__module__ not in ("typing", "typing_extensions")
