// The package for Python: calls, streams, conversations and errors of specs; functions as agents; and that type checkers take what is generated.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'
import { makeTestDirectory, TEST_PATH } from '../packages/wire/test/shell.js'

/** A Python that has mypy and pydantic, of scripts/install-others. */
const TYPED = join(process.env.PLUMB_OTHERS ?? '', 'typed/bin')
const PATH = existsSync(join(TYPED, 'python3')) ? `${TYPED}:${TEST_PATH}` : TEST_PATH
const ENV = { ...process.env, PATH, PYTHONPATH: join(process.cwd(), 'python'), PYTHONDONTWRITEBYTECODE: '1' }

const PYTHON = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0 ? false : 'no Python 3.10'
const MYPY = PYTHON || spawnSync('python3', ['-m', 'mypy', '--version'], { env: ENV }).status === 0 ? PYTHON : 'no mypy'

const run = (cwd: string, words: readonly string[], input = '') => {
  const [program = '', ...args] = words
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: ENV, input, encoding: 'utf8', timeout: scaled(60_000) })
  return { status, stdout, stderr }
}

const SPEC = `
type T = { n: int, t: untrusted string }
let twice : !T -> !T = map({ n: 2 * n, t })
let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }
let slow : !int -> !int = agent { command: ["sh", "-c", "while read l; do sleep 60; done"], amnesiac: true }
let dies : !int -> !int = agent { command: ["sh", "-c", "while read l; do [ $l = 9 ] && exit 3; echo $l; done"], amnesiac: true }
let text : !string -> !string = id
let many : !int -> !int = filter(value > 1)
let pairs : !int -> ![int] = batch(2)
let main : !T -> !T = twice
`

const SCRIPT = `
import asyncio, plumb

def told(work):
    try:
        return work()
    except plumb.PlumbError as error:
        return error.error, error.category

with plumb.open("s.plumb") as c:
    print(c.call("main", {"n": 2**50, "t": "x"}), c.call("main", {"n": 1, "t": "\\ud83d\\ude00"}))
    print([c.call("main", {"n": n, "t": ""})["n"] for n in range(3)])
    print(told(lambda: c.call("main", {"n": 1.5, "t": ""})), c.try_call("main", 1)["error"]["error"], c.try_call("main", {"n": 1, "t": ""})["ok"])
    print([c.try_call(name, 1)["error"]["detail"] for name in ("bot", "text")])
    print(c.call("many", 1), c.call("many", 5), told(lambda: c.call("mian", 1)))
    print([item.get("value", item.get("error", {}).get("error")) for item in c.stream("many", iter([1, 2, "x", 3]))])
    print([item["value"] for item in c.stream("pairs", [1, 2, 3])])
    print(c.call("bot", "Men are all alike"), "|", c.call("bot", "Men are all alike"))
    k = c.conversation("k")
    print(k.call("bot", "Men are all alike"), "|", k.call("bot", "Men are all alike"))
    print([item.get("event", {}).get("kind", "value") for item in c.stream("bot", ["hello"], events=["usage"])])
    print(told(lambda: c.call("slow", 1, timeout=0.2)))
    print([told(lambda: c.call("dies", n)) for n in (1, 9, 2)])
    for wrong in (float("nan"), {1: 2}, {1, 2}, b"x"):
        try:
            c.call("main", wrong)
        except (TypeError, ValueError) as error:
            print(type(error).__name__)
print(told(lambda: c.call("main", 1)))
print(told(lambda: plumb.open("none.plumb")), told(lambda: plumb.open("bad.plumb")), told(lambda: plumb.open("s.plumb", plumb="/no/plumb")))
print([d["code"] for d in plumb.check("bad.plumb")], {d["severity"] for d in plumb.check("s.plumb")}, plumb.call("s.plumb", {"n": 4, "t": ""})["n"])

async def later():
    async with await plumb.aio.open("s.plumb") as c:
        print([one["n"] for one in await asyncio.gather(*(c.call("main", {"n": n, "t": ""}) for n in range(3)))])
        async def inputs():
            for n in (1, 2, 3):
                yield n
        print([item["value"] async for item in c.stream("many", inputs())])
        async def raising():
            yield 2
            raise KeyError("mine")
        try:
            print([item async for item in c.stream("many", raising())])
        except KeyError as error:
            print(error)
        task = asyncio.ensure_future(c.call("slow", 1))
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            print("cancelled")

asyncio.run(later())
`

