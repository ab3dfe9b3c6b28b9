import { readFileSync } from 'node:fs'
import { PassThrough, Writable } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { openLog } from '../src/cli/log.js'
import { again, seconds, whole } from '../src/cli/option-value.js'
import { Reporter } from '../src/cli/reporter.js'
import { usageFault } from '../src/cli/usage.js'
import { type Code, ERRORS, exitStatus, fault, isCode, isRetryable } from '../src/error.js'
import { DIRECTIONS, FDS, type FdName } from '../src/fd/table.js'
import { findFlaw } from '../src/json/flaw.js'
import { parseJson } from '../src/json/parse.js'
import { skipValue } from '../src/json/skip.js'
import { enclose, encloseEof, hasPortKey, isEnvelope, parseEnvelope, splitEnvelope } from '../src/line/envelope.js'
import { LineWriter } from '../src/line/writer.js'
import { nearest } from '../src/nearest.js'
import { preview } from '../src/preview.js'
import { addSecret, scrub } from '../src/scrub.js'
import { mapLimit, Semaphore } from '../src/semaphore.js'
import { systemReason } from '../src/system-reason.js'
import { TelemetryWriter } from '../src/telemetry.js'
import { holds, runs } from './property.js'

const parse = (text: string, isLast = false) => parseJson(Buffer.from(text), 0, Buffer.byteLength(text), isLast)

// Keys are read from the environment once, when the first text is shown.
process.env.WIRE_TEST_API_KEY = 'sk-CANARY"\\1234567890'
process.env.WIRE_TEST_KEY_PREFIX = 'short'

t.test('every error code', async (t) => {
  const categories = new Set(['config', 'invalid', 'not_found', 'denied', 'internal', 'unavailable'])
  const meanings = Object.values(ERRORS).map(({ meaning }) => meaning)
  t.equal(new Set(meanings).size, meanings.length, 'means something of its own')
  for (const [code, { category, meaning, remedy }] of Object.entries(ERRORS)) {
    t.match(code, /^[a-z][a-z0-9_]*$/)
    t.ok(categories.has(category), code)
    for (const text of [meaning, remedy]) t.notOk(/^$|^[A-Z][a-z]|[.\n]$/.test(text), `${code}: ${text}`)
  }
  t.same(fault('timeout', 'd', { error: 'x', category: 'y', detail: 'z', line: 3 }), {
    error: 'timeout',
    category: 'unavailable',
    detail: 'd',
    line: 3,
  })
  t.same(Object.keys(fault('usage', 'd', { a: 1 })), ['error', 'category', 'detail', 'a'])
  const expected: [Code, number, boolean][] = [
    ['spec_invalid', 2, false],
    ['invalid_json', 1, false],
    ['unknown_tool', 1, false],
    ['budget_spent', 1, false],
    ['write_failed', 1, false],
    ['rate_limited', 1, true],
  ]
  for (const [code, status, retryable] of expected)
    t.same([exitStatus(fault(code, '')), isRetryable(fault(code, ''))], [status, retryable], code)
  t.same([isCode('timeout'), isCode('toString')], [true, false])
})

t.test('JSON', async (t) => {
  const bad: [text: string, error: string, detail: RegExp, isLast?: boolean][] = [
    ['nonsense', 'invalid_json', /^not JSON at byte 2: expected a value, found "o"$/],
    ['[1 2]', 'invalid_json', /at byte 4: expected ',' or ']', found "2"/],
    ['{"a" 1}', 'invalid_json', /at byte 6: expected ':', found "1"/],
    ['{a:1}', 'invalid_json', /at byte 2: expected a string, found "a"/],
    ['[1,]', 'invalid_json', /at byte 4: expected a value/],
    ['1 é', 'invalid_json', /at byte 3: there is more after the value, found "é"/],
    ['"a\u0001"', 'invalid_json', /at byte 3: a control character.*found "\\u0001"/],
    ['"\\x"', 'invalid_json', /no such escape/],
    ['"\\u00g0"', 'invalid_json', /four hexadecimal digits/],
    ['01', 'invalid_json', /more after the value/],
    ['1.', 'invalid_json', /at its end: expected a digit/],
    ['[1e999]', 'invalid_json', /at byte 2: a number is out of range/],
    [`-${'9'.repeat(400)}`, 'invalid_json', /out of range/],
    ['NaN', 'invalid_json', /expected a value/],
    ['', 'invalid_json', /at its end: a value is missing/],
    ['{"b":', 'invalid_json', /at its end/],
    ['{"b":', 'truncated_line', /the input ended inside a value/, true],
    ['"caf', 'truncated_line', /a string is not closed/, true],
    ['tru', 'truncated_line', /./, true],
    ['oops', 'invalid_json', /at byte 1/, true],
    ['['.repeat(513) + ']'.repeat(513), 'too_deep', /^nested more than 512 deep$/],
    [`${'[{"a":'.repeat(300)}1`, 'too_deep', /./],
  ]
  for (const [text, error, detail, isLast] of bad) t.match(parse(text, isLast), { ok: false, error: { error, detail } }, preview(text))
  for (const text of [
    '['.repeat(512) + ']'.repeat(512),
    ' {"a":[1,-0.5e+3,"\\u00e9\\n/",true,false,null]}\r\n',
    '1e308',
    '0',
    '"\u2028"',
    '{"a":1,"a":2}',
  ]) {
    t.same(parse(text), { ok: true, value: JSON.parse(text) }, preview(text))
  }
  const value = parse('{"__proto__":{"x":1}}')
  t.ok(value.ok && Object.hasOwn(value.value as object, '__proto__') && ({} as { x?: number }).x === undefined)
  // The scanner and JSON.parse agree on what is JSON, but for the limits of ours.
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.json().chain((text) => fc.nat(text.length).map((at) => text.slice(0, at))),
        fc.string({ unit: fc.constantFrom(...'[]{}",:\\u0159-+.eE tfn\n') }),
      ),
      (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        return parse(text).ok === isJson
      },
    ),
    { numRuns: runs(2000) },
  )
})

