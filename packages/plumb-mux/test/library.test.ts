// wrap and unwrap as a library, and a property of their halves: multiplexing and demultiplexing gives back the same bytes.

import { PassThrough, Readable } from 'node:stream'
import type { Fault, FdName } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { Demultiplexer } from '../src/demultiplexer.js'
import { unwrap, wrap } from '../src/index.js'
import { Multiplexer } from '../src/multiplexer.js'
import { ALL_FDS, fdPortsOf } from '../src/port.js'

const textOf = async (stream: Readable): Promise<string> => Buffer.concat(await stream.toArray()).toString()

t.test('wrap, as a library', async (t) => {
  const faults: Fault[] = []
  const output = new PassThrough()
  const input = Readable.from([Buffer.from('{"__port":"input","msg":1}\n{"__port":"in'), Buffer.from('put","msg":"two"}\nno\n')])
  const session = wrap({
    command: ['bash', '-c', 'cat; echo "$X" >&7; exit 4'],
    env: { PATH: process.env.PATH ?? '', X: '{"x":1}' },
    fds: new Set([7]),
    input,
    output,
    onFault: (fault) => faults.push(fault),
  })
  if (!session.ok) throw new Error(session.error.detail)
  const [said, ending] = await Promise.all([textOf(output), session.value.ended])
  t.strictSame(said.trimEnd().split('\n').sort(), [
    '{"__port":"ctrl_out","msg":{"x":1}}',
    '{"__port":"output","msg":"two"}',
    '{"__port":"output","msg":1}',
  ])
  t.strictSame(ending, { status: 4, signal: null, isHungUp: false })
  t.match(faults, [{ error: 'invalid_json', line: 3 }])

  t.match(wrap({ command: ['./none'], input, output, onFault: () => {} }), { ok: false, error: { error: 'file_not_found' } })
})

t.test('unwrap, as a library', async (t) => {
  const [output, replies] = [new PassThrough(), new PassThrough()]
  const session = unwrap({
    command: ['node', '-e', 'console.log(\'{"__port":"telemetry","msg":0}\'); process.stdin.pipe(process.stdout)'],
    inputs: new Map<FdName, Readable>([['input', Readable.from([])]]),
    outputs: new Map<FdName, PassThrough>([
      ['output', output],
      ['ctrl_out', replies],
    ]),
    onFault: (fault) => t.fail(fault.detail),
  })
  if (!session.ok) throw new Error(session.error.detail)
  const [said, replied, ending] = await Promise.all([textOf(output), textOf(replies), session.value.ended])
  t.strictSame([said, replied, ending.status], ['', '', 0])

  const deaf = unwrap({
    command: ['sleep', '60'],
    inputs: new Map<FdName, Readable>([['input', new PassThrough()]]),
    outputs: new Map<FdName, PassThrough>([['output', new PassThrough()]]),
    onFault: () => {},
  })
  if (!deaf.ok) throw new Error(deaf.error.detail)
  deaf.value.kill('SIGTERM')
  t.equal((await deaf.value.ended).signal, 'SIGTERM')
})

// Cut into pieces of these sizes, one after the other.
const pieces = (text: string, sizes: readonly number[]): Readable => {
  const bytes = Buffer.from(text)
  const cut: Buffer[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1
    cut.push(Buffer.from(bytes.subarray(at, at + size)))
    at += size
  }
  return Readable.from(cut)
}

t.test('demultiplexing what was multiplexed gives the same bytes, for any cut of the streams', async (t) => {
  const text = fc.array(fc.oneof(fc.json({ noUnicodeString: false }), fc.constant('1'), fc.constant(`"${'x'.repeat(5000)}"`)), {
    maxLength: 60,
  })
  const sizes = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 })
  const ports = fdPortsOf('out', ALL_FDS)
  const law = fc.asyncProperty(fc.tuple(text, text, text, text), sizes, async (traffic, sizes) => {
    const faults: Fault[] = []
    const texts = traffic.map((lines) => lines.map((line) => `${line}\n`).join(''))
    const between = new PassThrough()
    const multiplexer = new Multiplexer({
      inputs: new Map(ports.map((port, i) => [port, pieces(texts[i] ?? '', sizes)])),
      output: between,
      maxLine: 1e6,
      direction: 'out',
      tee: undefined,
      report: (fault) => faults.push(fault),
      onPortEnd: (port) => multiplexer.sendEof(port),
      onOutputFault: (fault) => faults.push(fault),
    })
    const outputs = new Map(ports.map((port) => [port, new PassThrough()]))
    new Demultiplexer({
      input: pieces(await textOf(between), sizes),
      outputs,
      maxLine: 1e6,
      maxEnvelope: 1e6,
      direction: 'out',
      tee: undefined,
      report: (fault) => faults.push(fault),
    })
    const said = await Promise.all([...outputs.values()].map(textOf))
    return faults.length === 0 && said.every((one, i) => one === texts[i])
  })
  const result = await fc.check(law, { numRuns: runs(120) })
  t.notOk(result.failed, `seed ${result.seed} ${fc.defaultReportMessage(result) ?? ''}`)
})