t.test('a program calls a spec', { skip: PYTHON }, async (t) => {
  const at = makeTestDirectory({ 's.plumb': SPEC, 'bad.plumb': 'let main : !int -> !string = id', 'script.py': SCRIPT })
  const { status, stdout, stderr } = run(at, ['python3', 'script.py'])
  t.strictSame([status, stderr], [0, ''])
  t.strictSame(stdout.trimEnd().split('\n'), [
    "{'n': 2251799813685248, 't': 'x'} {'n': 2, 't': '😀'}",
    '[0, 2, 4]',
    "('input_type_mismatch', 'invalid') input_type_mismatch True",
    // Nothing of the command line.
    "['expected string, found 1', 'expected string, found 1']",
    "[] [5] ('unknown_name', 'not_found')",
    "[2, 'input_type_mismatch', 3]",
    '[[1, 2], [3]]',
    'IN WHAT WAY | IN WHAT WAY',
    'IN WHAT WAY | WHAT RESEMBLANCE DO YOU SEE',
    "['usage', 'value']",
    "('timeout', 'unavailable')",
    "[1, ('child_failed', 'internal'), 2]",
    ...['ValueError', 'TypeError', 'TypeError', 'TypeError'],
    "('cancelled', 'unavailable')",
    "('file_not_found', 'config') ('type_mismatch', 'config') ('cannot_run', 'config')",
    "['type_mismatch'] {'warning'} 8",
    '[0, 2, 4]',
    '[2, 3]',
    "'mine'",
    'cancelled',
  ])
})

const AGENT = `
import os, subprocess, sys, plumb

@plumb.agent
def f(t):
    print("not an answer")
    if t == "raises": raise ValueError("no\\nway")
    if t == "fails": raise plumb.PlumbError("rate_limited", "unavailable", "later")
    if t == "exits": sys.exit(3)
    if t == "set": return {1, 2}
    if t == "none": return None
    if t == "drop": return plumb.DROP
    if t == "child": subprocess.run(["sh", "-c", "cat; echo out of it"])
    if t == "many": return several()
    if t == "hidden": raise Hidden()
    if t == "forks":
        if os.fork() == 0: return "of the child"
        os.wait()
    return t.upper()

class Hidden(Exception):
    def __str__(self): raise RuntimeError()

def several():
    yield 1
    yield plumb.DROP
    yield (2, None)

f.run()
`
const AT_ONCE = `
import asyncio, plumb
turn = asyncio.Event()

@plumb.agent
async def f(n):
    if n == 1: await turn.wait()
    if n == 3: raise KeyError("three")
    turn.set()
    return n

f.run()
`
const CONTROLLED = `
import threading, plumb
heard = threading.Event()

@plumb.agent
def f(t):
    plumb.telemetry({"kind": "text", "delta": t})
    heard.wait(60)
    return t

@f.control
def control(message):
    heard.set()
    return {"kind": "heard", "message": message}

f.run()
`

