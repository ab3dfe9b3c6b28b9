// Functions of Python as tools: one process a file, what is checked as it is loaded, what functions may give, how they fail and are ended.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { NO_SANDBOX } from '../../wire/test/sandbox-here.js'
import { loadFunctions } from '../src/source/function/load-functions.js'
import { makeSource, makeTestDirectory, once, plansOf, running, until } from './source-directory.js'

const PYTHON = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0 ? false : 'no Python 3.10'

process.env.PLUMB_CANARY_KEY = process.env.MY_CANARY_TOKEN = 'sk-CANARY-1234'

const MODULE = `
import asyncio, dataclasses, datetime, os, subprocess, sys, time, typing
from beside import help

print("said while it is imported")
count = 0

def lookup(id: int, level: typing.Literal["low", "high"] = "low") -> dict[str, typing.Any]:
    """Finds a customer
    by number.

    More of it."""
    return {"id": id, "level": level}

def counts(x): global count; count += 1; return [count, os.getpid()]
def one(text: str) -> str: return text.upper()
def whole(x): return x
def noisy(x):
    print("noise"); os.write(1, b"more noise\\n"); subprocess.run(["sh", "-c", "echo out of a child; cat"]); return x
def raises(x): raise ValueError("no luck")
def late(x): raise TimeoutError("too slow")
def refused(x):
    try: raise ConnectionRefusedError("nobody there")
    except OSError as error: raise RuntimeError("cannot ask") from error
class Said(Exception):
    error, category, detail = "rate_limited", "unavailable", "one a minute"
def reported(x): raise Said()
def exits(x): sys.exit(3)
def interrupts(x): raise KeyboardInterrupt()
def nan(x): return [float("nan")]
def of_bytes(x): return {"a": b"x"}
def of_set(x): return {1}
def of_date(x): return datetime.date(2020, 1, 1)
def of_generator(x): yield 1
def of_object(x): return object()
def of_keys(x): return {1: 2}
def of_itself(x):
    a = []; a.append(a); return a
def pair(x): return (1, ("a", None))
def big(x): return x + 1
def dies(x): os._exit(7)
def forks(x):
    if os.fork() == 0: return "child"
    os.wait(); return "parent"
def hangs(mark): subprocess.Popen(["sleep", mark]); time.sleep(600)
async def sleeps(n: int):
    await asyncio.sleep(n / 1000); return n
async def stubborn(x):
    while True:
        try: await asyncio.sleep(600)
        except asyncio.CancelledError: pass
def helped(x): return help(x)
def around(x): return {"env": dict(os.environ), "cwd": os.getcwd(), "in": sys.stdin.read(), "argv": len(sys.argv)}

@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5
class Named(typing.TypedDict):
    name: str
    at: Point
def moves(who: Named, by: list[Point]) -> Point: return Point(who["at"].x + by[0].x, by[0].y)
def keyed(a, /, b=2, *, c): return [a, b, c]
def rest(**fields): return fields
number = 5
`
const PLAIN: readonly string[] = [
  ...['counts', 'noisy', 'raises', 'late', 'refused', 'reported', 'exits', 'interrupts', 'nan', 'of_bytes', 'of_set', 'of_date'],
  ...[
    'of_generator',
    'of_object',
    'of_keys',
    'of_itself',
    'pair',
    'big',
    'dies',
    'forks',
    'hangs',
    'stubborn',
    'helped',
    'around',
    'whole',
  ],
]
const TYPED: readonly [tool: string, signature: string][] = [
  ['lookup', '{ id: int, level?: "low" | "high" } -> { id: int, level: string }'],
  ['one', 'string -> string'],
  ['sleeps', 'int -> int'],
  ['moves', '{ who: { name: string, at: { x: int, y?: number } }, by: [{ x: int, y?: number }] } -> { x: int, y: number }'],
  ['keyed', '{ a: int, b?: int, c: int } -> [int]'],
  ['rest', '{ a: int, ... } -> json'],
]
const SPEC = [...TYPED, ...PLAIN.map((name) => [name, 'json -> json'] as const)]
  .map(([name, signature]) => `let ${name} : ${signature} = tool { function: "./f.py#${name}" }\n`)
  .join('')
const FILES = { 'f.py': MODULE, 'beside.py': 'def help(x): return ["helped", x]\n' }

