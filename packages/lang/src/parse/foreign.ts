// Names of other languages, and what they are called here.

/** Others' names, each with what it is called here, of a table by the own ones. */
export const named = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(table).flatMap(([own, others]) => others.split(' ').map((other) => [other, own] as const)))

const FUNCTIONS = named({
  upper: 'touppercase uppercase upcase asciiupcase toupper',
  lower: 'tolowercase lowercase downcase asciidowncase tolower casefold',
  length: 'len size count strlen',
  text: 'str string tostring tojson jsonstringify stringify dumps repr',
  number: 'int float double integer tonumber parseint parsefloat toint tofloat',
  parse: 'fromjson jsonparse parsejson loads',
  trim: 'strip trimspace',
  starts_with: 'startswith hasprefix',
  ends_with: 'endswith hassuffix',
  contains: 'includes',
  slice: 'substr substring',
  replace_all: 'gsub sub regexreplace',
  replace: 'replaceall',
  matches: 'test match ismatch',
  find: 'findall scan capture matchall',
  index: 'indexof findindex',
  entries: 'toentries items objectentries',
  map_of: 'fromentries objectfromentries dict',
  keys: 'objectkeys keysunsorted',
  values: 'objectvalues',
  sort: 'sortby sorted orderby',
  group: 'groupby',
  unique: 'uniqueby uniq distinct dedupe',
  flatten: 'flat',
  range: 'seq',
  ceil: 'ceiling',
  any: 'some',
  all: 'every',
  first: 'head',
  lines: 'splitlines',
  omit: 'del delete remove',
  fail: 'error throw raise abort',
  has: 'exists haskey isset',
  time: 'strptime fromdate fromdateiso8601 parsedate',
  iso: 'strftime todate todateiso8601',
  base64: 'btoa base64encode b64encode',
  unbase64: 'atob base64decode b64decode',
  url_encode: 'encodeuricomponent urlencode',
  url_decode: 'decodeuricomponent urldecode',
  pow: 'power',
  pad: 'padstart padend rjust ljust',
  fixed: 'tofixed',
})

const TYPES = named({
  number: 'float double decimal real num',
  int: 'integer long int32 int64 uint bigint',
  bool: 'boolean',
  string: 'str text char varchar',
  json: 'any object unknown mixed dict',
  unit: 'null none void nil undefined',
})

const ASK_TYPE = 'ask for a type by match: match x { n : int -> true, _ -> false }'
const MENDED = 'a ?? b stands in for what is absent or null; where a process fails, a + b of processes asks b'

/** What has no name of its own here. */
const WAYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'strings and lists are joined by +, and the strings of a list by join(xs, "")': 'concat',
    'write sum(xs) / length(xs)': 'avg average mean fmean',
    'write length(x) = 0': 'isempty empty',
    'write [x for x in xs if c], and filter(c) for messages': 'select reject where',
    'an expression has no clock: it gives the same for the same message': 'now today',
    'write $"…{e}…", and fixed(n, places) for a number': 'format sprintf printf',
    'parse(s) reads JSON, text(x) writes it': 'json',
    'write map_of([{ key: e.key, value: … } for e in entries(m)])': 'mapvalues withentries',
    "what comes from outside is a param: 'param home : string', and '--set home=…'": 'env getenv environ',
    "an expression reaches nothing outside: a tool does, as in 'use web' and map(Web.get), 'use fs' and map(Fs.read)":
      'fetch httpget curl open readfile readtext writefile exec system query sql',
    'write fold(e, from: x), a process over the messages': 'reduce foldl aggregate',
    [ASK_TYPE]: 'type typeof isinstance typeis',
    'an expression gives the same for the same message: no chance is in it': 'random uuid rand randint shuffle sample',
    'write if c then value else fail("…")': 'assert require ensure',
    'values of any depth are walked through by a program, as in agent { command: ["jq", …] }':
      'walk recurse paths leafpaths getpath setpath tostream',
    'write to_csv(rows), and text(x) for each field': 'csvstringify writerow',
    'a program cannot print from within: an expression gives a value, and a port of its own takes it out': 'print println echo log1 debug',
    'write [e for x in xs]': 'map foreach flatmap',
    'write [x for x in xs if c]': 'filter',
    'write [[row[i] for row in rows] for i in range(n)]': 'transpose',
    'write { ...a, ...b }': 'merge assign update',
    'write [i + 1 for i in range(n)]': 'enumerate',
    'write [xs[n * i : n * i + n] for i in range(ceil(length(xs) / n))]': 'chunk nwise batched',
  }).flatMap(([way, others]) => others.split(' ').map((other) => [other, way] as const)),
)

const DECLARED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "write 'let name : A -> B = map(e)' for a function, 'let name : !A -> !B = …' for a process":
      'def function func fn const var val async export',
    "write 'type T = { … }'": 'interface class struct',
    'write \'type T = "a" | "b"\'': 'enum',
    "write 'use name', or 'use \"./file.plumb\" as Name'": 'import from require include',
  }).flatMap(([way, words]) => words.split(' ').map((word) => [word, way] as const)),
)

