# Runs the functions of one file of Python, warm: asked by lines on descriptor 4, answered by lines on 5; 0 is empty, and what is printed goes to
# stderr. It comes as the text of `python3 -c`, with the file as its argument. Knows nothing of the rest of this project.
import asyncio, collections.abc, dataclasses, importlib.util, inspect, json, os, sys, threading, traceback, types, typing

REQUESTS, ANSWERS = 4, 5
FILE = sys.argv[1]
OWN = os.getpid()
for fd in (REQUESTS, ANSWERS):
    os.set_inheritable(fd, False)
nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(nothing, 0)
os.dup2(2, 1)
sys.dont_write_bytecode = True
sys.argv = [FILE]
sys.path[0] = os.path.dirname(FILE)


def write(value):
    # What a function has forked answers nothing.
    if os.getpid() != OWN:
        os._exit(0)
    rest = memoryview((json.dumps(value) + "\n").encode())
    while rest:
        rest = rest[os.write(ANSWERS, rest) :]


def place(error):
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != "<string>"]
    return f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""


def words(error):
    try:
        text = str(error)
    except BaseException:
        text = "something that cannot be shown"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


LATE = (TimeoutError, asyncio.TimeoutError)


def thrown(error):
    causes, at, seen = [], error, set()
    while isinstance(at, BaseException) and id(at) not in seen and len(causes) < 8:
        seen.add(id(at))
        code = "ETIMEDOUT" if isinstance(at, LATE) else "ECONNRESET" if isinstance(at, ConnectionError) else ""
        causes.append({"name": type(at).__name__, "code": code, "message": words(at)})
        reason = getattr(at, "reason", None)
        at = reason if isinstance(reason, BaseException) else at.__cause__
    told = {"message": words(error) + place(error), "causes": causes}
    code, category = getattr(error, "error", None), getattr(error, "category", None)
    if isinstance(code, str) and isinstance(category, str):
        detail = getattr(error, "detail", None)
        fields = getattr(error, "fields", None)
        more = {k: v for k, v in fields.items() if isinstance(v, (str, bool, int, float))} if isinstance(fields, dict) else {}
        told["reported"] = {**more, "error": code, "category": category, "detail": detail if isinstance(detail, str) else str(error)}
    return told


# --- types, as plumb has them


def is_model(of):
    return isinstance(of, type) and hasattr(of, "model_validate") and hasattr(of, "model_fields")


def hints(of):
    try:
        return typing.get_type_hints(of)
    except Exception:
        return dict(getattr(of, "__annotations__", {}))


ANY = {"kind": "json"}
PLAIN = {str: "string", int: "int", float: "number", bool: "bool", type(None): "unit", None: "unit"}


def type_of(of, inside=()):
    if of in inside or len(inside) > 20:
        return ANY
    try:
        if of in PLAIN:
            return {"kind": PLAIN[of]}
    except TypeError:
        return ANY
    within = (*inside, of)
    origin, args = typing.get_origin(of), typing.get_args(of)
    if origin is typing.Annotated:
        return type_of(args[0], inside)
    if getattr(origin, "__name__", "") in ("Required", "NotRequired", "Untrusted", "Secret") and args:
        return type_of(args[0], within)
    if origin is typing.Literal:
        if all(isinstance(value, str) for value in args):
            return union([{"kind": "literal", "value": value} for value in args])
        return ANY
    if origin is typing.Union or origin is getattr(types, "UnionType", typing.Union):
        return union([type_of(arg, within) for arg in args])
    if origin in (list, set, frozenset, collections.abc.Sequence, collections.abc.Iterable) or of is list:
        return {"kind": "array", "item": type_of(args[0], within) if args else ANY}
    if origin is tuple or of is tuple:
        if not args or (len(args) == 2 and args[1] is Ellipsis):
            return {"kind": "array", "item": type_of(args[0], within) if args else ANY}
        return {"kind": "tuple", "items": [type_of(arg, within) for arg in args]}
    if origin in (dict, collections.abc.Mapping) or of is dict:
        return {"kind": "map", "item": type_of(args[1], within) if len(args) == 2 else ANY}
    if typing.is_typeddict(of):
        return record([(name, hint, name not in of.__required_keys__) for name, hint in hints(of).items()], within)
    if dataclasses.is_dataclass(of):
        known = hints(of)
        return record([(f.name, known.get(f.name, f.type), has_default(f)) for f in dataclasses.fields(of) if f.init], within)
    if is_model(of):
        fields = of.model_fields.items()
        return record([(field.alias or name, field.annotation, not field.is_required()) for name, field in fields], within)
    return ANY


def has_default(field):
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def union(variants):
    return ANY if ANY in variants else variants[0] if len(variants) == 1 else {"kind": "sum", "variants": variants}


def record(fields, within):
    return {"kind": "record", "fields": [{"name": n, "type": type_of(of, within), "isOptional": o} for n, of, o in fields]}


