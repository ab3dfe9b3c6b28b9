// What a child reports of itself, which may be any program: a line each. Whatever it says, a listener of the run neither throws nor writes what is no
// JSON, and no sum becomes a number that is none.

import { PassThrough } from 'node:stream'
import { ChildMonitor } from '../../../packages/runtime/src/child/child-monitor.js'
import { StatsCounter } from '../../../packages/runtime/src/display/stats-counter.js'
import { runSummaryText, summaryJson } from '../../../packages/runtime/src/display/summary.js'
import { TraceBuilder } from '../../../packages/runtime/src/display/trace/trace-builder.js'
import { openEmitter } from '../../../packages/runtime/src/event/emitter.js'
import { LineReader } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const lines = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify({ ...value, agent: 'a', time: '2026-01-01T00:00:00.000Z' })}\n`).join('')

const TOKENS = { input_tokens: 9, output_tokens: 4, cache_read_tokens: 1, cache_creation_tokens: 0 }

export const telemetry: Target = {
  name: 'telemetry',
  seeds: [
    lines(
      { kind: 'usage', ...TOKENS, model: 'm', ms: 12 },
      { kind: 'text', delta: 'x' },
      { kind: 'thinking', text: 'y' },
      { kind: 'output', value: { a: 1 } },
    ),
    lines(
      { kind: 'tool_call', id: '1', name: 't', input: { a: [1] } },
      { kind: 'tool_result', id: '1', name: 't', is_error: false, ms: 3, bytes: 9 },
      { kind: 'mended', what: 'code fence' },
    ),
    lines(
      { kind: 'retry', attempt: 1, reason: 'timeout', wait_ms: 5 },
      { kind: 'error', error: 'timeout', category: 'unavailable', detail: 'd', seq: 1 },
      { kind: 'remembered', messages: [{ role: 'user', content: 'x' }] },
      { kind: 'settled', inputs: 1, controls: 0, outputs: 1 },
    ),
  ],
  words: [
    ...[
      '"kind":',
      '"usage"',
      '"text"',
      '"thinking"',
      '"mended"',
      '"tool_call"',
      '"tool_result"',
      '"retry"',
      '"output"',
      '"error"',
      '"remembered"',
      '"settled"',
    ],
    ...[
      '"id":',
      '"name":',
      '"input":',
      '"is_error":',
      '"model":',
      '"ms":',
      '"input_tokens":',
      '"output_tokens":',
      '"agent":',
      '"time":',
      '"constructor"',
      '"b"',
    ],
    ...['null', '[]', '{}', '-1', '1e300', '"5"', 'true', '"seq":', '"messages":', '"detail":', '\n'],
  ],
  cases: 300,
  maxBytes: 6000,
  judge: async (input) => {
    const counter = new StatsCounter()
    const builder = new TraceBuilder((event) => JSON.parse(JSON.stringify(event)))
    const emitter = openEmitter([counter, { on: (event) => builder.on(event) }])
    emitter?.emit({ kind: 'begin', time: '', spec: 's', binding: 'main', wires: [], nodes: [{ name: 'a', kind: 'agent' }], dot: () => '' })
    const child = {
      place: 'a',
      runs: 'program',
      pid: 1,
      emitter,
      parent: undefined,
      allowance: undefined,
      replay: undefined,
      state: undefined,
    } as const
    const observer = new ChildMonitor({ ...child, warn: () => {} })
    const message = Buffer.from('"x"')
    observer.asked(1, 1, message, 0, message.length)
    await new Promise<void>((resolve) => {
      const read = (): void => {
        while (reader.next()) if (!reader.fault) observer.takeTelemetry(reader.buf, reader.start, reader.end, (n) => n)
        if (reader.hasEnded) resolve()
      }
      const reader = new LineReader(new PassThrough().end(input), { onReadable: read })
    })
    observer.answered(1, 1, message, 0, message.length)
    observer.exited({ status: 0, signal: null })
    emitter?.emit({ kind: 'end', status: 0, stoppedBy: null })
    const run = { spec: 's', binding: 'main', ms: 5, status: 0, stoppedBy: null, stats: counter.stats, asksCost: true } as const
    JSON.parse(summaryJson(run))
    must(!/NaN|Infinity|undefined|\[object/.test(runSummaryText(run).join('\n')), runSummaryText(run).join('\n'))
  },
}
