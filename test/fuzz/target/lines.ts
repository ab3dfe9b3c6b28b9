// Lines, JSON and envelopes: whatever the bytes, and wherever they are cut, the same lines and faults come out, and they are those that a
// reader of a few lines of code finds.

import { isUtf8 } from 'node:buffer'
import { PassThrough } from 'node:stream'
import {
  checkJson,
  enclose,
  hasPortKey,
  isCode,
  isEnvelope,
  LineReader,
  MAX_JSON_DEPTH,
  parseEnvelope,
  parseJson,
  parseTree,
  readControl,
  splitEnvelope,
  stringOf,
} from '../../../packages/wire/src/index.js'
import type { Random } from '../random.js'
import { must, type Target } from '../target.js'

/** What came of each line: its bytes, or the code of what is wrong with it. */
type Read = readonly string[]

const read = async (chunks: readonly Buffer[], maxLine: number): Promise<Read> => {
  const stream = new PassThrough()
  const lines: string[] = []
  const done = new Promise<void>((resolve) => {
    const take = (): void => {
      while (reader.next()) {
        const { fault, buf, start, end, line, isLast } = reader
        must(!fault || isCode(fault.error), 'a fault has no code of the table')
        lines.push(`${line} ${fault ? fault.error : `${isLast} ${buf.toString('latin1', start, end)}`}`)
      }
      if (reader.hasEnded) resolve()
    }
    const reader = new LineReader(stream, { maxLine, onReadable: take })
  })
  for (const chunk of chunks) stream.write(Buffer.from(chunk))
  stream.end()
  await done
  return lines
}

const torn = (input: Buffer, random: Random): Buffer[] => {
  const chunks: Buffer[] = []
  const longest = random.pick([1, 3, 20, 5000])
  for (let at = 0; at < input.length; ) {
    const to = at + 1 + random.below(longest)
    chunks.push(input.subarray(at, to))
    at = to
  }
  return chunks
}

// As plumb-wire(5) has it, and no faster.
const simply = (input: Buffer, maxLine: number): Read => {
  const lines: string[] = []
  let from = 0
  for (let line = 1; from < input.length; line++) {
    const newline = input.indexOf(10, from)
    const isLast = newline < 0
    const next = isLast ? input.length : newline + 1
    let bytes = input.subarray(from, isLast ? next : newline)
    if (!isLast && bytes.at(-1) === 13) bytes = bytes.subarray(0, -1)
    if (line === 1 && bytes.subarray(0, 3).equals(MARK)) bytes = bytes.subarray(3)
    from = next
    if (bytes.length > maxLine) lines.push(`${line} line_too_long`)
    else if (!isUtf8(bytes)) lines.push(`${line} ${isLast && isCut(bytes) ? 'truncated_line' : 'invalid_utf8'}`)
    else if (!/^[ \t\r]*$/.test(bytes.toString('latin1'))) lines.push(`${line} ${isLast} ${bytes.toString('latin1')}`)
  }
  return lines
}

const MARK = Buffer.from('\ufeff')

// Would some more bytes make it UTF-8?
const isCut = (bytes: Buffer): boolean => {
  const ends = [[0x80], [0xa0], [0x80, 0x80], [0xa0, 0x80], [0x90, 0x80], [0x80, 0x80, 0x80], [0x90, 0x80, 0x80]]
  return ends.some((end) => isUtf8(Buffer.concat([bytes, Buffer.from(end)])))
}

