# Runs the functions of one file of Python, warm: asked on descriptor 4, by a line about the call and a line with its input, and answered by lines
# on 5; 0 is empty, and what is printed goes to stderr. Last part of the text of `python3 -c`, with the file as its argument.

REQUESTS, ANSWERS = 4, 5
FILE = sys.argv[1]
OWN = os.getpid()
MAX_WORDS = 4000


def take_over():
    for fd in (REQUESTS, ANSWERS):
        os.set_inheritable(fd, False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.dont_write_bytecode = True
    sys.argv = [FILE]
    # As of a script: beside the file itself, where a link leads to it.
    sys.path[0] = os.path.dirname(os.path.realpath(FILE))


def write(value):
    # What a function has forked answers nothing.
    if os.getpid() != OWN:
        os._exit(0)
    # Half a character becomes an escape, as JSON has it.
    rest = memoryview((json.dumps(value, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
    while rest:
        rest = rest[os.write(ANSWERS, rest) :]


# --- errors


def place(error):
    """The last line in the file of the function or beside it, else the last of all."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    beside = [frame for frame in frames if os.path.dirname(os.path.realpath(frame.filename)) == sys.path[0]]
    at = (beside or frames)[-1:]
    return f" ({at[0].filename}:{at[0].lineno})" if at else ""


def words(error):
    try:
        if type(error).__name__ == "ValidationError" and hasattr(error, "errors"):
            text = "; ".join(flaws(error))
        else:
            text = str(error)
    except BaseException:
        text = "something that cannot be shown"
    inner = getattr(error, "exceptions", None)
    if isinstance(inner, (list, tuple)) and inner and isinstance(inner[0], BaseException):
        text += f": {words(inner[0])}{place(inner[0])}"
    return (f"{type(error).__name__}: {text}" if text else type(error).__name__)[:MAX_WORDS]


# Of libraries that ask over the network: classes of theirs that are no kind of ConnectionError or TimeoutError of Python.
LIBRARIES = ("requests", "urllib3", "httpx", "httpcore", "aiohttp", "websockets", "grpc", "botocore")
LATE = ("Timeout", "TimeoutException", "TimeoutError", "ServerTimeoutError", "ReadTimeoutError", "ConnectTimeoutError")
CUT = (
    *("ConnectionError", "ConnectError", "NetworkError", "RemoteProtocolError", "NewConnectionError", "ProtocolError", "MaxRetryError"),
    *("ClientConnectionError", "ClientConnectorError", "ServerDisconnectedError", "ConnectionClosed", "ConnectTimeout", "EndpointConnectionError"),
)
#: Errors of the operating system, by the names that they have elsewhere.
NUMBERS = ("ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "ETIMEDOUT", "EPIPE", "ENOTCONN", "EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH", "ENETDOWN")


def code_of(error):
    """As Node.js has it for errors that may pass."""
    names = {of.__name__ for of in type(error).__mro__ if of.__module__.split(".")[0] in LIBRARIES}
    if isinstance(error, TimeoutError) or names.intersection(LATE) or is_late(error):
        return "ETIMEDOUT"
    if isinstance(error, ConnectionError) or names.intersection(CUT):
        return "ECONNRESET"
    if isinstance(error, OSError):
        import errno, socket

        if isinstance(error, socket.gaierror):
            return "EAI_AGAIN"
        name = errno.errorcode.get(error.errno or 0, "")
        return name if name in NUMBERS else ""
    return ""


# Until Python 3.11 that of asyncio is a class of its own.
def is_late(error):
    late = getattr(sys.modules.get("asyncio"), "TimeoutError", None)
    return late is not None and isinstance(error, late)


def status_of(error):
    """Of an HTTP error of urllib, requests, httpx or aiohttp."""
    for status in (getattr(getattr(error, "response", None), "status_code", None), getattr(error, "status", None), getattr(error, "code", None)):
        if type(status) is int and 400 <= status < 600:
            return status
    return 0


def reported(error):
    """The error of plumb that it stands for, where it says one."""
    code, category = getattr(error, "error", None), getattr(error, "category", None)
    if isinstance(code, str) and isinstance(category, str):
        detail, fields = getattr(error, "detail", None), getattr(error, "fields", None)
        more = {k: v for k, v in fields.items() if isinstance(v, (str, bool, int, float))} if isinstance(fields, dict) else {}
        return {**more, "error": code, "category": category, "detail": detail[:MAX_WORDS] if isinstance(detail, str) else words(error)}
    if status_of(error) == 429:
        return {"error": "rate_limited", "category": "unavailable", "detail": words(error) + place(error)}
    if status_of(error) in (408, 502, 503, 504):
        return {"error": "connection_failed", "category": "unavailable", "detail": words(error) + place(error)}
    return None


def causes_of(error):
    causes, at, seen = [], error, set()
    while isinstance(at, BaseException) and id(at) not in seen and len(causes) < 8:
        seen.add(id(at))
        causes.append({"name": type(at).__name__, "code": code_of(at), "message": words(at)})
        reason, inner = getattr(at, "reason", None), getattr(at, "exceptions", None)
        at = reason if isinstance(reason, BaseException) else inner[0] if isinstance(inner, (list, tuple)) and inner else at.__cause__
    return causes


def thrown(error):
    try:
        told = {"message": words(error) + place(error), "causes": causes_of(error)}
        own = reported(error)
        return {**told, "reported": own} if own else told
    except BaseException:
        return {"message": f"{type(error).__name__}, which cannot be shown", "causes": []}


# --- requests


class Requests:
    """Those that have come, for the one thread that functions run in; coroutines go on while it waits for the next."""

    def __init__(self):
        self._come = queue.SimpleQueue()
        self._loop = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with os.fdopen(REQUESTS, "rb") as lines:
            while head := lines.readline():
                request = json.loads(head)
                self._come.put((request, b"" if "cancel" in request else lines.readline()))
                if self._loop:
                    self._loop.call_soon_threadsafe(self._loop.stop)
        # Nobody waits for anything any more.
        os._exit(0)

    def next(self):
        if self._loop is None:
            return self._come.get()
        while True:
            try:
                return self._come.get_nowait()
            except queue.Empty:
                self._run()

    def _run(self):
        try:
            self._loop.run_forever()
        except (KeyboardInterrupt, SystemExit):
            # Of a task that nobody waits for.
            traceback.print_exc()

    def loop(self):
        if self._loop is None or self._loop.is_closed():
            import asyncio

            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        return self._loop


def attempt(key, work):
    """Answers the call with what the work gives, or with why it gives nothing; unless that is to be awaited."""
    try:
        result = work()
        if inspect.isawaitable(result):
            return result
        line = {"id": key, "json": text_of(result)}
    except Unfit as error:
        line = {"id": key, "refused": str(error)[:MAX_WORDS]}
    except NotJson as error:
        line = {"id": key, "unfit": str(error)[:MAX_WORDS]}
    except BaseException as error:
        line = {"id": key, **thrown(error)}
    write(line)


async def awaited(key, result):
    try:
        value = await result
    except BaseException as error:
        write({"id": key, **thrown(error)})
    else:
        attempt(key, lambda: value)


def call(functions, request, line):
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unfit(f"Python cannot read it: {error}") from None
    function = functions[request["name"]]
    left, named = arguments(function, value, request["fields"])
    return function(*left, **named)


def serve(functions):
    requests, running = Requests(), {}
    while True:
        request, line = requests.next()
        if "cancel" in request:
            if request["cancel"] in running:
                running[request["cancel"]].cancel()
            continue
        key = request["id"]
        result = attempt(key, lambda: call(functions, request, line))
        if result is not None:
            task = requests.loop().create_task(awaited(key, result))
            running[key] = task
            task.add_done_callback(lambda _, key=key: running.pop(key, None))


def load():
    import importlib.util

    name = os.path.splitext(os.path.basename(FILE))[0]
    # A module of Python of that name stays what it is for all others.
    if name in getattr(sys, "stdlib_module_names", ()):
        name += "_"
    spec = importlib.util.spec_from_file_location(name, FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    known = {key: value for key, value in vars(module).items() if is_function(value)}
    # What is defined in the file comes before what it imports.
    return dict(sorted(known.items(), key=lambda item: getattr(item[1], "__module__", "") != name))


def why_not(error):
    told = words(error) + (place(error) if not isinstance(error, SyntaxError) else "")
    if isinstance(error, ModuleNotFoundError):
        told += f"; install it for {sys.executable}, or in a .venv beside the file"
    return told


def main():
    if sys.version_info < (3, 10):
        write({"unloaded": f"it needs Python 3.10 or later, and {sys.executable} is {sys.version.split()[0]}"})
        return
    take_over()
    try:
        functions = load()
        told = {}
        for name, function in functions.items():
            try:
                told[name] = said(function)
            except (TypeError, ValueError):
                continue
    except BaseException as error:
        write({"unloaded": why_not(error)})
        os._exit(0)
    write({"functions": told})
    serve(functions)


main()
