import { EventEmitter, once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { readControl } from '../src/line/control-reader.js'
import { LineReader, type LineReaderOptions } from '../src/line/reader.js'
import { LineWriter } from '../src/line/writer.js'
import { growth } from './patience.js'
import { makeShell } from './probe.js'

/** `N: text`, `N: text (last)` or `N: code`. */
const readAll = (chunks: Iterable<Buffer>, options: LineReaderOptions = {}): Promise<string[]> =>
  new Promise((done) => {
    const seen: string[] = []
    const read = (): void => {
      while (reader.next()) {
        const text = reader.fault ? reader.fault.error : reader.buf.toString('utf8', reader.start, reader.end)
        seen.push(`${reader.fault ? reader.fault.line : reader.line}: ${text}${reader.isLast && !reader.fault ? ' (last)' : ''}`)
      }
      if (reader.hasEnded) done(seen)
    }
    const reader = new LineReader(Readable.from(chunks), { ...options, onReadable: read })
  })

const cut = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

const latin = (text: string) => Buffer.from(text, 'latin1')
const long = 'x'.repeat(20)

const FRAMING: [name: string, input: string | Buffer, expected: string[], options?: LineReaderOptions][] = [
  ['nothing', '', []],
  ['two lines', '1\n"b"\n', ['1: 1', '2: "b"']],
  ['a last line without its end counts', '1\n2', ['1: 1', '2: 2 (last)']],
  ['blank lines are skipped and counted', '\n \t\n\r\n1\n\n2\n  ', ['4: 1', '6: 2']],
  ['one CR before LF is dropped, no other', '1\r\n"a\rb"\n2 \r\r\n3\r', ['1: 1', '2: "a\rb"', '3: 2 \r', '4: 3\r (last)']],
  ['a byte-order mark is dropped at the very start only', '\ufeff1\n\ufeff2\n', ['1: 1', '2: \ufeff2']],
  ['a byte-order mark alone is blank', '\ufeff\n1\n', ['2: 1']],
  ['U+2028 and U+0085 are data', '"\u2028\u2029\u0085"\n', ['1: "\u2028\u2029\u0085"']],
  ['many bytes a character', '"é€😀"\n"😀"\n', ['1: "é€😀"', '2: "😀"']],
  [
    'bytes that are not UTF-8',
    latin('"a"\n"\xff"\n"b"\n\xc0\x80\n"\xed\xa0\x80"\n"c"\n'),
    ['1: "a"', '2: invalid_utf8', '3: "b"', '4: invalid_utf8', '5: invalid_utf8', '6: "c"'],
  ],
  ['an input that ends inside a character', latin('"a"\n"caf\xc3'), ['1: "a"', '2: truncated_line']],
  ['an input that ends in a wrong byte', latin('"a"\n"caf\xff'), ['1: "a"', '2: invalid_utf8']],
  ['UTF-16', Buffer.from('\ufeff"a"\n', 'utf16le'), ['1: invalid_utf8', '2: \0 (last)']],
  ['a line of the limit', `${'x'.repeat(8)}\n1\n`, ['1: xxxxxxxx', '2: 1'], { maxLine: 8 }],
  ['the line end and the mark do not count', `\ufeff${'x'.repeat(8)}\r\n1\n`, ['1: xxxxxxxx', '2: 1'], { maxLine: 8 }],
  ['a line over the limit', `1\n${'x'.repeat(9)}\n2\n`, ['1: 1', '2: line_too_long', '3: 2'], { maxLine: 8 }],
  [
    'long lines first, between, last',
    `${long}\n1\n${long}\n\n${long}\n2\n${long}`,
    ['1: line_too_long', '2: 1', '3: line_too_long', '5: line_too_long', '6: 2', '7: line_too_long'],
    { maxLine: 8 },
  ],
  ['text lines', 'a"b\n\n \r\n\t\\é', ['1: "a\\"b"', '2: ""', '3: " "', '4: "\\t\\\\é" (last)'], { raw: true }],
  ['text lines that are not UTF-8', latin('a\n\xff\nb\n'), ['1: "a"', '2: invalid_utf8', '3: "b"'], { raw: true }],
]

t.test('fault 7: framing does not depend on how the bytes come', async (t) => {
  for (const [name, input, expected, options] of FRAMING) {
    const bytes = Buffer.from(input as string)
    for (const size of [1, 3, 7, 1 << 16]) t.same(await readAll(cut(bytes, size), options), expected, `${name}, ${size} at a time`)
  }
  const line = fc
    .oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', ' ', '\r', '\ufeff', long))
    .map((text) => text.replaceAll('\n', ''))
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.boolean(), fc.integer({ min: 1, max: 12 }), async (lines, hasEnd, size) => {
      const bytes = Buffer.from(lines.join('\n') + (hasEnd ? '\n' : ''))
      t.strictSame(await readAll(cut(bytes, size), { maxLine: 10 }), await readAll([bytes], { maxLine: 10 }))
    }),
    { numRuns: 60 },
  )
})