t.test('a function is an agent', { skip: PYTHON }, async (t) => {
  const spec =
    'let main : !string -> !json = agent { command: ["python3", "a.py"], answers: "numbered", env: ["PYTHONPATH"], sandbox: false }'
  const at = makeTestDirectory({ 'a.py': AGENT, 'b.py': AT_ONCE, 'c.py': CONTROLLED, 'a.plumb': spec })
  const words = ['raises', 'fails', 'exits', 'set', 'none', 'drop', 'child', 'many', 'hidden', 'forks', 'end']
  const told = run(at, ['python3', 'a.py'], `\n${words.map((word) => `"${word}"\n`).join('')}nonsense\n"last"\n`)
  t.equal(told.status, 0)
  t.match(told.stderr, /not an answer.*out of it/s)
  const lines = told.stdout.trimEnd().split('\n')
  const failure = (seq: number, detail: RegExp, error = 'child_failed') => ({ seq, error: { error, detail } })
  t.match(
    lines.map((line) => JSON.parse(line)),
    [
      failure(1, /^ValueError: no\nway \(.*a\.py:7\)$/),
      failure(2, /^later$/, 'rate_limited'),
      failure(3, /^SystemExit: 3/),
      failure(4, /gave set, which is not JSON/),
      { seq: 5, value: null },
      { seq: 5, done: true },
      { seq: 6, done: true },
      { seq: 7, value: 'CHILD' },
      { seq: 7, done: true },
      { seq: 8, value: 1 },
      { seq: 8, value: [2, null] },
      { seq: 8, done: true },
      failure(9, /^Hidden: something that cannot be shown/),
      { seq: 10, value: 'FORKS' },
      { seq: 10, done: true },
      { seq: 11, value: 'END' },
      { seq: 11, done: true },
      failure(12, /not JSON/),
      { seq: 13, value: 'LAST' },
      { seq: 13, done: true },
    ],
  )
  t.equal(lines.length, 20)
  const several = run(at, ['python3', 'b.py'], '1\n2\n3\n')
  t.match(several.stdout, /"seq":2,"value":2.*"seq":1,"value":1/s, 'several at once')
  t.match(several.stdout, /"seq":3,"error":.*KeyError: 'three'/)
  const piped = run(at, ['plumb', 'a.plumb'], '"a"\n"raises"\n"b"\n')
  t.match(piped, { status: 1, stdout: '"A"\n"B"\n', stderr: /ValueError: no/ })
  const envelopes = '{"__port":"input","msg":"tea"}\n{"__port":"ctrl_in","msg":{"x":1}}\n'
  const muxed = run(at, ['plumb-mux', '--fds', '3,6,7', '--', 'python3', 'c.py'], envelopes).stdout.split('\n')
  for (const line of [
    '{"__port":"telemetry","msg":{"kind":"text","delta":"tea"}}',
    '{"__port":"ctrl_out","msg":{"kind":"heard","message":{"x":1}}}',
    '{"__port":"output","msg":{"seq":1,"value":"tea"}}',
  ])
    t.ok(muxed.includes(line), line)
  // All that has come when the inputs end is answered, though the writer of control may still be there.
  const waiting = `import os, subprocess
r, w = os.pipe(); os.dup2(r, 6); os.dup2(os.open("replies", os.O_CREAT | os.O_WRONLY), 7)
os.write(w, b'{"x":1}\\n' * 500)
subprocess.run(["python3", "c.py"], stdin=subprocess.DEVNULL, pass_fds=[6, 7])`
  const ended = run(at, ['python3', '-c', `${waiting}\nprint(open("replies").read().count("heard"))`], '')
  t.match(ended.stdout, /"control":500,"done":true}\n500\n$/)
})

const USE = `
import plumb
from grows import Part_partial
from odd import part as OddPart
from s import Client, T

with plumb.open("s.plumb") as c:
    client = Client(c)
    given: T = {"n": 1, "t": plumb.untrusted("x")}
    got: str = plumb.reveal(client.main(given)["t"])
    bare: str = client.main(given)["t"]  # type: ignore[assignment]
    client.main({"n": 1, "t": "x"})  # type: ignore[typeddict-item]
    client.main({"n": 1, "t": plumb.untrusted("x"), "more": 1})  # type: ignore[typeddict-unknown-key]
    for item in client.main.stream([given]):
        print(item["seq"])

part: Part_partial = {"team": "a", "next": {}}
part["n"] = plumb.untrusted("x")
odd: OddPart = {"list": ["a"], "more": [1], "mixed": [{"a": "x"}, {}], "u": []}
wrong: Part_partial = {"n": "x"}  # type: ignore[typeddict-item]
`