const judgeJson = (line: Buffer): void => {
  const flaw = checkJson(line, 0, line.length)
  const parsed = parseJson(line, 0, line.length)
  const tree = parseTree(line, 0, line.length)
  must(parsed.ok === !flaw, 'checkJson and parseJson do not agree')
  must((tree.kind === 'fault') === !parsed.ok, `parseTree says ${tree.kind}, parseJson ${parsed.ok}`)
  let value: unknown
  let isJson = true
  try {
    value = JSON.parse(line.toString('utf8'))
  } catch {
    isJson = false
  }
  if (parsed.ok) must(isJson && same(parsed.value, value), 'JSON.parse reads it in another way')
  // What only we refuse: too deep, or a number that is not finite.
  else if (isJson)
    must(flaw?.error === 'too_deep' || /1e999|[0-9]{20}|e\+?[0-9]{2}/i.test(line.toString('latin1')), `refused: ${flaw?.detail}`)
  if (tree.kind === 'string') must(stringOf(tree, line) === value, 'a string is read in another way')
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const judgeEnvelope = (line: Buffer): void => {
  const split = splitEnvelope(line, 0, line.length)
  const parsed = parseJson(line, 0, line.length)
  const value = parsed.ok ? parsed.value : undefined
  const simply = parsed.ok ? parseEnvelope(value) : undefined
  must(split.ok === (simply?.ok ?? false), `splitEnvelope says ${split.ok}, parseEnvelope ${simply?.ok}`)
  if (!split.ok) must(isCode(split.error.error), 'a fault has no code of the table')
  if (split.ok && simply?.ok) {
    must(split.value.port === simply.value.port, 'the port is read in two ways')
    must(split.value.isEof === 'eof' in simply.value, 'the end is read in two ways')
    if ('msg' in simply.value) {
      const { port, start, end } = split.value
      must(same(JSON.parse(line.toString('utf8', start, end)), simply.value.msg), 'the message is read in two ways')
      const again = enclose(port, line, start, end)
      const back = splitEnvelope(again, 0, again.length)
      must(
        back.ok && back.value.port === port && again.subarray(back.value.start, back.value.end).equals(line.subarray(start, end)),
        'there and back',
      )
    }
  }
  if (!parsed.ok) return
  const keys = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  must(hasPortKey(line, 0, line.length) === keys.includes('__port'), 'hasPortKey is wrong')
  const isOne = keys.length === 2 && keys.includes('__port') && (keys.includes('msg') || keys.includes('eof'))
  must(isEnvelope(line, 0, line.length) === isOne, 'isEnvelope is wrong')
}

export const lines: Target = {
  name: 'lines',
  seeds: [
    '{"a":1}\n"b"\r\n\n  \n[1,2,{"c":null}]\ntrue',
    '\ufeff{"__port":"input","msg":{"a":[1,2.50,"é"]}}\n{"__port":"ctrl_in","msg":{"pause":true}}\n{"__port":"input","eof":true}\n',
    '{"msg":"x","__port":"tool_resp"}\n { "__port" : "input" , "msg" : 1 } \n{"__port":"a","msg":1,"msg":2,"__port":"b"}\n{"\\u005f_port":"input","msg":1}\n',
    '"\\ud800"\n"\u2028"\n-0\n1e5\n12345678901234567890\n"\\u0000\\n"\n{"__proto__":1,"a":{"constructor":{"prototype":2}}}\n',
    `${'x'.repeat(70)}\n"${'é'.repeat(30)}"\n${'['.repeat(40)}${']'.repeat(40)}\n`,
    '{"id":"1","name":"f","input":{"a":1}}\n{"id":"1","content":"x","is_error":false}\n{"set_temp":0.5}\n',
  ],
  words: [
    ...[
      '{"__port":"input","msg":',
      '{"__port":"',
      '"__port"',
      '"msg"',
      '"eof":true',
      ',"eof":true',
      '}',
      '{',
      '[',
      ']',
      ',',
      ':',
      '\n',
      '\r\n',
    ],
    ...[
      '"\\u0041"',
      '\\',
      '"',
      'null',
      'true',
      'false',
      '-',
      '1e999',
      '0.',
      '1E+',
      '\\u',
      '\\ud83d\\ude00',
      '{"a":1}',
      `${'['.repeat(MAX_JSON_DEPTH)}`,
    ],
  ],
  cases: 500,
  judge: async (input, random) => {
    const maxLine = random.pick([8, 64, 1000, 100_000])
    const whole = await read([input], maxLine)
    must(same(whole, simply(input, maxLine)), `${JSON.stringify(whole)}\nis not\n${JSON.stringify(simply(input, maxLine))}`)
    const cut = await read(torn(input, random), maxLine)
    must(same(whole, cut), `torn ${JSON.stringify(cut)}\nwhole ${JSON.stringify(whole)}`)
    if (!same(await controls([input]), await controls(torn(input, random)))) throw new Error('control messages differ when they are torn')
    for (const one of whole) {
      const [, , text] = /^(\d+ (?:true|false)) (.*)$/s.exec(one) ?? []
      if (text === undefined) continue
      const line = Buffer.from(text, 'latin1')
      judgeJson(line)
      judgeEnvelope(line)
    }
  },
}

const controls = (chunks: readonly Buffer[]): Promise<unknown[]> =>
  new Promise((resolve) => {
    const stream = new PassThrough()
    const heard: unknown[] = []
    readControl(
      stream,
      (message, line) => heard.push([line, message]),
      (fault) => {
        must(isCode(fault.error), 'a fault has no code of the table')
        heard.push([fault.line, fault.error])
      },
      () => resolve(heard),
    )
    for (const chunk of chunks) stream.write(Buffer.from(chunk))
    stream.end()
  })
