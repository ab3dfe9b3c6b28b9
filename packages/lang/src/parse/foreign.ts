// Names of other languages, and what they are called here.

const named = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(table).flatMap(([own, others]) => others.split(' ').map((other) => [other, own] as const)))

/** Spelt in any way: `toUpperCase`, `to_upper_case`. */
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
  base64: 'btoa base64encode',
  unbase64: 'atob base64decode',
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

/** What has no name of its own here. */
const WAYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'strings and lists are joined by +, and the strings of a list by join(xs, "")': 'concat',
    'write sum(xs) / length(xs)': 'avg average mean',
    'write length(x) = 0': 'isempty empty',
    'write [x for x in xs if c]': 'select reject',
    'an expression has no clock: it gives the same for the same message': 'now today',
    'write $"…{e}…", and fixed(n, places) for a number': 'format sprintf printf',
    'parse(s) reads JSON, text(x) writes it': 'json',
    'write map_of([{ key: e.key, value: … } for e in entries(m)])': 'mapvalues withentries',
    'write fold(e, from: x), a process over the messages': 'reduce foldl aggregate',
  }).flatMap(([way, others]) => others.split(' ').map((other) => [other, way] as const)),
)

const KEYS = named({
  prompt: 'system systemprompt instructions systemmessage',
  max_retries: 'retries',
  history: 'messages',
  endpoint: 'baseurl apibase url',
  max_tokens: 'maxoutputtokens maxcompletiontokens',
  effort: 'reasoningeffort reasoning',
  conversation: 'session sessionid thread threadid memory',
  concurrency: 'parallel workers',
  amnesiac: 'stateless',
})

/** What stands between two operands in other languages, and cannot here. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['is', 'write a = b, also for null, or ask for a type: match x { n : int -> true, _ -> false }'],
  ['as', 'text(x), number(s) and parse(s) convert; match tells what a value is'],
  ['not', 'what is in a list, or a string, says contains(xs, x): not contains(xs, x)'],
  ['in', 'what is in a list, or a string, says contains(xs, x)'],
  ['|', 'functions stand in front of what they take, as in length(xs)'],
  ['~', 'write matches(s, "re")'],
  ['^', 'write pow(x, y)'],
])

const VALUES = named({
  true: 'true',
  false: 'false',
  null: 'none nil undefined',
  value: 'input this self it item message msg event record row data',
})

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '')

/** How a function of another language is written. */
export const ownWay = (name: string): string | undefined => WAYS.get(plain(name))

export const ownKey = (name: string): string | undefined => KEYS.get(plain(name))

export const ownOperator = (text: string): string | undefined => OPERATORS.get(text)

/** Functions that are members of an object there. */
export const isForeignHome = (name: string): boolean => /^(?:Math|JSON|Object|Array|String|Number|math|json)$/.test(name)

export const ownValue = (name: string): string | undefined => VALUES.get(name.toLowerCase())

export const ownFunction = (name: string): string | undefined => FUNCTIONS.get(plain(name))

export const ownType = (name: string): string | undefined => TYPES.get(name.toLowerCase())