def said(function):
    known = hints(function)
    parameters = [
        {"name": p.name, "kind": p.kind.name, "hasDefault": p.default is not p.empty, "type": type_of(known[p.name]) if p.name in known else ANY}
        for p in inspect.signature(function).parameters.values()
    ]
    text = inspect.getdoc(function) or ""
    told = {"parameters": parameters, "description": " ".join(text.split("\n\n")[0].split())}
    return {**told, "isAsync": is_async(function), **({"output": type_of(known["return"])} if "return" in known else {})}


def is_async(function):
    return inspect.iscoroutinefunction(function)


def is_function(value):
    return callable(value) and not isinstance(value, type) and hasattr(value, "__name__")


# --- values


def made(value, of):
    """The value as its annotation has it: dataclasses and models are made of it."""
    origin, args = typing.get_origin(of), typing.get_args(of)
    if origin is typing.Annotated:
        return made(value, args[0])
    if origin is typing.Union or origin is getattr(types, "UnionType", typing.Union):
        for arg in args:
            if (dataclasses.is_dataclass(arg) or is_model(arg)) and isinstance(value, dict):
                try:
                    return made(value, arg)
                except Exception:
                    continue
            if typing.get_origin(arg) in (list, dict, tuple) and isinstance(value, (list, dict)):
                return made(value, arg)
        return value
    if isinstance(value, list):
        if origin in (list, collections.abc.Sequence, collections.abc.Iterable) and args:
            return [made(item, args[0]) for item in value]
        if origin is tuple and args:
            each = [args[0]] * len(value) if len(args) == 2 and args[1] is Ellipsis else args
            return tuple(made(item, arg) for item, arg in zip(value, each))
        return tuple(value) if of is tuple else value
    if isinstance(value, dict):
        if origin in (dict, collections.abc.Mapping) and len(args) == 2:
            return {key: made(item, args[1]) for key, item in value.items()}
        if isinstance(of, type) and dataclasses.is_dataclass(of):
            known = hints(of)
            return of(**{key: made(item, known.get(key)) for key, item in value.items()})
        if is_model(of):
            return of.model_validate(value)
        if typing.is_typeddict(of):
            known = hints(of)
            return {key: made(item, known.get(key)) for key, item in value.items()}
    return value


class NotJson(Exception):
    pass


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
    if depth > 500:
        raise NotJson("it is nested too deep, or holds itself")
    if isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise NotJson(f"it has a key of type {type(key).__name__}")
        return {key: plain(item, depth + 1) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name), depth + 1) for field in dataclasses.fields(value)}
    if is_model(type(value)):
        return plain(value.model_dump(mode="json", by_alias=True), depth + 1)
    raise NotJson(f"it is of type {type(value).__name__}")


def text_of(result):
    try:
        value = plain(result)
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        # Half a character stays an escape.
        return text if all(not 0xD800 <= ord(char) < 0xE000 for char in text) else json.dumps(value, separators=(",", ":"))
    except RecursionError:
        raise NotJson("it is nested too deep, or holds itself") from None


def arguments(function, value, by_fields):
    parameters = list(inspect.signature(function).parameters.values())
    known = hints(function)
    if not by_fields:
        return [made(value, known.get(parameters[0].name))] if parameters else [], {}
    left, named = [], {}
    given = dict(value)
    for p in parameters:
        if p.name in given and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            argument = made(given.pop(p.name), known.get(p.name))
            if p.kind is p.POSITIONAL_ONLY:
                left.append(argument)
            else:
                named[p.name] = argument
    return left, {**named, **given}


# --- requests


async def answer(request, functions):
    key = request["id"]
    try:
        function = functions[request["name"]]
        left, named = arguments(function, request["input"], request["fields"])
        result = function(*left, **named)
        if inspect.isawaitable(result):
            result = await result
        line = {"id": key, "json": text_of(result)}
    except NotJson as error:
        line = {"id": key, "unfit": str(error)}
    except BaseException as error:
        line = {"id": key, **thrown(error)}
    write(line)


def load():
    name = os.path.splitext(os.path.basename(FILE))[0]
    spec = importlib.util.spec_from_file_location(name, FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return {name: value for name, value in vars(module).items() if is_function(value)}


async def main():
    try:
        functions = load()
        told = {}
        for name, function in functions.items():
            try:
                told[name] = said(function)
            except (TypeError, ValueError):
                continue
    except BaseException as error:
        write({"unloaded": words(error) + (place(error) if not isinstance(error, SyntaxError) else "")})
        os._exit(0)
    write({"functions": told})
    loop = asyncio.get_running_loop()
    requests = asyncio.Queue()

    def read():
        with os.fdopen(REQUESTS, "rb") as lines:
            for line in lines:
                loop.call_soon_threadsafe(requests.put_nowait, json.loads(line))
        # Nobody waits for anything any more.
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    running = {}
    while True:
        request = await requests.get()
        if "cancel" in request:
            task = running.get(request["cancel"])
            if task:
                task.cancel()
            continue
        task = loop.create_task(answer(request, functions))
        running[request["id"]] = task
        task.add_done_callback(lambda _, key=request["id"]: running.pop(key, None))


asyncio.run(main())
