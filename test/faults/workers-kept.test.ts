// long
// What is seen of runs by workers when they go on, and what is kept of them: records, traces, spans, lines of workers.

import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { ENDED, end, lines, PATIENCE_MS, stageOf } from './worker-stage.js'

const FILES = {
  'talk.plumb': `
    let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }
    let other : !string -> !string = agent { provider: "eliza", model: "doctor", amnesiac: true }
    let main : !string -> !(string, string) = plumb(input, output) {
      input ; map(lower(value)) ; bot ; filter(length(value) > 20) ; (id * other) ; barrier ; output
    }`,
  'where.plumb': `
    let where : { arguments?: [string] } -> string = tool { command: "printenv TRACEPARENT" }
    let bot : !string -> !string = agent { provider: "eliza", model: "doctor", amnesiac: true, tools: [where] }
    let main : !string -> !string = bot`,
  'talk.jsonl': `${Array.from({ length: 20 }, (_, i) => `"My cat ${i} remembers ${i % 7} of you"\n`).join('')}7\nx\n`,
}

const onStage = stageOf(FILES)

const wiresIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => /^\d\d-/.test(name))
      .map((name) => [name, lines(readFileSync(join(folder, name), 'utf8')).sort()]),
  )

const eventsIn = (folder: string) => {
  const counts: Record<string, number> = {}
  for (const line of lines(readFileSync(join(folder, 'events.jsonl'), 'utf8'))) {
    const { kind, telemetry, process = '' } = JSON.parse(line) as { kind: string; telemetry?: { kind: string }; process?: string }
    const name = `${kind} ${telemetry?.kind ?? ''} ${process}`
    // There are as many processes as there are workers.
    if (!/^(exited|spawned)/.test(name)) counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

onStage('--record makes of a run by workers what one process records, also when they are killed, and later again', async (t, stage) => {
  const { bash, serve, submit, work } = stage
  await bash('plumb --record one talk.plumb < talk.jsonl')
  let workers = [serve('talk.plumb'), serve('talk.plumb')]
  const submitter = submit('--run', 'kept', '--ordered', '--record', 'rec', 'talk.plumb')
  submitter.write(FILES['talk.jsonl'].slice(0, 300).replace(/[^\n]*$/, ''))
  t.ok(await submitter.reports(/\n/, 1, PATIENCE_MS))
  workers[0]?.child.kill('SIGKILL')
  workers = [...workers.slice(1), serve('talk.plumb')]
  submitter.child.stdin?.end(FILES['talk.jsonl'].slice(FILES['talk.jsonl'].slice(0, 300).lastIndexOf('\n') + 1))
  t.strictSame(await submitter.ended, { status: 1, signal: null })
  const [one, rec] = [join(work, 'one'), join(work, 'rec')]
  t.strictSame(wiresIn(rec), wiresIn(one), 'each message on each wire')
  t.strictSame(eventsIn(rec), { ...eventsIn(one), ...ofProcessesIn(rec) }, 'each event')
  t.match(JSON.parse(readFileSync(join(rec, 'run.json'), 'utf8')), { status: 1, spec: 'talk.plumb' })
  t.match((await bash('plumb view rec | grep -c "agent bot\\|bot"')).out, /^\d+\n$/)
  // It is over, and its tables still say what happened.
  t.match(await bash('plumb run --on "$PLUMB_ON" --run kept --record again --trace again.json talk.plumb < /dev/null'), {
    status: 0,
    out: '',
  })
  t.strictSame(wiresIn(join(work, 'again')), wiresIn(one))
  t.match((await bash('plumb view again.json | head -c 15')).out, /^<!doctype html/i)
  await end(...workers)
})

/** What is reported of memories is reported in one process where they are kept elsewhere; a prompt is told by each process. */
const ofProcessesIn = (folder: string) =>
  Object.fromEntries(Object.entries(eventsIn(folder)).filter(([name]) => /telemetry (remembered|prompt) /.test(name)))

onStage('what was not kept cannot be recorded afterwards', async (t, { bash }) => {
  await bash('head -3 talk.jsonl | plumb run --on "$PLUMB_ON" --detach --run plain talk.plumb; plumb work --once talk.plumb')
  const late = 'head -3 talk.jsonl | plumb run --on "$PLUMB_ON" --run plain --record late talk.plumb'
  t.match(await bash(late), { status: 1, err: /"run_exists".*keeps nothing.*--keep/ })
  t.match(await bash('plumb run --on "$PLUMB_ON" --detach --record late talk.plumb < talk.jsonl'), { status: 2, err: /--detach/ })
})

onStage('a worker says what it does, traces it, and sends a span for each settlement', async (t, { bash, serveWith, work }) => {
  const spans: { name: string; attributes: { key: string; value: Record<string, string> }[]; traceId: string; spanId: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request
      .on('data', (chunk) => (body += chunk))
      .on('end', () => {
        for (const { scopeSpans } of JSON.parse(body).resourceSpans) for (const { spans: more } of scopeSpans) spans.push(...more)
        response.end('{}')
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const collector = `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const worker = serveWith(collector, '--status-every', '0.1', '--trace', 'worker.json', 'talk.plumb')
  const run = 'head -5 talk.jsonl | plumb run --on "$PLUMB_ON" --run seen talk.plumb'
  t.match(await bash(run), { status: 0, err: '' })
  t.ok(await worker.reports(/"worker":.*"run":"seen","part":"1 bot","in_hand":0,"done":5,.*"calls":5,"tokens":\d/, 2, PATIENCE_MS))
  worker.child.kill('SIGTERM')
  t.strictSame(await worker.ended, ENDED)
  const of = (part: string) => spans.filter(({ name }) => name === `settle ${part}`)
  const ords = of('bot').flatMap(({ attributes }) => attributes.find(({ key }) => key === 'plumb.ord')?.value.stringValue?.split(' ') ?? [])
  t.strictSame(ords.sort(), ['1', '2', '3', '4', '5'])
  t.match(of('bot')[0]?.attributes, [
    { key: 'plumb.run', value: { stringValue: 'seen' } },
    { key: 'plumb.part', value: { stringValue: '1 bot' } },
  ])
  t.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1, 'one trace for a run')
  const trace = JSON.parse(readFileSync(join(work, 'worker.json'), 'utf8')) as { name: string; cat?: string }[]
  t.equal(trace.filter(({ cat }) => cat === 'work').length, 10, 'each message of each agent')
  spans.length = 0
  const toolRun = (more: string) => `echo '"call where {}"' | plumb run --on "$PLUMB_ON" ${more} --run where where.plumb`
  const { out, err } = await bash(`${toolRun('--detach')}; ${collector} plumb work --once --grant exec where.plumb; ${toolRun('')}`)
  const [process] = spans.filter(({ name }) => name === 'serve bot')
  t.match(out, `00-${process?.traceId}-${process?.spanId}-01`, err)
})