/** A declaration of another language, by its first word. */
export const ownDeclaration = (word: string): string | undefined => DECLARED.get(word)

/** What stands in front of an operand in other languages, and cannot here. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [ASK_TYPE]: 'typeof',
    'an expression makes values, and has no objects: time(s) reads a date, iso(n) writes one': 'new',
    'write fail("…")': 'throw raise fail',
    'an expression is the value that it gives: leave the word out': 'return yield await async',
    'a function of an item is written x -> e, as in sort(xs, x -> e)': 'lambda function fn func def',
    'write let x = e in e2': 'const var val def',
    [MENDED]: 'try',
    'write match e { x : T -> e2, _ -> e3 }, or if c then a else b': 'switch case when',
    'write omit(r, "a") for a record, without(m, k) for a map': 'del delete',
    'write if c then value else fail("…")': 'assert',
    'a program cannot print from within: an expression gives a value': 'print echo',
  }).flatMap(([way, words]) => words.split(' ').map((word) => [word, way] as const)),
)

/** What stands between two operands in other languages, and cannot here. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['is', 'write a = b, also for null, or ask for a type: match x { n : int -> true, _ -> false }'],
  ['as', 'text(x), number(s) and parse(s) convert; match tells what a value is; a name is given by let x = e in e2'],
  ['not', 'what is in a list, or a string, says contains(xs, x): not contains(xs, x)'],
  ['in', 'what is in a list, or a string, says contains(xs, x)'],
  ['|', 'functions stand in front of what they take, as in length(xs)'],
  ['~', 'write matches(s, "re")'],
  ['instanceof', ASK_TYPE],
  ['matches', 'write matches(s, "re")'],
  ['contains', 'write contains(xs, x)'],
  ['has', 'write has(value.a)'],
  ['with', 'write { ...r, a: e } for r with another a; the arms of a match stand in { }'],
  ['end', 'an if ends with what is behind its else, without a word'],
  ['elif', "write 'else if'"],
  ['unless', 'write if c then a else b'],
  ['catch', MENDED],
  ['except', MENDED],
])

const VALUES = named({
  true: 'true',
  false: 'false',
  null: 'none nil undefined',
  value: 'input this self it item message msg event record row data',
})

/** Spelt in any way: `toUpperCase`, `to_upper_case`. */
export const plain = (name: string): string => name.toLowerCase().replaceAll('_', '')

/** The same where processes are wired. */
export const wayOfProcess = (name: string): string | undefined => {
  const way = ownWay(name)
  return way?.includes('messages') ? way : undefined
}

/** How a function of another language is written. */
export const ownWay = (name: string): string | undefined => WAYS.get(plain(name))

const ARITIES: Readonly<Record<string, string>> = {
  'range 2': 'range(n) is 0 to n - 1: write [i + a for i in range(b - a)]',
  'range 3': 'range(n) is 0 to n - 1: write [a + i * step for i in range(div(b - a, step))]',
  'round 2': 'write round(x * 100) / 100, or fixed(x, 2) for the text',
  'split 1': 'write words(s), lines(s) or split(s, ",")',
  'join 1': 'write join(xs, "")',
}

/** With another number of arguments, as in other languages. */
export const wayOfArity = (name: string, count: number): string | undefined => ARITIES[`${name} ${count}`]

export const ownOperator = (text: string): string | undefined => OPERATORS.get(text)

export const ownWord = (word: string): string | undefined => WORDS.get(word)

/** How a method is written, of which it is not known what it is called on. */
export const calledOnValue = (name: string, of: string, hasNoArguments: boolean): string => {
  if (/^(?:map|flatMap|forEach)$/.test(name)) return `write [e for x in ${of}]`
  if (name === 'filter') return `write [x for x in ${of} if c]`
  const own = ownFunction(name)
  // The string of Python's is the one that joins.
  if (name === 'join' && of.startsWith('"')) return `write join(xs, ${of})`
  return (own === undefined ? ownWay(name) : undefined) ?? `write ${own ?? name}(${of}${hasNoArguments ? '' : ', …'})`
}

/** Functions that are members of an object there. */
export const isForeignHome = (name: string): boolean =>
  /^(?:Math|JSON|Object|Array|String|Number|Date|RegExp|Promise|Buffer|crypto|math|json|re|os|datetime|random|np|pd|console|process|base64|hashlib|itertools|functools|statistics|urllib|_)$/.test(
    name,
  )

/** What others call the state of a fold. */
export const isState = (name: string): boolean => /^(?:acc|accumulator|prev|previous|memo|carry|total|so_far)$/.test(name)

export const ownValue = (name: string): string | undefined => VALUES.get(name.toLowerCase())

export const ownFunction = (name: string): string | undefined => FUNCTIONS.get(plain(name))

export const ownType = (name: string): string | undefined => TYPES.get(name.toLowerCase())
