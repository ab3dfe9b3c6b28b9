# Arguments of JSON as annotations have them, and results as JSON. Second part of the text that runs functions of Python.

MAX_JSON = 16 * 1024 * 1024
ADAPTERS = {}


class Unfit(Exception):
    """An argument is not what its annotation asks for."""


def found(value):
    kind = "null" if value is None else {bool: "bool", int: "int", float: "number", str: "string", list: "array"}.get(type(value), "object")
    return f"{kind} {json.dumps(value)[:60]}" if kind in ("int", "number", "string", "bool") else kind


def unfit(at, expected, value):
    return Unfit(f"{at} expected {expected}, found {found(value)}".strip())


def asks_pydantic(of, depth=0):
    """Something of pydantic is in it, which then makes all of it."""
    if "pydantic" not in sys.modules or depth > 8:
        return False
    if is_model(of) or hasattr(of, "__is_pydantic_dataclass__"):
        return True
    if typing.get_origin(of) is typing.Annotated:
        if any(type(word).__module__.split(".")[0] in ("pydantic", "annotated_types") for word in of.__metadata__):
            return True
    elif type(of).__name__ == "TypeAliasType":
        return asks_pydantic(of.__value__, depth + 1)
    return any(asks_pydantic(arg, depth + 1) for arg in typing.get_args(of))


def validated(value, of, at):
    import pydantic

    if id(of) not in ADAPTERS:
        # The annotation is kept, so that its id stays its own.
        ADAPTERS[id(of)] = (of, of.model_validate_json if is_model(of) else pydantic.TypeAdapter(of).validate_json)
    try:
        return ADAPTERS[id(of)][1](json.dumps(value))
    except pydantic.ValidationError as error:
        raise Unfit("; ".join(flaws(error, at))) from None


def flaws(error, at=""):
    told = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{'.'.join(map(str, filter(lambda part: part != '', (at, *one['loc']))))} {one['msg']}".strip() for one in told[:5]]
    return lines + ([f"and {len(told) - 5} more"] if len(told) > 5 else [])


def made(value, of, at=""):
    """The value as its annotation has it: dataclasses, models, sets, dates and so on are made of it."""
    if asks_pydantic(of):
        return validated(value, of, at)
    of = opened(of)
    origin, args = typing.get_origin(of), typing.get_args(of)
    if of is typing.Any or of is object or isinstance(of, typing.TypeVar):
        return value
    if origin is typing.Literal:
        for one in args:
            told = one.value if isinstance(one, enum.Enum) else one
            if told == value and type(told) is type(value):
                return one
        raise unfit(at, " | ".join(map(repr, args)), value)
    if origin in UNIONS:
        return made_of_one(value, args, at)
    base = origin or of
    if base in LISTS or base is tuple:
        return made_list(value, base, args, at)
    if base in MAPS:
        if not isinstance(value, dict):
            raise unfit(at, "an object", value)
        items = {key: made(item, args[1], join(at, key)) for key, item in value.items()} if len(args) == 2 else value
        return collections.OrderedDict(items) if base is collections.OrderedDict else items
    if isinstance(of, type):
        return made_class(value, of, at)
    return value


def join(at, part):
    return f"{at}.{part}" if at else str(part)


def made_of_one(value, variants, at):
    first = None
    # What is one as it stands comes before what would be made of it.
    for one in sorted(variants, key=lambda one: not is_it(value, opened(one))):
        try:
            return made(value, one, at)
        except Unfit as error:
            first = first or error
    raise first


def is_it(value, of):
    return of is type(value) or (of is float and type(value) is int) or (value is None and of is None)


def made_list(value, base, args, at):
    if not isinstance(value, list):
        raise unfit(at, "an array", value)
    if base is tuple and args and not (len(args) == 2 and args[1] is Ellipsis):
        if len(value) != len(args):
            raise unfit(at, f"an array of {len(args)}", value)
        return tuple(made(item, arg, join(at, i)) for i, (item, arg) in enumerate(zip(value, args)))
    items = [made(item, args[0], join(at, i)) for i, item in enumerate(value)] if args else value
    try:
        return base(items) if base in (tuple, set, frozenset, collections.deque) else items
    except TypeError as error:
        raise Unfit(f"{at} {error}".strip()) from None