t.test('envelopes', async (t) => {
  const split = (text: string) => {
    const buf = Buffer.from(text)
    const envelope = splitEnvelope(buf, 0, buf.length)
    if (!envelope.ok) return envelope.error.error
    const { port, isEof, start, end } = envelope.value
    return isEof ? `${port} ended` : `${port}: ${buf.toString('utf8', start, end)}`
  }
  const cases: [text: string, split: string, isEnvelope: boolean][] = [
    ['{"__port":"input","msg":{"b":1.0,"a":12345678901234567890}}', 'input: {"b":1.0,"a":12345678901234567890}', true],
    [' { "msg" : [ 1 , "\\u00e9" ] , "__port" : "ctrl_in" } ', 'ctrl_in: [ 1 , "\\u00e9" ]', true],
    ['{"__port":"input","eof":true}', 'input ended', true],
    ['{"__port":"a\\u0062","msg":null}', 'ab: null', true],
    ['{"\\u005f_port":"a","msg":1}', 'a: 1', true],
    ['{"__port":"a","__port":"b","msg":1,"msg":2}', 'b: 2', true],
    ['{"__port":"a","msg":{"__port":"b","msg":1}}', 'a: {"__port":"b","msg":1}', true],
    ['{"__port":7,"msg":1}', 'bad_envelope', true],
    ['{"__port":"a","eof":false}', 'bad_envelope', true],
    ['{"__port":"a","msg":1,"x":2}', 'bad_envelope', false],
    ['{"__port":"a","msg":1,"eof":true}', 'bad_envelope', false],
    ['{"__port":"a"}', 'bad_envelope', false],
    ['{"msg":3}', 'bad_envelope', false],
    ['{}', 'bad_envelope', false],
    ['[1]', 'bad_envelope', false],
    ['"{"', 'bad_envelope', false],
    ['nonsense', 'invalid_json', false],
    ['{"__port":"a","msg":1', 'invalid_json', false],
    ['{"__port":"a","msg":1}}', 'invalid_json', false],
    ['{"__port":"a","msg":1e999}', 'invalid_json', false],
    [`{"__port":"a","msg":${'['.repeat(512)}${']'.repeat(512)}}`, `a: ${'['.repeat(512)}${']'.repeat(512)}`, true],
    [`{"__port":"a","msg":${'['.repeat(513)}${']'.repeat(513)}}`, 'too_deep', false],
  ]
  for (const [text, expected, isOne] of cases) {
    t.equal(split(text), expected, preview(text))
    t.equal(isEnvelope(Buffer.from(text), 0, Buffer.byteLength(text)), isOne, preview(text))
    const value = parse(text)
    if (value.ok) t.equal(parseEnvelope(value.value).ok, expected !== 'bad_envelope', preview(text))
  }
  for (const [text, has] of Object.entries({
    '{"a":1,"__port":2}': true,
    '{"a":{"__port":2}}': false,
    '["__port"]': false,
    ' {"\\u005f_port":1}': true,
  })) {
    t.equal(hasPortKey(Buffer.from(text), 0, text.length), has, text)
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.json({ noUnicodeString: false }), fc.constantFrom('', ' ', '\t'), (port, json, space) => {
      const message = Buffer.from(`xx${space}${json}${space}yy`)
      const envelope = enclose(port, message, 2, message.length - 2)
      const result = splitEnvelope(envelope, 0, envelope.length)
      if (!result.ok) return false
      const { start, end } = result.value
      return result.value.port === port && envelope.toString('utf8', start, end) === json && isEnvelope(envelope, 0, envelope.length)
    }),
  )
  t.equal(`${encloseEof('input')}`, '{"__port":"input","eof":true}')
})

