// Functions of Python as tools: arguments and results as their annotations have them, models of pydantic among them, and what docstrings say.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadFunctions } from '../src/source/function/load-functions.js'
import { makeSource, plansOf } from './source-directory.js'

const PYTHON = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0 ? false : 'no Python 3.10'
/** A Python that has pydantic, of scripts/install-others. */
const TYPED = join(process.env.PLUMB_OTHERS ?? '', 'typed')
const PYDANTIC = existsSync(join(TYPED, 'bin/python3')) ? false : 'no pydantic'

const MODULE = `
from __future__ import annotations
import asyncio, dataclasses, datetime, decimal, enum, functools, os, pathlib, threading, time, uuid
from typing import Annotated, Any, Iterator, Literal, NamedTuple, NewType, Optional, TypedDict, Union

class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"
class P(NamedTuple):
    x: int
    y: int = 0
@dataclasses.dataclass
class D:
    x: int
    p: Optional[P] = None
    kids: list[D] = dataclasses.field(default_factory=list)
    def __post_init__(self):
        if self.x < 0: raise ValueError("x is negative")
class TD(TypedDict, total=False):
    a: int
@dataclasses.dataclass
class Cat:
    kind: Literal["cat"]
@dataclasses.dataclass
class Dog:
    kind: Literal["dog"]
Id = NewType("Id", int)

def color(c: Color) -> Color: return {Color.RED: Color.BLUE}.get(c, c)
def point(p: P) -> P: return P(p.x + 1, p.y)
def nodes(d: D) -> int: return d.x + sum(nodes(kid) for kid in d.kids)
def keys(t: TD) -> list[str]: return sorted(t)
def pet(p: Cat | Dog) -> str: return type(p).__name__
def day(d: datetime.date, t: Optional[datetime.datetime] = None) -> list: return [d.year, t and str(t.tzinfo)]
def made(u: uuid.UUID, p: pathlib.Path, d: decimal.Decimal, s: set[int], i: Id) -> list: return [u.hex[:2], p.name, str(d * 2), len(s), i]
def whole_number(n: int): return [n, type(n).__name__]
def one_of(n: Literal[1, 2]): return n
def none(a: str = None): return a
def bytes_(b: bytes): return 1
def gives_set(x) -> set[int]: return {1}
def only(*, a: int, b: int = 2): return [a, b]
def first(a=1, b=2, /, c=3): return [a, b, c]
def unresolved(x: Missing, y: int): return y
def deco(f):
    @functools.wraps(f)
    def inner(*args, **named): return f(*args, **named)
    return inner
@deco
def wrapped(x: int) -> int: return x + 1
@deco
async def wrapped_async(x: int) -> int:
    await asyncio.sleep(0)
    return x + 2
part = functools.partial(lambda a, b: a + b, b=5)
class Adder:
    def __init__(self, n): self.n = n
    def __call__(self, x: int) -> int: return x + self.n
    def add(self, x: int) -> int: return x + 2 * self.n
adder = Adder(10)
bound = adder.add
def loop(x):
    async def later(): return x
    return asyncio.run(later())
async def leaves(x):
    async def bad(): raise SystemExit(3)
    asyncio.create_task(bad())
    await asyncio.sleep(0.01)
    return x
async def sleeps(x):
    await asyncio.sleep(x / 1000)
    return x
def threads(x):
    threading.Thread(target=lambda: 1 / 0).start()
    return x
def nested(n):
    value = []
    for _ in range(n - 1): value = [value]
    return value
def in_list(x): return {"a": [1, {2}]}
def long(n): return "é" * n
def closes(x): os.closerange(3, 64); return x
def unshowable(x):
    class E(Exception):
        def __str__(self): raise RuntimeError()
        @property
        def error(self): raise RuntimeError()
    raise E()
def endless(x): raise ValueError("z" * 40_000_000)
def half(x): raise ValueError("\\udc80")
def group(x):
    error = ValueError("several")
    error.exceptions = [ConnectionResetError("cut")]
    raise error
def status(x):
    import urllib.error
    raise urllib.error.HTTPError("http://h/", x, "said", {}, None)
def name(x):
    import socket
    raise socket.gaierror(-3, "no such name")
def numpy(x, y=1):
    """Adds.

    Parameters
    ----------
    x : int
        The first
        of them.
    y : int, optional
        The second.
    """
def rest(x, y: int = 1):
    """Adds
    numbers.
    :param int x: the first
    :param y: the second,
        which is long
    :returns: the sum
    """
def google(x: int, y: int = 1):
    """Adds two.
    Args:
        x (int): the first: always
        y: the second
            of two
    Returns:
        the sum
    """
`
const of = (name: string, signature = 'json -> json', file = 'f'): string =>
  `let ${name} : ${signature} = tool { function: "./${file}.py#${name}" }\n`