t.test('mypy takes what is generated, and the package', { skip: MYPY }, async (t) => {
  const growing = `
type Part = { team: "a" | "b", n: untrusted string, next?: Part, "odd name": [(int, string)] }
let grows : !string -> !Part = agent { provider: "eliza", model: "doctor", partial: true }
let main : !string -> !Part = grows
`
  const odd = `
type Odd = { class: string, "odd name"?: { a: int }, __x?: (int, string | unit), next?: Odd, f?: Failure }
type Tree = string | [Tree] | { [string]: Tree }
type list = { next?: list, s: "a" | "b" | unit }
type any = { any?: any, l: list }
type Only = { o?: int, all: { ... }, none: {} }
type Mixed = ({ a: string }, unit | {})
type part = { part?: part, list?: [string], more: [int], mixed?: Mixed, u: [(part, "part")] }
let main : !Odd -> !{ t: Tree, p: part, l: list, a: [any], only: Only, j: secret json } = map(fail("x"))
`
  const at = makeTestDirectory({ 's.plumb': SPEC, 'odd.plumb': odd, 'grows.plumb': growing, 'use.py': USE })
  for (const name of ['s', 'odd', 'grows'])
    t.match(run(at, ['plumb', 'types', '--to', 'python', '-o', `${name}.py`, `${name}.plumb`]), { status: 0 })
  const strict = ['python3', '-m', 'mypy', '--strict', '--python-version', '3.10', '--warn-unused-ignores']
  t.match(run(at, [...strict, 'odd.py', 'use.py', join(process.cwd(), 'python/plumb')]), { status: 0 })
  t.match(run(at, ['python3', '-c', 'import s, odd, grows']), { status: 0, stderr: '' })
})

const PYDANTIC = PYTHON || spawnSync('python3', ['-c', 'import pydantic'], { env: ENV }).status === 0 ? PYTHON : 'no pydantic'

const MODELS = `
import plumb, pydantic
from m import *
T = pydantic.TypeAdapter(Ticket)
wrong = [{"id": "1"}, {"id": True}, {"id": 1.5}, {"id": 1, "text": 1}, {"id": 1, "more": 1}, {"id": 1, "level": None}, {"id": 1, "n": 4}, {"id": 1, "level": "mid"}, {}]
for value in wrong:
    try:
        print("taken", T.validate_python({"text": "", **value} if value else value))
    except pydantic.ValidationError:
        pass
value = {"id": 1.0, "text": "x", "n": 2, "odd": {"class": "c", "__x": [1, None]}, "tree": ["a", ["b"]], "open": {"id": 1, "z": 2}, "maybe": None,
  "part": {"part": {"more": []}, "list": ["a"], "more": [1], "u": [[{"more": [2]}], "part"]}}
ticket = T.validate_python(value)
print(T.dump_python(ticket, mode="json", by_alias=True, exclude_unset=True) == {**value, "id": 1}, ticket.tags, ticket.odd.class_)
with plumb.open("m.plumb") as c:
    print(type(Client(c).main(ticket)).__name__, Client(c).main(ticket).open.z)
`

t.test('models of pydantic take what plumb takes', { skip: PYDANTIC }, async (t) => {
  const spec = `
type Tree = string | [Tree]
type Odd = { class: string, __x: (int, string | unit), next?: Odd }
type part = { part?: part, list?: [string], more: [int], list_?: int, u?: ([part], "part") }
type Ticket = { id: int, text: untrusted string, level?: "low" | "high", tags: [string] = [], @min 1 @max 3 n?: int, maybe?: string | unit,
  odd?: Odd, tree?: Tree, part?: part, open?: { id: int, ... } }
let main : !Ticket -> !Ticket = id
`
  const at = makeTestDirectory({ 'm.plumb': spec, 'use.py': MODELS })
  t.match(run(at, ['plumb', 'types', '--to', 'python', '--pydantic', '-o', 'm.py', 'm.plumb']), { status: 0 })
  t.strictSame(run(at, ['python3', 'use.py']), { status: 0, stdout: 'True [] c\nTicket 2\n', stderr: '' })
  if (!MYPY) t.match(run(at, ['python3', '-m', 'mypy', '--strict', '--python-version', '3.10', 'm.py']), { status: 0 })
})