t.test('a reader holds a line and a chunk, no more', async (t) => {
  let given = 0
  const source = new Readable({
    highWaterMark: 1,
    read() {
      given++
      this.push(Buffer.from('1\n2\n3\n'))
    },
  })
  const events = new EventEmitter()
  const reader = new LineReader(source, { onReadable: () => events.emit('readable') })
  await once(events, 'readable')
  t.ok(reader.next())
  await new Promise((done) => setImmediate(done))
  const before = given
  await new Promise((done) => setImmediate(done))
  t.equal(given, before, 'nothing is read while lines are left')
  reader.next()
  reader.next()
  t.equal(reader.line, 3)
  t.notOk(reader.next())
  t.notOk(reader.hasEnded)
  await once(events, 'readable')
  t.ok(reader.next(), 'reads on when they are used up')
  reader.stop()
  t.notOk(reader.next())
  t.ok(reader.hasEnded)

  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('1\n2')
      throw Object.assign(new Error('no'), { code: 'EIO', errno: -5 })
    })(),
  )
  const seen: unknown[] = []
  await new Promise<void>((done) => {
    const read = (): void => {
      while (failing.next()) seen.push(failing.fault?.detail ?? failing.buf.toString('utf8', failing.start, failing.end))
      if (failing.hasEnded) done()
    }
    const failing = new LineReader(broken, { onReadable: read })
  })
  t.same(seen, ['1', '2', 'cannot read: i/o error (EIO)'])
})

t.test('fault 11: a line costs time in proportion to its length', async (t) => {
  const growing = await growth(1 << 20, 15 << 20, async (length) => {
    const pieces = cut(Buffer.concat([Buffer.alloc(length, 'x'), Buffer.from('\n1\n')]), 1000)
    const lines = await readAll(pieces)
    t.same(
      lines.map((line) => line.length),
      [length + 3, 4],
    )
  })
  t.ok(growing < 120, `15 times as long: ${growing} times the time; 225 times if each piece copied what came before`)
})

t.test('control messages follow the same rules', async (t) => {
  const messages = (bytes: Buffer, size: number): Promise<unknown[]> =>
    new Promise((done) => {
      const seen: unknown[] = []
      readControl(
        Readable.from(cut(bytes, size)),
        (message, line) => seen.push([line, message]),
        (fault) => seen.push([fault.line, fault.error]),
        () => done(seen),
      )
    })
  const input = latin('\xef\xbb\xbf{"a":"\xc3\xa9\xe2\x80\xa8"}\r\n\n \nnonsense\n"\xff"\n[1e999]\n{"b":')
  const expected = [
    [1, { a: 'é\u2028' }],
    [4, 'invalid_json'],
    [5, 'invalid_utf8'],
    [6, 'invalid_json'],
    [7, 'truncated_line'],
  ]
  for (const size of [1, 4, 1000]) t.same(await messages(input, size), expected, `${size} at a time`)

  const big = Buffer.concat([Buffer.from('1\n'), Buffer.alloc(17 << 20, 'x'), Buffer.from('\n2\n')])
  t.same(await messages(big, 1 << 20), [
    [1, 1],
    [2, 'line_too_long'],
    [3, 2],
  ])
})