type Row = readonly [tool: string, signature: string, input: string, value: unknown]

/** A value, or how an error begins or what its detail shows. */
const holds = async (t: Test, file: string, rows: readonly Row[]): Promise<void> => {
  const signatures = new Map(rows.map(([tool, signature]) => [tool, signature]))
  const spec = [...signatures].map(([tool, signature]) => of(tool, signature)).join('')
  const { call, session } = makeSource(spec, { 'f.py': file })
  for (const [tool, signature, input, expected] of rows) {
    t.equal(signatures.get(tool), signature, 'one signature a tool')
    const { value, error } = await call(tool, input)
    if (expected instanceof RegExp) t.match(error && `${error.error}: ${error.detail}`, expected, `${tool} of ${input}`)
    else t.strictSame([value, error], [expected, undefined], `${tool} of ${input}`)
  }
  await session.servers.close()
}

const D = '{ x: int, p?: (int, int), kids?: json }'
const FIRST = '{ a?: int, b?: int, c?: int }'
const ROWS: readonly Row[] = [
  ['color', '"red" | "blue" -> json', '"red"', 'blue'],
  ['point', '{ x: int, y?: int } -> (int, int)', '{"x":1}', [2, 0]],
  ['nodes', `${D} -> int`, '{"x":1,"p":[1,2],"kids":[{"x":2,"kids":[{"x":3.0}]}]}', 6],
  [
    'nodes',
    `${D} -> int`,
    '{"x":1,"kids":[{"x":"2"}]}',
    /^input_type_mismatch: .*'nodes' declares: d\.kids\.0\.x expected int, found string "2"/,
  ],
  ['nodes', `${D} -> int`, '{"x":1,"kids":[{"x":-1}]}', /d\.kids\.0 ValueError: x is negative/],
  ['nodes', `${D} -> int`, '{"x":1,"kids":[{"y":1}]}', /d\.kids\.0\.x is missing/],
  ['nodes', `${D} -> int`, '{"x":1,"kids":[{"x":1,"y":1}]}', /d\.kids\.0\.y is no field; there are x, p, kids/],
  ['keys', 'json -> json', '{"a":1}', ['a']],
  ['pet', 'json -> json', '{"kind":"dog"}', 'Dog'],
  ['pet', 'json -> json', '{"kind":"cow"}', /p\.kind expected 'cat', found string "cow"/],
  ['day', '{ d: string, t?: string } -> json', '{"d":"2020-01-02","t":"2020-01-02T00:00:00Z"}', [2020, 'UTC']],
  ['day', '{ d: string, t?: string } -> json', '{"d":"x"}', /d ValueError: Invalid isoformat string/],
  [
    'made',
    '{ u: string, p: string, d: number, s: [int], i: int } -> json',
    '{"u":"12345678123446781234567812345678","p":"/a/b","d":1.1,"s":[1,1],"i":3}',
    ['12', 'b', '2.2', 1, 3],
  ],
  ['whole_number', 'json -> json', '1.0', [1, 'int']],
  ['whole_number', 'json -> json', '1.5', /n expected int, found number 1\.5/],
  ['one_of', 'int -> int', '3', /n expected 1 \| 2, found int 3/],
  ['none', '{ a?: string | unit } -> json', '{"a":null}', null],
  ['only', '{ a: int } -> json', '{"a":1}', [1, 2]],
  ['first', `${FIRST} -> json`, '{"b":9}', [1, 9, 3]],
  ['first', `${FIRST} -> json`, '{"c":9}', [1, 2, 9]],
  ['unresolved', '{ x: json, y: int } -> int', '{"x":1,"y":2}', 2],
  ['wrapped', '{ x: int } -> int', '{"x":1}', 2],
  ['wrapped_async', 'int -> int', '1', 3],
  ['part', '{ a: int } -> int', '{"a":1}', 6],
  ['adder', 'int -> int', '1', 11],
  ['bound', 'int -> int', '1', 21],
  ['loop', 'json -> json', '1', 1],
  ['leaves', 'json -> json', '1', 1],
  ['threads', 'json -> json', '1', 1],
  ['in_list', 'json -> json', '1', /^output_type_mismatch: .*type set at '\/a\/1': give a list/],
  ['long', 'json -> json', '9000000', /^output_type_mismatch: .*18000002 bytes long, more than 16777216/],
  ['unshowable', 'json -> json', '1', /^tool_crashed: .*E, which cannot be shown/],
  ['endless', 'json -> json', '1', /^tool_crashed: .*ValueError: zzz/],
  ['half', 'json -> json', '1', /^tool_crashed: .*ValueError: /],
  ['group', 'json -> json', '1', /^connection_failed: .*ConnectionResetError: cut/],
  ['status', 'json -> json', '429', /^rate_limited: .*HTTPError: HTTP Error 429: said/],
  ['status', 'json -> json', '503', /^connection_failed: /],
  ['status', 'json -> json', '404', /^tool_crashed: /],
  ['name', 'json -> json', '1', /^connection_failed: .*no such name/],
  ['closes', 'json -> json', '1', /^tool_crashed: /],
]

