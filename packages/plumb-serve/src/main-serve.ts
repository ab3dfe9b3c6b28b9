// The life of the server, from its options to a signal: it is ready once its processes are, and ends when what is in hand has ended.

import { dieOf, type Fault, fault, onStop, Reporter, type StopSignal, succeed } from '@plumb/wire'
import { Tokens } from './access/tokens.js'
import { openBindings } from './binding/open-bindings.js'
import { openTraces } from './binding/traces.js'
import { isLoopback, type Listener, listen } from './http/listen.js'
import { openRequestLog } from './look/log.js'
import { openKeeping } from './open-keeping.js'
import { runOptionsOf, type ServeOptions } from './options.js'
import { Server } from './server.js'
import { Service } from './service.js'

/** Resolves to the exit status; dies of the signal that stopped it. */
export const runServer = async (program: string, options: ServeOptions, specs: readonly string[]): Promise<number> => {
  const reporter = new Reporter(program)
  const signal = await serve(program, options, specs, reporter)
  await reporter.end()
  if (signal) dieOf(signal)
  return reporter.status
}

const serve = async (
  program: string,
  options: ServeOptions,
  specs: readonly string[],
  reporter: Reporter,
): Promise<StopSignal | undefined> => {
  const {
    listen: address,
    allowOrigin,
    isA2a,
    publicUrl,
    isLazy,
    maxBody,
    maxRequests,
    graceSeconds,
    keepSeconds,
    conversations,
    hasTools,
  } = options.serve
  const refuse = (error: Fault): undefined => reporter.report(error) as undefined
  const tokens = Tokens.open(options.serve, (warning) => reporter.warn(warning))
  if (!tokens.ok) return refuse(tokens.error)
  const isLocal = isLoopback(address.host)
  if (!isLocal && !tokens.value) {
    return refuse(fault('missing_option', `--listen ${address.host} reaches beyond this machine, and so needs --token-env or --tokens`))
  }
  const traces = await openTraces(reporter)
  if (!traces.ok) return refuse(traces.error)
  const keepsLimits = options.serve.on !== undefined
  const bindings = await openBindings(specs, runOptionsOf(options), hasTools, reporter, { traces: traces.value?.open, keepsLimits })
  if (!bindings) return undefined
  const log = openRequestLog()
  const kept = await openKeeping(options, bindings, reporter)
  if (!kept.ok) return refuse(kept.error)
  const { store } = kept.value
  const own = { bindings, tokens: tokens.value, maxBody, maxRequests, keepSeconds, conversations }
  const service = new Service({ ...own, ...kept.value })
  const server = new Server(service, { allowedOrigins: allowOrigin, isLocal, log, report: (error) => reporter.report(error) })
  const listener = await listen(address, server.answer)
  if (!listener.ok) return refuse(listener.error)
  const { url } = listener.value
  const serving = { listener: listener.value, service, server }
  if (isA2a) server.speakA2a((await import('./routes/a2a/route.js')).openA2a(service, url, publicUrl))
  log({ listening: url })
  // For whoever waits for it, whatever reads standard error: only who asks for JSON gets it.
  reporter.write(process.env.PLUMB_ERRORS === 'json' ? JSON.stringify({ listening: url }) : `${program}: listening on ${url}`)
  const stopped = nextSignals()
  if (!isLazy) {
    const warmed = await Promise.race([warm(service), stopped.first.then(() => undefined)])
    if (warmed) reporter.report(warmed)
    if (warmed || reporter.status !== 0) return void (await close(serving, 0))
  }
  const before = (await store?.all()) ?? succeed([])
  // Without them a key would be a new run, which is paid for again.
  if (!before.ok) {
    reporter.report(before.error)
    return void (await close(serving, 0))
  }
  for (const found of before.value) service.runs.restore(found)
  if (service.state === 'starting') service.state = 'ready'
  const signal = await stopped.first
  await Promise.race([close(serving, graceSeconds * 1000).then(traces.value?.finish), stopped.second])
  return signal
}

const warm = async ({ bindings }: Service): Promise<Fault | undefined> => {
  const warmed = await Promise.all(bindings.map((binding) => binding.warm()))
  const failed = warmed.find(({ ok }) => !ok)
  return failed && !failed.ok ? failed.error : undefined
}

/** A second signal ends it at once: children end with this process. */
const nextSignals = () => {
  let second: (signal: StopSignal) => void = () => {}
  const secondSignal = new Promise<StopSignal>((resolve) => {
    second = resolve
  })
  const first = new Promise<StopSignal>((resolve) => void onStop(resolve, second, { mayStay: true }))
  return { first, second: secondSignal }
}

interface Serving {
  readonly listener: Listener
  readonly service: Service
  readonly server: Server
}

/** What is in hand may finish in this time; then it is cancelled, and told. Until then it is told too that no more is taken. */
const close = async ({ listener, service, server }: Serving, graceMs: number): Promise<void> => {
  const answered = async (): Promise<void> => {
    await service.idle()
    await server.sent()
  }
  service.state = 'draining'
  await within(graceMs, answered())
  service.cancelAll()
  await within(CANCEL_MS, answered())
  const closed = listener.close()
  listener.cut()
  await within(END_MS, Promise.all([closed, ...[...service.bindings, service.runs].map((one) => one.close())]))
}

const within = async (ms: number, work: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, over])
  clearTimeout(timer)
}

/** For the answers of what was cancelled. */
const CANCEL_MS = 2000
/** For processes and a database that do not answer: what is left of them ends with this process. */
const END_MS = 6000