t.test('plumb-wire(5) has the table of errors and the descriptors as they are here', async (t) => {
  const page = readFileSync('man/plumb-wire.5', 'utf8')
  // What each means is told by `plumb explain`, from the same table.
  const [, errors = ''] = /^\.Ss Errors\n([\s\S]*?)^\.Ss /m.exec(page) ?? []
  const named = [...errors.matchAll(/^\.Pp\n\\fB(\w+)\\fP\.\n([\s\S]*?)(?=^\.Pp$|(?![\s\S]))/gm)].flatMap(([, category, codes = '']) =>
    [...codes.matchAll(/\\fB(\w+)\\fP/g)].map(([, code]) => `${category} ${code}`),
  )
  const meant = Object.entries(ERRORS).map(([code, { category }]) => `${category} ${code}`)
  t.strictSame(named.sort(), meant.sort())

  const descriptors = [...page.matchAll(/^\.It (\d)\n\\fB(\w+)\\fP, (in|out): /gm)].map(([, fd, port, direction]) => [
    port,
    Number(fd),
    direction,
  ])
  t.strictSame(
    descriptors,
    Object.entries(FDS).map(([port, fd]) => [port, fd, DIRECTIONS[port as FdName]]),
  )
})

t.test('a value that is skipped is a value', async (t) => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), fc.json(), fc.nat(40), (json, other, cut) => {
      const buf = Buffer.from(`${json}}${other}`)
      const end = Buffer.byteLength(json)
      if (skipValue(buf, 0, 0) !== end) return false
      const short = buf.subarray(0, Math.max(end - 1 - cut, 0))
      const behind = skipValue(short, 0, 0)
      return behind <= short.length && (behind < 0 || findFlaw(short, 0, behind) === undefined)
    }),
    { numRuns: runs(2000) },
  )
  for (const [text, isSkipped] of Object.entries({
    [`${'['.repeat(512)}${']'.repeat(512)}`]: true,
    [`${'['.repeat(513)}${']'.repeat(513)}`]: false,
    '{"a": [1, -0.5, "\\u00e9\\n/", true, false, null, {}, []]}': true,
    '01': false,
    '-': false,
    '1.': false,
    '[1,]': false,
    '{"a":1,}': false,
    '"\\u12g4"': false,
    '"\t"': false,
    nul: false,
  })) {
    t.equal(skipValue(Buffer.from(text), 0, 0) === text.length, isSkipped, preview(text))
  }
})

t.test('texts', async (t) => {
  t.equal(preview('a\nb\t\u0000\u009b\u2028\u202e"'), 'a\\nb\\t\\u0000\\u009b\\u2028\\u202e"')
  t.equal(preview('x'.repeat(60)), 'x'.repeat(60))
  const key = `sk-${'0123456789'.repeat(12)}`
  addSecret(key)
  for (let before = 0; before < 70; before++) {
    const text = 'x'.repeat(before)
    t.notMatch(preview(`${text}${key}`), 'sk', `a key that would be cut behind ${before} characters`)
    t.equal(preview(`${text}${key} and more of the text ${key}`, 300), `${text}*** and more of the text ***`)
  }
  t.equal(preview('x'.repeat(61)), `${'x'.repeat(59)}…`)
  t.equal(preview('😀'.repeat(70), 10), `${'😀'.repeat(9)}…`)
  t.equal(preview('\u0000'.repeat(10), 10), '\\u0000\\u0…')
  const names = ['critic', 'composer', 'Review', 'id']
  const meant: [string, string | undefined][] = [
    ['critik', 'critic'],
    ['crtiic', 'critic'],
    ['review', 'Review'],
    ['CRITIC', 'critic'],
    ['ib', 'id'],
    ['critic', undefined],
    ['judge', undefined],
    ['', undefined],
  ]
  for (const [name, expected] of meant) t.equal(nearest(name, names), expected, name)
})