t.test('functions of Python and what they give', { skip: PYTHON }, async (t) => {
  const { call, directory, session } = makeSource(SPEC, FILES)
  const cases: [tool: string, input: string, value: unknown][] = [
    ['lookup', '{"id":7}', { id: 7, level: 'low' }],
    ['lookup', '{"id":7,"level":"high"}', { id: 7, level: 'high' }],
    ['one', '"a\\u00e9"', 'AÉ'],
    ['whole', '{"a":[1,null,"x"]}', { a: [1, null, 'x'] }],
    ['noisy', '"x"', 'x'],
    ['pair', '0', [1, ['a', null]]],
    ['helped', '1', ['helped', 1]],
    ['forks', '1', 'parent'],
    ['moves', '{"who":{"name":"a","at":{"x":1}},"by":[{"x":2,"y":1.5}]}', { x: 3, y: 1.5 }],
    ['keyed', '{"a":1,"c":3}', [1, 2, 3]],
    ['rest', '{"a":1,"z":2}', { a: 1, z: 2 }],
    ['sleeps', '1', 1],
  ]
  for (const [tool, input, value] of cases) {
    const answer = await call(tool, input)
    t.strictSame([answer.value, answer.error], [value, undefined], `${tool} of ${input}`)
  }
  t.equal((await call('big', '123456789012345678901234567890')).text, '123456789012345678901234567891', 'whole numbers keep their digits')
  const [first, second] = [(await call('counts', '0')).value, (await call('counts', '0')).value] as [number[], number[]]
  t.strictSame([first[0], second[0], first[1] === second[1]], [1, 2, true], 'one process for all calls')
  const around = (await call('around', '0')).value as { cwd: string; in: string; argv: number }
  t.match(around, { cwd: directory, in: '', argv: 1 })
  t.notMatch(JSON.stringify(around), /CANARY/, 'no key reaches it')
  const began = process.hrtime.bigint()
  for (let n = 0; n < 200; n++) await call('whole', '1')
  t.comment(`${(Number(process.hrtime.bigint() - began) / 2e8).toFixed(2)} ms a call`)
  t.notOk(readdirSync(directory).includes('__pycache__'), 'nothing is left beside the file')
  await session.servers.close()
})

t.test('functions of Python that fail', { skip: PYTHON }, async (t) => {
  const { call, session } = makeSource(SPEC, FILES)
  const cases: [tool: string, error: object][] = [
    ['raises', { error: 'tool_crashed', detail: /^function 'raises' threw: ValueError: no luck \(.*f\.py:20\)$/ }],
    ['late', { error: 'timeout', category: 'unavailable' }],
    ['refused', { error: 'connection_failed', detail: /RuntimeError: cannot ask.*nobody there/ }],
    ['reported', { error: 'rate_limited', category: 'unavailable', detail: 'one a minute' }],
    ['exits', { error: 'tool_crashed', detail: /SystemExit: 3/ }],
    ['interrupts', { error: 'tool_crashed', detail: /KeyboardInterrupt/ }],
    ['nan', { error: 'output_type_mismatch', detail: /nan is not a JSON number/ }],
    ['of_bytes', { error: 'output_type_mismatch', detail: /type bytes/ }],
    ['of_set', { error: 'output_type_mismatch', detail: /type set/ }],
    ['of_date', { error: 'output_type_mismatch', detail: /type date/ }],
    ['of_generator', { error: 'output_type_mismatch', detail: /type generator/ }],
    ['of_object', { error: 'output_type_mismatch', detail: /type object/ }],
    ['of_keys', { error: 'output_type_mismatch', detail: /key of type int/ }],
    ['of_itself', { error: 'output_type_mismatch' }],
  ]
  await call('counts', '0')
  for (const [tool, error] of cases) t.match((await call(tool, '"x"')).error, error, tool)
  t.strictSame(((await call('counts', '0')).value as number[])[0], 2, 'the process goes on')
  t.match((await call('dies', '0')).error, { error: 'tool_crashed', detail: /ended with status 7/ })
  t.strictSame(((await call('counts', '0')).value as number[])[0], 1, 'the next call starts it anew')
  await session.servers.close()
})

t.test('functions of Python that do not end', { skip: PYTHON }, async (t) => {
  const { call, session } = makeSource(SPEC, FILES)
  const mark = `305.${process.pid}`
  const hung = call(
    'hangs',
    JSON.stringify(mark),
    once(() => running(`sleep ${mark}`).length > 0),
  )
  const waiting = call('counts', '0')
  t.match((await hung).error, { error: 'cancelled' })
  t.strictSame(((await waiting).value as number[])[0], 1, 'what waits goes to the next process')
  t.ok(await until(() => running(`sleep ${mark}`).length === 0), 'and nothing it started is left')
  const slow = call('sleeps', '600000', AbortSignal.timeout(300))
  const others = await Promise.all(['30', '20', '10'].map((n) => call('sleeps', n)))
  t.strictSame(
    others.map(({ value }) => value),
    [30, 20, 10],
    'async ones run at once',
  )
  t.match((await slow).error, { error: 'cancelled' }, 'and are cancelled alone')
  t.strictSame(((await call('counts', '0')).value as number[])[0], 2, 'the process goes on')
  t.match((await call('stubborn', '0', AbortSignal.timeout(100))).error, { error: 'cancelled' })
  t.strictSame(((await call('counts', '0')).value as number[])[0], 1, 'one that does not hear it is ended with its process')
  await session.servers.close()
})