t.test('lines that are written together are those that are written one by one', async (t) => {
  let lines = 0
  const json = fc.oneof(fc.string({ maxLength: 40 }), fc.nat(), fc.constant('x'.repeat(9000))).map((value) => JSON.stringify(value))
  /** Lines of one buffer, and how often the buffer is written; where it is not written whole, its first line is written by itself. */
  const part = fc.record({ lines: fc.array(json, { minLength: 1, maxLength: 12 }), times: fc.nat(3), isWhole: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), fc.boolean(), fc.boolean(), async (parts, raw, flushes) => {
      const written: [Buffer[], Buffer[]] = [[], []]
      const into = (list: Buffer[]) =>
        new Writable({
          write: (chunk, _encoding, done) => {
            list.push(chunk)
            setImmediate(done)
          },
        })
      const [one, other] = [new LineWriter(into(written[0]), { raw }), new LineWriter(into(written[1]), { raw })]
      for (const { lines, times, isWhole } of parts) {
        const buf = Buffer.from(`${lines.join('\n')}\n`)
        const first = buf.indexOf(10) + 1
        for (let time = 0; time < times; time++) {
          if (isWhole) one.writeLines(buf, 0, buf.length, lines.length)
          else {
            one.write(buf, 0, first - 1)
            if (lines.length > 1) one.writeLines(buf, first, buf.length, lines.length - 1)
          }
          for (let at = 0; at < buf.length; ) {
            const end = buf.indexOf(10, at)
            other.write(Buffer.from(buf.subarray(at, end)), 0, end - at)
            at = end + 1
          }
        }
        if (flushes) one.flush()
      }
      await Promise.all([one.end(), other.end()])
      const [together, alone] = [`${Buffer.concat(written[0])}`, `${Buffer.concat(written[1])}`]
      if (together !== alone) throw new Error(`${together}\n--- one by one:\n${alone}`)
      lines += one.lines
      if (one.lines !== other.lines || one.bytes !== other.bytes) throw new Error(`${one.lines} lines, ${one.bytes} bytes`)
    }),
    { numRuns: 100 },
  )
  t.ok(lines > 1000, `${lines} lines`)
})

t.test('writing', async (t) => {
  const chunks: Buffer[] = []
  const sink = () =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk)
        done()
      },
    })

  const writer = new LineWriter(sink())
  const region = Buffer.from('1\n22\n333\n4\r\n5')
  writer.write(region, 0, 1)
  writer.write(region, 2, 4)
  writer.write(region, 5, 8)
  writer.flush()
  t.equal(chunks.length, 1, 'one write')
  t.equal(chunks[0]?.buffer, region.buffer, 'neighbours are not copied')
  t.equal(`${chunks[0]}`, '1\n22\n333\n')
  writer.write(region, 2, 4)
  writer.write(region, 0, 1)
  writer.write(region, 9, 10)
  writer.write(region, 12, 13)
  writer.writeText('{"a":"é"}')
  await new Promise((done) => setImmediate(done))
  t.equal(chunks.length, 2, 'everything of one tick is one write')
  t.equal(`${chunks[1]}`, '22\n1\n4\n5\n{"a":"é"}\n')
  await writer.end()
  t.same([writer.lines, writer.bytes], [8, Buffer.concat(chunks).length])

  chunks.length = 0
  const raw = new LineWriter(sink(), { raw: true })
  for (const text of [
    '"plain é"',
    '"a\\n\\"b\\u00e9"',
    '""',
    '{"a":"b"}',
    '"tail\\n"',
    '"\\ud83d\\ude00 \\ud83d"',
    '"\\ud83d\\ude00"',
    '12',
  ])
    raw.writeText(text)
  await raw.end()
  t.equal(Buffer.concat(chunks).toString(), 'plain é\na\n"bé\n\n{"a":"b"}\ntail\n\n"\\ud83d\\ude00 \\ud83d"\n😀\n12\n')

  const pipe = new PassThrough({ highWaterMark: 1 })
  const events = new EventEmitter()
  const slow = new LineWriter(pipe, { onDrain: () => events.emit('drain') })
  const line = Buffer.alloc(100_001, '\n').fill('x', 0, 100_000)
  let written = 0
  for (; !slow.isFull && written < 100; written++) slow.write(line, 0, 100_000)
  t.ok(written <= 5, `full after ${written} writes of 100 kB`)
  const drained = once(events, 'drain')
  pipe.resume()
  await drained
  t.notOk(slow.isFull)

  let refuse: (error: Error) => void = () => {}
  const gone = new LineWriter(
    new Writable({
      write(_chunk, _encoding, done) {
        refuse = done
      },
    }),
    { onDrain: () => writeOn(), onClosed: () => events.emit('closed') },
  )
  let reported = 0
  const writeOn = () => {
    for (reported++; !gone.isFull && reported < 1000; reported++) gone.write(line, 0, 100_000)
  }
  while (!gone.isFull) gone.write(line, 0, 100_000)
  const closed = once(events, 'closed')
  refuse(Object.assign(new Error('gone'), { code: 'EPIPE' }))
  await closed
  t.equal(reported, 0, 'what waited when the reader went away makes no room')
})