t.test('the nearest of many is the one that counting all changes finds', async (t) => {
  const changes = (a: string, b: string): number => {
    const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
    const at = (i: number, j: number) => rows[i]?.[j] ?? 0
    for (let i = 1; i <= a.length; i++) {
      rows.push([i])
      for (let j = 1; j <= b.length; j++) {
        const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
        const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
        rows[i]?.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, isSwap ? at(i - 2, j - 2) + 1 : replaced))
      }
    }
    return at(a.length, b.length)
  }
  const slow = (name: string, names: readonly string[]) => {
    const most = name.length < 2 ? 0 : Math.max(1, Math.floor(name.length / 3))
    const distances = names.map((other) => (other.toLowerCase() === name.toLowerCase() ? 0 : changes(name, other)))
    const fit = distances.map((distance, i) => (names[i] === name || distance > most ? Infinity : distance))
    return names[fit.indexOf(Math.min(...fit))] === undefined || Math.min(...fit) === Infinity
      ? undefined
      : names[fit.indexOf(Math.min(...fit))]
  }
  const word = fc.string({ unit: fc.constantFrom(...'abcA'), maxLength: 9 })
  await holds(
    t,
    fc.property(word, fc.array(word, { maxLength: 8 }), (name, names) => nearest(name, names) === slow(name, names)),
    { numRuns: runs(1500) },
  )
})

t.test('what is said of a command line', async (t) => {
  const options = [{ long: '--telemetry', hidden: false }, { long: '--secrets-fd', hidden: true }, { long: undefined }]
  const said: [string, string, string, string][] = [
    ['unknownOption', "unknown option '--telemtry'\n(Did you mean --telemetry?)", 'unknown_option', "…; did you mean '--telemetry'?"],
    ['unknownOption', "unknown option '--secret-fd'", 'unknown_option', '…; see --help'],
    ['unknownOption', "unknown option '--a\nb'", 'unknown_option', "unknown option '--a\\nb'; see --help"],
    [
      'excessArguments',
      'too many arguments. Expected 1 argument but got 2.',
      'usage',
      'too many arguments: expected 1 argument but got 2; see --help',
    ],
    ['missingArgument', "missing required argument 'a. B'", 'usage', '…; see --help'],
    [
      'invalidArgument',
      "option '--n' argument 'x' is invalid. Allowed choices are 1.",
      'usage',
      "option '--n' argument 'x' is invalid: allowed choices are 1",
    ],
  ]
  for (const [code, message, error, detail] of said) {
    const expected = detail.replace('…', message.replace(/\n\(.*/, ''))
    t.match(usageFault({ code: `commander.${code}`, message: `error: ${message}` }, options), { error, detail: expected }, message)
  }
  const numbers: [number, string, number | undefined][] = [
    [1, '1', 1],
    [1, '0', undefined],
    [0, '0', 0],
    [0, '9007199254740991', 2 ** 53 - 1],
    ...['9007199254740992', '-1', '1e3', '0x10', '1.5', ' 1', '', 'many'].map((text): [number, string, undefined] => [0, text, undefined]),
  ]
  for (const [from, text, value] of numbers) {
    if (value === undefined)
      t.throws(() => whole(from)(text), { code: 'commander.invalidArgument', message: `it takes a whole number from ${from}` }, text)
    else t.equal(whole(from)(text), value, text)
  }
  t.strictSame(['1', '0.5', '2147483'].map(seconds), [1, 0.5, 2_147_483])
  for (const text of ['0', '-1', '2147484', '1s', '.5', ''])
    t.throws(() => seconds(text), { code: 'commander.invalidArgument', message: 'it takes a number of seconds' }, text)
  t.strictSame(again('b', again('a')), ['a', 'b'])
})

t.test('what is reported, and what is not', async (t) => {
  addSecret('token-of-the-spec')
  const reported = async (report: (stream: PassThrough) => Promise<unknown>): Promise<string> => {
    const stream = new PassThrough()
    await report(stream)
    return String(stream.read() ?? '')
  }
  const secret = fault('unauthorized', `refused ${process.env.WIRE_TEST_API_KEY} and token-of-the-spec`, { line: 3 })

  t.equal(scrub('token-of-the-spec short'), '*** short')
  const json = await reported(async (stream) => {
    const reporter = new Reporter('plumb-agent', () => stream)
    reporter.report(secret)
    reporter.report(fault('usage', 'no'))
    reporter.report(secret)
    t.equal(reporter.status, 2, 'the worst')
    await reporter.end()
  })
  t.same(
    json
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))[0],
    { error: 'unauthorized', category: 'denied', detail: 'refused *** and ***', line: 3 },
  )
  const text = await reported(async (stream) => {
    const reporter = new Reporter('plumb-agent', () => stream, { isJson: false })
    reporter.report(fault('invalid_json', 'not\u001b[31m JSON', { line: 3, port: 'input' }))
    reporter.report(fault('line_too_long', 'line 4 is longer', { line: 4 }))
    await reporter.end()
  })
  const warned = async (isJson: boolean) =>
    reported(async (stream) => {
      const reporter = new Reporter('plumb-agent', () => stream, { isJson })
      reporter.warn(fault('timeout', 'a server is left out'))
      t.equal(reporter.status, 0, 'a warning is not a failure')
      await reporter.end()
    })
  t.equal(await warned(false), 'plumb-agent: warning: a server is left out (timeout)\n')
  t.match(JSON.parse(await warned(true)), { warning: 'timeout' })
  t.equal(
    text,
    'plumb-agent: error: input line 3: not\\u001b[31m JSON (invalid_json)\nplumb-agent: error: line 4 is longer (line_too_long)\n',
  )

  const telemetry = await reported(async (stream) => {
    const writer = new LineWriter(stream)
    new TelemetryWriter(null, 'bot').emit({ kind: 'text', delta: 'unheard' })
    new TelemetryWriter(writer, 'bot').emit({ kind: 'text', delta: 'my token-of-the-spec' })
    await writer.end()
  })
  t.match(telemetry, /^\{"kind":"text","delta":"my \*\*\*","agent":"bot","time":"\d{4}-\d\d-\d\dT[\d:.]+Z"\}\n$/)

  const lines: string[] = []
  const silent = await openLog('plumb-agent', (line) => lines.push(line))
  silent('api_request', { model: 'm' })
  t.same(lines, [])
  process.env.PIPELINE_DEBUG = '1'
  const log = await openLog('plumb-agent', (line) => lines.push(scrub(line)))
  delete process.env.PIPELINE_DEBUG
  log('api_request', { model: 'm', authorization: 'Bearer token-of-the-spec' })
  t.match(JSON.parse(lines[0] ?? ''), { program: 'plumb-agent', msg: 'api_request', model: 'm', authorization: 'Bearer ***' })
})