t.test('arguments, results and errors', { skip: PYTHON }, async (t) => {
  await holds(t, MODULE, ROWS)
  const { call, session } = makeSource(of('nested') + of('loop') + of('sleeps'), { 'f.py': MODULE })
  t.equal((await call('nested', '500')).text?.length, 1000)
  t.match((await call('nested', '600')).error, { error: 'output_type_mismatch', detail: /more than 512 deep/ })
  const [slow, within] = await Promise.all([call('sleeps', '300'), call('loop', '7')])
  t.strictSame([slow.value, within.value], [300, 7], 'a loop of its own, while another function waits')
  await session.servers.close()
})

t.test('what functions say of themselves', { skip: PYTHON }, async (t) => {
  const load = async (spec: string, files = {}) => {
    const { plans, session } = plansOf(spec, { 'f.py': MODULE, ...files })
    const { plans: loaded, faults } = await loadFunctions(plans, session)
    await session.servers.close()
    return { loaded, said: faults.map(({ detail }) => detail).join('\n') }
  }
  const described = await load(['numpy', 'rest', 'google'].map((name) => of(name, '{ x: int, y?: int } -> json')).join(''))
  t.match(
    described.loaded.map(({ description, input }) => [
      description,
      ...(input.kind === 'record' ? input.fields : []).map((f) => f.description),
    ]),
    [
      ['Adds.', 'The first of them.', 'The second.'],
      ['Adds numbers.', 'the first', 'the second, which is long'],
      ['Adds two.', 'the first: always', 'the second of two'],
    ],
  )
  const wrong: readonly [spec: string, shows: RegExp][] = [
    [of('numpy', '{ x: string } -> json'), /declares 'x: int', and the signature says 'x: string'/],
    [of('rest', '{ x: string } -> json'), /declares 'x: int', and the signature says 'x: string'/],
    [of('bytes_', '{ b: string } -> json'), /declares 'b: bytes', which is not made of JSON: take text/],
    [of('gives_set'), /gives 'set', which is not JSON/],
    [of('wrapped', '{ x: int, z: int, ... } -> json'), /has no parameter 'z'/],
    [of('nodes', '{ x: string } -> json'), /declares 'd: \{ x: int, .*, and the signature says '\{ x: string \}'/],
    [
      of('f', 'json -> json', 'none'),
      /ModuleNotFoundError: No module named 'no_such' \(.*none\.py:1\); install it for .*python3.*, or in a \.venv/,
    ],
  ]
  for (const [spec, shows] of wrong) t.match((await load(spec, { 'none.py': 'import no_such\n' })).said, shows)
  const open = await load(of('wrapped', '{ x: int, ... } -> json'))
  t.equal(open.said, '')
})

const MODELS = `
from __future__ import annotations
import datetime
from typing import Annotated, Literal, Optional, Union
from pydantic import BaseModel, ConfigDict, Field, RootModel, computed_field, field_validator

class Ticket(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: int
    text: str = Field(alias="body")
    level: Literal["low", "high"] = "low"
    who: Optional[Person] = None
    kids: list[Ticket] = []
    n: int = Field(default=1, ge=1, le=3)
class Person(BaseModel):
    name: str
    @field_validator("name")
    @classmethod
    def ok(cls, value):
        if not value.strip(): raise ValueError("a name has letters")
        return value
class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    at: datetime.datetime
    pair: tuple[int, str]
class Cat(BaseModel):
    kind: Literal["cat"]
class Dog(BaseModel):
    kind: Literal["dog"]
Pet = Annotated[Union[Cat, Dog], Field(discriminator="kind")]
class Tags(RootModel[list[str]]): pass
class Area(BaseModel):
    w: int
    @computed_field
    @property
    def size(self) -> int: return self.w ** 2
class Named(BaseModel):
    a: int = Field(validation_alias="in", serialization_alias="out")

def whole(ticket: Ticket) -> Ticket: return ticket
def field(ticket: Ticket, more: Optional[Person] = None) -> str: return ticket.text + (more.name if more else "")
def many(tickets: list[Ticket]) -> list[str]: return [t.level for t in tickets]
def pets(by: dict[str, Pet]) -> dict[str, Pet]: return {name: type(pet)(kind=pet.kind) for name, pet in by.items()}
def strict(s: Strict) -> str: return f"{s.at.year} {s.pair}"
def tags(t: Tags) -> Tags: return t
def area(a: Area) -> Area: return a
def named(x: Named) -> Named: return x
def bounded(n: Annotated[int, Field(le=5)]) -> int: return n
def inside(x: int) -> Person: return Person(name="")
def either(x: Union[Person, str, None]) -> str: return type(x).__name__
`
const TICKET = '{ id: int, body: string, level?: "low" | "high", who?: { name: string }, n?: int }'
const FULL = { id: 1, body: 'x', level: 'low', who: { name: 'a' }, kids: [], n: 1 }
const MODEL_ROWS: readonly Row[] = [
  ['whole', `${TICKET} -> json`, '{"id":1,"body":"x","who":{"name":"a"}}', FULL],
  [
    'whole',
    `${TICKET} -> json`,
    '{"id":1,"body":"x","who":{"name":" "},"n":9}',
    /^input_type_mismatch: the input of 'whole' does not fit what function 'whole' declares: ticket\.who\.name .*letters; ticket\.n Input should be/,
  ],
  ['field', `{ ticket: ${TICKET}, more?: { name: string } } -> string`, '{"ticket":{"id":1,"body":"x"},"more":{"name":"y"}}', 'xy'],
  ['many', 'json -> [string]', '[{"id":1,"body":"x","level":"high","kids":[{"id":2,"body":"y"}]}]', ['high']],
  ['many', 'json -> [string]', '[{"id":1,"body":"x","kids":[{"id":2}]}]', /tickets\.0\.kids\.0\.body Field required/],
  ['pets', 'json -> json', '{"a":{"kind":"cat"}}', { a: { kind: 'cat' } }],
  ['pets', 'json -> json', '{"a":{"kind":"cow"}}', /by\.a Input tag 'cow'/],
  ['strict', '{ at: string, pair: (int, string) } -> string', '{"at":"2020-01-01T00:00:00","pair":[1,"a"]}', "2020 (1, 'a')"],
  ['tags', '[string] -> [string]', '["a"]', ['a']],
  ['area', '{ w: int } -> { w: int, size: int }', '{"w":2}', { w: 2, size: 4 }],
  ['named', '{ in: int } -> { out: int }', '{"in":2}', { out: 2 }],
  ['bounded', 'int -> int', '7', /n Input should be less than or equal to 5/],
  ['inside', 'int -> json', '1', /^tool_crashed: .*ValidationError: name Value error, a name has letters \(.*f\.py:\d+\)/],
  ['either', 'json -> string', '{"name":"x"}', 'Person'],
  ['either', 'json -> string', 'null', 'NoneType'],
]

t.test('models of pydantic', { skip: PYTHON || PYDANTIC }, async (t) => {
  const { VIRTUAL_ENV } = process.env
  t.teardown(() => {
    if (VIRTUAL_ENV === undefined) delete process.env.VIRTUAL_ENV
    else process.env.VIRTUAL_ENV = VIRTUAL_ENV
  })
  process.env.VIRTUAL_ENV = TYPED
  await holds(t, MODELS, MODEL_ROWS)
  const { plans, session } = plansOf(of('whole', '{ id: int, text: string } -> json'), { 'f.py': MODELS })
  const { faults } = await loadFunctions(plans, session)
  t.match(
    faults[0]?.detail,
    /declares 'ticket: \{ id: int, body: string, .*', and the signature says '\{ id: int, text: string \}'/,
    'aliases count',
  )
  await session.servers.close()
})