for (const means of [{}, { STREAMS: '1' }]) {
  t.test(`faults 12, 27, 28, 29, 31: through real pipes and devices${'STREAMS' in means ? ', by streams' : ''}`, async (t) => {
    const { shell } = makeShell()
    const cases: [name: string, script: string, expected: { out?: string; err?: RegExp; status?: number }][] = [
      ['a pipe', `printf '1\\n2\\n3' | node $probe copy 0 1 | cat`, { out: '1\n2\n3\n', err: /^$/ }],
      ['files, appended to', `echo 1 > in; echo 0 > out; node $probe copy 0 1 < in >> out; cat out`, { out: '0\n1\n', err: /^$/ }],
      ['/dev/null in and out', `node $probe copy 0 1 < /dev/null > /dev/null`, { out: '', err: /^$/, status: 0 }],
      ['a reader that goes away', `yes 1 | node $probe copy 0 1 | head -1; echo "\${PIPESTATUS[1]}"`, { out: '1\n0\n', err: /^$/ }],
      [
        'a full device',
        `printf '1\\n2\\n' | node $probe copy 0 1 > /dev/full`,
        {
          status: 1,
          err: /^\{"error":"write_failed","category":"internal","detail":"cannot write: no space left on device \(ENOSPC\)"\}\n$/,
        },
      ],
      [
        'a stdout that was never open',
        `echo 1 | $launcher $probe copy 0 1 >&-`,
        { status: 1, err: /^\{"error":"write_failed".*descriptor 1 is not open"\}\n$/ },
      ],
      [
        'a stdout that was never open, and nothing to write',
        `$launcher $probe copy 0 1 </dev/null >&-`,
        { status: 1, err: /^\{"error":"write_failed".*descriptor 1 is not open"\}\n$/ },
      ],
      [
        'a stdin that was never open',
        `$launcher $probe copy 0 1 <&-`,
        { out: '', status: 1, err: /read_failed.*descriptor 0 is not open/ },
      ],
      ['a directory', `node $probe copy 0 1 < /`, { status: 1, err: /^\{"error":"read_failed".*EISDIR/ }],
      ['a full stderr', `$launcher $probe complain 3 2> /dev/full`, { status: 1, err: /^$/ }],
      ['a closed stderr', `$launcher $probe complain 3 2>&-`, { status: 1 }],
      ['a stderr that is no longer read', `exec 3>&1; { node $probe complain 1000 2>&1 >&3; echo $? >&3; } | true`, { out: '1\n' }],
      [
        'a big line at the end, read late',
        `{ echo 1; head -c 3000000 /dev/zero | tr '\\0' a; } | node $probe copy 0 1 | { sleep 0.5; wc -c; }`,
        { out: '3000003\n' },
      ],
    ]
    for (const [name, script, { out, err, status }] of cases) {
      const ran = await shell(script, means)
      if (out !== undefined) t.equal(ran.out.replace(/^ +/, ''), out, `${name}: output`)
      if (err) t.match(ran.err, err, `${name}: errors`)
      if (status !== undefined) t.equal(ran.status, status, `${name}: status`)
    }

    const MiB = 1 << 20
    const sizes: [name: string, script: string, errors: number, limit: number][] = [
      [
        'a 64 MiB line against a limit of 1 MiB',
        `{ head -c 64M /dev/zero | tr '\\0' a; echo; echo 2; } | node $probe copy 0 1 ${MiB}`,
        1,
        110 * MiB,
      ],
      ['an endless line', `yes | tr -d '\\n' | head -c 200M | node $probe copy 0 1 ${MiB}`, 1, 110 * MiB],
      [
        'a slow reader',
        `yes '{"a":"some text or other"}' | head -n 4000000 | node $probe copy 0 1 | { sleep 1; cat; } > /dev/null`,
        0,
        130 * MiB,
      ],
    ]
    for (const [name, script, errors, limit] of sizes) {
      const lines = (await shell(script, { ...means, RSS: '1' })).err
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      t.equal(lines.length, errors + 1, `${name}: errors`)
      const rss = lines.at(-1).rss as number
      t.ok(rss < limit, `${name}: ${Math.round(rss / MiB)} MiB at most`)
    }
  })
}