t.test('annotations of Python are held against signatures', { skip: PYTHON }, async (t) => {
  const files = { ...FILES, 'syntax.py': 'def x(:\n', 'raises.py': '1 / 0\n', 'exits.py': 'import sys\nsys.exit(2)\n' }
  const load = async (name: string, signature: string, more = '') => {
    const { plans, session } = plansOf(`let f : ${signature} = tool { function: "./${name}"${more} }`, files)
    const loaded = await loadFunctions(plans, session)
    await session.servers.close()
    return { said: loaded.faults.map(({ error, detail }) => `${error}: ${detail}`), plan: loaded.plans[0] }
  }
  const wrong: [of: string, signature: string, shows: RegExp][] = [
    [
      'f.py#lookup',
      '{ id: string } -> json',
      /^type_mismatch: function 'lookup' of tool 'f' declares 'id: int', and the signature says 'id: string'$/,
    ],
    ['f.py#lookup', '{ id: number } -> json', /'id: int', and the signature says 'id: number'/],
    ['f.py#lookup', '{ id: int, level: string } -> json', /'level: "low" \| "high"'/],
    ['f.py#lookup', '{ id: int, other: int } -> json', /has no parameter 'other', and the signature says 'other: int'/],
    ['f.py#lookup', '{ id?: int } -> json', /'id: int' without a default, and the signature says 'id\?: int'/],
    ['f.py#lookup', '{ level: "low" } -> json', /'id: int' without a default, and the signature has no field 'id'/],
    ['f.py#lookup', '{ id: int } -> string', /gives '\{ \[string\]: json \}', and the signature says 'string'/],
    ['f.py#one', 'int -> string', /declares 'text: string', and the signature says 'int'/],
    ['f.py#moves', 'int -> json', /needs 'by' too/],
    ['f.py#lokup', 'json -> json', /^config_invalid: .*no function 'lokup', did you mean 'lookup'\?/],
    ['f.py#number', 'json -> json', /no function 'number'/],
    ['syntax.py#x', 'json -> json', /syntax\.py' cannot be loaded: SyntaxError/],
    ['raises.py#x', 'json -> json', /cannot be loaded: ZeroDivisionError: division by zero \(.*raises\.py:1\)/],
    ['exits.py#x', 'json -> json', /cannot be loaded: SystemExit: 2/],
  ]
  for (const [of, signature, shows] of wrong) t.match((await load(of, signature)).said, [shows], `${signature} of ${of}`)
  for (const signature of ['{ id: int } -> json', '{ id: int, level?: "low" } -> { id: int, level: string }'])
    t.strictSame((await load('f.py#lookup', signature)).said, [], signature)
  t.equal((await load('f.py#lookup', '{ id: int } -> json')).plan?.description, 'Finds a customer by number.')
  t.equal((await load('f.py#lookup', '{ id: int } -> json', ', description: "Mine"')).plan?.description, 'Mine')
})

t.test('a virtual environment beside the file, and the sandbox', { skip: PYTHON || NO_SANDBOX }, async (t) => {
  const spec = `let who : json -> json = tool { function: "./w.py#who" }
let writes : json -> json = tool { function: "./w.py#writes", sandbox: { write: ["out"] } }
let linked : json -> json = tool { function: "./link.py#linked" }`
  const { call, directory, session } = makeSource(spec, {
    'w.py': `import sys
def who(x): return sys.prefix
def writes(x):
    told = []
    for path in ("out/x", "x", "/usr/x"):
        try: open(path, "w").close(); told.append("written")
        except OSError as error: told.append(error.errno)
    return told
`,
    'out/keep': '',
  })
  const made = spawnSync('python3', ['-m', 'venv', '--without-pip', join(directory, '.venv')])
  t.equal(made.status, 0)
  t.ok(existsSync(join(directory, '.venv/bin/python3')))
  t.equal((await call('who', '0')).value, join(directory, '.venv'))
  t.strictSame((await call('writes', '0')).value, ['written', 30, 30])
  const far = makeTestDirectory({ 'l.py': 'from beside import help\ndef linked(x): return help(x)\n', 'beside.py': FILES['beside.py'] })
  symlinkSync(join(far, 'l.py'), join(directory, 'link.py'))
  t.strictSame((await call('linked', '1')).value, ['helped', 1], 'a link to a file elsewhere')
  await session.servers.close()
})