t.test('errors are counted where they are written, and their status also where they are told elsewhere', async (t) => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reporter = new Reporter('plumb', () => stream, { isJson: true })
  reporter.warn(fault('timeout', 'late'))
  t.strictSame([reporter.errors, reporter.status], [0, 0])
  reporter.count(fault('timeout', 'late'))
  t.strictSame([reporter.errors, reporter.status], [0, 1])
  reporter.report(fault('timeout', 'late'))
  t.strictSame([reporter.errors, reporter.status], [1, 1])
  await reporter.end()
})

t.test('what the system said', async (t) => {
  t.equal(systemReason({ code: 'EACCES', errno: -13 }), 'permission denied (EACCES)')
  t.equal(systemReason({ code: 'EACCES', errno: 13 }), 'permission denied (EACCES)')
  t.equal(systemReason({ code: 'ERR_OTHER', message: 'x' }), 'ERR_OTHER')
  t.equal(systemReason({ message: 'x' }), 'x')
})

t.test('a semaphore', async (t) => {
  const permits = new Semaphore(2)
  t.ok(permits.tryAcquire() && permits.tryAcquire())
  t.notOk(permits.tryAcquire(), 'no third one')
  const order: string[] = []
  const stop = new AbortController()
  const [first, cancelled, last] = ['first', 'cancelled', 'last'].map((name) =>
    permits.acquire(name === 'cancelled' ? stop.signal : undefined).then((isGranted) => {
      order.push(`${name} ${isGranted}`)
    }),
  )
  t.equal(permits.waiting, 3)
  stop.abort()
  await cancelled
  permits.release()
  await first
  const idle = permits.idle().then(() => order.push('idle'))
  permits.release()
  await last
  permits.release()
  t.equal(permits.waiting, 0)
  permits.release()
  await idle
  t.strictSame(order, ['cancelled false', 'first true', 'last true', 'idle'])
  t.equal(await permits.acquire(stop.signal), false, 'not with a signal that has fired')
  await permits.idle()

  let [running, most] = [0, 0]
  const doubled = await mapLimit([1, 2, 3, 4, 5], 2, async (n) => {
    most = Math.max(most, ++running)
    for (let i = n; i < 6; i++) await null
    running--
    return 2 * n
  })
  t.strictSame([doubled, most], [[2, 4, 6, 8, 10], 2])
  t.strictSame(await mapLimit([], 2, async () => 1), [])
  await t.rejects(
    mapLimit([1, 2, 3], 1, async (n) => (n === 2 ? Promise.reject(new Error('two')) : n)),
    /two/,
  )
})