def made_class(value, of, at):
    if of is type(None):
        if value is not None:
            raise unfit(at, "null", value)
        return None
    if of is bool or of is str:
        if type(value) is not of:
            raise unfit(at, PLAIN[of], value)
        return value
    if of is int or of is float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or (of is int and value != value // 1):
            raise unfit(at, PLAIN[of], value)
        # 1.0 is a whole number too.
        return int(value) if of is int else value
    if is_named_tuple(of):
        known = hints(of)
        if isinstance(value, list) and len(value) == len(of._fields):
            value = dict(zip(of._fields, value))
        needed = [name for name in of._fields if name not in of._field_defaults]
        return of(**fields(value, {name: known.get(name, typing.Any) for name in of._fields}, needed, at))
    if is_typed_dict(of):
        known = hints(of)
        return fields(value, known, [name for name, hint in known.items() if not is_optional(of, name, hint)], at)
    if dataclasses.is_dataclass(of):
        known, own = hints(of), [field for field in dataclasses.fields(of) if field.init]
        needed = [field.name for field in own if not has_default(field)]
        return constructed(lambda given: of(**given), fields(value, {f.name: known.get(f.name, typing.Any) for f in own}, needed, at), at)
    if is_a(of, enum.Enum):
        for member in of:
            if member.value == value and type(member.value) is type(value):
                return member
        raise unfit(at, " | ".join(json.dumps(member.value, default=repr) for member in of), value)
    if of in TEXTS:
        if not isinstance(value, str):
            raise unfit(at, "string", value)
        return constructed(TEXTS[of], value, at)
    if of is decimal.Decimal:
        return constructed(lambda given: decimal.Decimal(str(given)), value, at)
    if is_a(of, str, int, float):
        return constructed(of, value, at)
    return value


def fields(value, known, needed, at):
    if not isinstance(value, dict):
        raise unfit(at, "an object", value)
    for name in needed:
        if name not in value:
            raise Unfit(f"{join(at, name)} is missing")
    for name in value:
        if name not in known:
            raise Unfit(f"{join(at, name)} is no field; there are {', '.join(known)}")
    return {name: made(item, known[name], join(at, name)) for name, item in value.items()}


def constructed(make, value, at):
    try:
        return make(value)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise Unfit(f"{at} {type(error).__name__}: {error}".strip()) from None


#: By the ids of functions.
SHAPES = {}


def shape(function):
    if id(function) not in SHAPES:
        SHAPES[id(function)] = (list(inspect.signature(function).parameters.values()), hints(function_of(function)))
    return SHAPES[id(function)]


def arguments(function, value, by_fields):
    parameters, known = shape(function)

    def argument(p, given):
        if given is None and p.default is None:
            return None
        return made(given, known.get(p.name, typing.Any), p.name)

    if not by_fields:
        positional = [p for p in parameters if p.kind is not p.VAR_KEYWORD][:1]
        if not positional:
            return [], {}
        if positional[0].kind is positional[0].KEYWORD_ONLY:
            return [], {positional[0].name: argument(positional[0], value)}
        return [argument(positional[0], value)], {}
    left, named, given = [], {}, dict(value)
    last = max((i for i, p in enumerate(parameters) if p.kind is p.POSITIONAL_ONLY and p.name in given), default=-1)
    for i, p in enumerate(parameters):
        if p.kind is p.POSITIONAL_ONLY and i <= last:
            left.append(argument(p, given.pop(p.name)) if p.name in given else p.default)
        elif p.name in given and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            named[p.name] = argument(p, given.pop(p.name))
    # An open record has more fields than parameters.
    return left, {**named, **(given if any(p.kind is p.VAR_KEYWORD for p in parameters) else {})}


# --- results


class NotJson(Exception):
    """A result, or the part of it at the path `at` (the last first), is no JSON."""

    def __init__(self, what, remedy=""):
        self.what, self.remedy, self.at = what, remedy, []

    def __str__(self):
        place = "" if len(self.at) > 50 else "".join(f"/{part}" for part in reversed(self.at))[:200]
        return f"{self.what}{place and f' at {place!r}'}{self.remedy}"


REMEDIES = {
    **{name: "give a list" for name in ("set", "frozenset", "generator", "range", "map", "filter", "zip", "dict_keys", "dict_values", "ndarray")},
    **{name: "give text" for name in ("bytes", "bytearray", "memoryview", "PosixPath", "UUID", "Decimal")},
    **{name: "give its isoformat()" for name in ("datetime", "date", "time")},
    "async_generator": "give a list",
    "coroutine": "await it",
    "complex": "give a list of two numbers",
}


def plain(value, depth=0):
    """As JSON has it. Raises for what is none."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise NotJson(f"{value} is not a JSON number")
        return float(value)
    if depth >= 512:
        raise NotJson("it is nested more than 512 deep, or holds itself")
    if isinstance(value, enum.Enum):
        return plain(value.value, depth)
    if is_model(type(value)):
        return plain(value.model_dump(mode="json", by_alias=True), depth)
    whole, key = {}, None
    if isinstance(value, (list, tuple)):
        whole, parts = [], enumerate(value)
    elif isinstance(value, dict):
        parts = value.items()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    else:
        name = type(value).__name__
        raise NotJson(f"it is of type {name}", f": {REMEDIES[name]}" if name in REMEDIES else "")
    try:
        for key, item in parts:
            item = plain(item, depth + 1)
            if isinstance(whole, list):
                whole.append(item)
            elif isinstance(key, str):
                whole[key.value if isinstance(key, enum.Enum) else key] = item
            else:
                raise NotJson(f"it has a key of type {type(key).__name__}", ": keys are text")
    except NotJson as error:
        error.at.append(key)
        raise
    return whole


def text_of(result):
    try:
        value = plain(result)
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise NotJson("it is nested too deep, or holds itself") from None
    # Half a character stays an escape.
    length = len(text.encode("utf-8", "backslashreplace"))
    if length > MAX_JSON:
        raise NotJson(f"it is {length} bytes long, more than {MAX_JSON}: give less, or write it to a file")
    return text.encode("utf-8", "backslashreplace").decode()
