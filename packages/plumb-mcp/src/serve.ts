// A server from its options to its end: opens specs and prompts, serves clients, and leaves no child behind.

import { EventEmitter } from 'node:events'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Program } from '@plumb/lang'
import { openOwnBudget } from '@plumb/ledger'
import { lackedBy, namedProtocol, WalkedProtocol } from '@plumb/tool/internal'
import { namesCollector } from '@plumb/tool/otlp/environment'
import { type Fault, fail, fault, openLineInput, openLineOutput, preview, Reporter, type Result, Semaphore, succeed } from '@plumb/wire'
import { readToken } from '@plumb/wire/http'
import { guardOutputsBelow } from '@plumb/wire/output'
import { isGuarded, openServerAuthority, type ServerAuthority } from './grant.js'
import { type HttpServer, serveHttp } from './http/listen.js'
import { DEFAULT_LIMITS, type Limits, type ServeOptions } from './options.js'
import { openPromptDirectory, type PromptDirectory } from './prompts/directory.js'
import { findPrompts, isDirectory } from './prompts/find-directory.js'
import { openResourceFiles } from './resources/files.js'
import { openActiveCalls } from './server/active-calls.js'
import { type Catalogue, clashes, notServed, openCatalogue } from './server/catalogue.js'
import type { RequestSpans } from './server/request-spans.js'
import type { ServerContext } from './server/server-context.js'
import { sourceTools } from './source/source-tools.js'
import { serveStdio } from './stdio/serve-stdio.js'
import { DEFAULT_BUILTINS, toolsOfBuiltins } from './tools/of-builtins.js'
import { type SpecsOptions, toolsOfSpecs } from './tools/of-specs.js'
import type { ServedTool } from './tools/served-tool.js'
import { handedOn, openSessions, type Sessions } from './tools/sessions.js'

/** A server that runs. */
export interface Served {
  /** The address, over HTTP. */
  readonly url?: string
  /** Resolves when the server has ended, by itself or because it was closed: over stdio it ends with its input. */
  readonly finished: Promise<void>
  /** Cancels running work and ends; resolves when none of its children is left. */
  close(): Promise<void>
}

/** Starts a server. Reports all errors; a failed result means that some were reported, and nothing was started. */
export const serve = async (options: ServeOptions, reporter = new Reporter('plumb-mcp')): Promise<Result<Served>> => {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const opened = await open(options, limits, reporter)
  const token = tokenOf(options, opened?.authority, reporter)
  if (!opened || !token.ok) return fail('config_invalid', 'the server was not started')
  const { prompts, sessions } = opened
  const spans = await spansOf(options, reporter)
  if (!spans.ok) {
    reporter.report(spans.error)
    return spans
  }
  const context = { ...opened.context, spans: spans.value }
  const started =
    options.http === undefined
      ? await onStdio(context, limits, reporter)
      : await onHttp(context, options.http, token.value, limits, options.allowOrigin ?? [])
  if (!started.ok) {
    reporter.report(started.error)
    return started
  }
  const { server, finished } = started.value
  context.changes.on('change', () => server.listChanged())
  const end = async (): Promise<void> => {
    prompts?.close()
    context.calls.stop()
    await server.close()
    await context.calls.idle()
    await sessions.close()
    await spans.value?.finish()
  }
  const closing = new AbortController()
  const ended = Promise.race([finished, aborted(closing.signal)]).then(end)
  const close = (): Promise<void> => {
    closing.abort()
    return ended
  }
  return succeed({ ...('url' in server ? { url: server.url } : {}), finished: ended, close })
}

/** What sends them is loaded where a collector is named. */
const spansOf = async ({ http }: ServeOptions, reporter: Reporter): Promise<Result<RequestSpans | undefined>> => {
  if (!namesCollector()) return succeed(undefined)
  const { openRequestSpans } = await import('./server/request-spans.js')
  return openRequestSpans(http !== undefined, (text) => reporter.warn(fault('connection_failed', text)))
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

interface Opened {
  readonly context: ServerContext
  readonly prompts: PromptDirectory | undefined
  readonly sessions: Sessions
  readonly authority: ServerAuthority
}

const open = async (options: ServeOptions, limits: Limits, reporter: Reporter): Promise<Opened | undefined> => {
  const authority = openServerAuthority(options)
  const docroot = findDocroot(options.docroot)
  const directory = findPrompts(options.prompts)
  for (const result of [authority, docroot, directory]) if (!result.ok) reporter.report(result.error)
  if (!authority.ok || !docroot.ok || !directory.ok) return undefined
  guardOutputsBelow(docroot.value)

  const warn = (warning: Fault) => reporter.warn(warning)
  const changes = new EventEmitter().setMaxListeners(0)
  const calls = openActiveCalls()
  const sessions = openSessions({
    docroot: docroot.value,
    authority: authority.value,
    options,
    prompts: directory.value === undefined ? [] : [directory.value],
    warn,
    onInnerCall: (id, message) => calls.get(id)?.notify(message),
    approve: async (id, request) => (await calls.get(id)?.approve(request)) ?? false,
    answer: async (id, question) => (await calls.get(id)?.answer(question)) ?? fail('cancelled', 'the call has ended'),
  })
  const contextOf = (catalogue: Catalogue, protocol: ServerContext['protocol'], files: ServerContext['files']): ServerContext => ({
    catalogue,
    protocol,
    files,
    calls,
    permits: new Semaphore(limits.maxRequests),
    changes,
    warn,
  })
  const { timeout } = limits
  // Also for the programs that clients send.
  const budget = openOwnBudget(false)
  if (!budget.ok) reporter.report(budget.error)
  if (!budget.ok) return undefined
  const ofSpecs = { sessions, reporter, timeout, given: options, flows: options.flows }
  if (options.gateway) {
    const gateway = await behindGateway(options, ofSpecs)
    if (!gateway) return undefined
    const catalogue = openCatalogue(gateway.tools, () => undefined, authority.value)
    return { context: contextOf(catalogue, gateway.protocol, undefined), prompts: undefined, sessions, authority: authority.value }
  }
  const specs = await toolsOfSpecs(options.specs, ofSpecs)
  const builtins = toolsOfBuiltins(options.builtins ?? DEFAULT_BUILTINS, sessions)
  if (!builtins.ok) reporter.report(builtins.error)
  if (!specs || !builtins.ok) return undefined
  const own = sourceTools({
    docroot: docroot.value,
    authority: authority.value,
    args: handedOn(options),
    around: sessions.around,
    warn,
    timeout,
  })
  const fixed = [...own, ...specs.tools, ...builtins.value]
  const wrong = clashes(fixed)
  for (const clash of wrong) reporter.report(clash)
  if (wrong.length > 0) return undefined
  warnOfUnserved([...specs.tools, ...(options.builtins ? builtins.value : [])], authority.value, reporter)

  const prompts =
    directory.value === undefined
      ? undefined
      : openPromptDirectory(directory.value, {
          sessions,
          timeout,
          granted: authority.value.grant,
          warn,
          changed: () => changes.emit('change'),
        })
  const files = options.docroot === undefined ? undefined : openResourceFiles(docroot.value, authority.value)
  const names = [...fixed.map(({ name }) => name), ...(prompts?.prompts.keys() ?? [])]
  const order = protocolOf(options, specs.programs, names, reporter)
  if (!order.ok) return undefined
  const catalogue = openCatalogue(fixed, () => prompts, authority.value)
  return { context: contextOf(catalogue, order.value, files), prompts, sessions, authority: authority.value }
}

/** Undefined: errors were reported. */
const behindGateway = async (options: ServeOptions, ofSpecs: SpecsOptions) => {
  const { openGateway } = await import('./gateway/open-gateway.js')
  const gateway = await openGateway(options, ofSpecs)
  const order = gateway && protocolOf(options, gateway.programs, undefined, ofSpecs.reporter)
  return gateway && order?.ok ? { tools: gateway.tools, protocol: order.value } : undefined
}

/** `tools`: all that are served. Undefined: they are not known before their servers are. Errors are reported. */
const protocolOf = (
  { protocol: name }: ServeOptions,
  programs: readonly Program[],
  tools: readonly string[] | undefined,
  reporter: Reporter,
): Result<WalkedProtocol | undefined> => {
  if (name === undefined) return succeed(undefined)
  const found = namedProtocol(programs, name)
  const wrong = found.ok ? (tools ? lackedBy(found.value, tools) : []) : [found.error]
  for (const error of wrong) reporter.report(error)
  const [first] = wrong
  if (first) return { ok: false, error: first }
  return succeed(found.ok ? new WalkedProtocol(found.value) : undefined)
}

// The real path: paths below it are compared with where links lead.
const findDocroot = (named = '.'): Result<string> => {
  try {
    if (isDirectory(named)) return succeed(realpathSync(resolve(named)))
  } catch {
    // The working directory has been removed, or cannot be examined.
  }
  return fail('file_not_found', `--docroot names '${preview(named)}', which is not a directory`)
}

const warnOfUnserved = (tools: readonly ServedTool[], authority: ServerAuthority, reporter: Reporter): void => {
  for (const tool of tools) if (tool.effects.some((effect) => !authority.grant.includes(effect))) reporter.warn(notServed(tool, authority))
}

const tokenOf = (
  { http, tokenEnv, wantsToken = true }: ServeOptions,
  authority: ServerAuthority | undefined,
  reporter: Reporter,
): Result<string | undefined> => {
  const token =
    http === undefined ? succeed(undefined) : tokenEnv === undefined ? withoutToken(authority, wantsToken, reporter) : readToken(tokenEnv)
  if (!token.ok) reporter.report(token.error)
  return token
}

const withoutToken = (authority: ServerAuthority | undefined, wantsToken: boolean, reporter: Reporter): Result<undefined> => {
  if (authority && isGuarded(authority) && wantsToken) {
    const why = 'a server on HTTP whose tools write, run programs or reach private addresses wants a token'
    return fail('missing_option', `${why}: name the variable that holds it with --token-env, or say --no-token`)
  }
  if (wantsToken)
    reporter.warn(fault('unauthorized', 'every program on this machine can use this server: --token-env names a token that it must have'))
  return succeed(undefined)
}

type Started = Result<{ readonly server: HttpServer | Awaited<ReturnType<typeof serveStdio>>; readonly finished: Promise<void> }>

const onStdio = async (context: ServerContext, { maxLine }: Limits, reporter: Reporter): Promise<Started> => {
  const io = { input: openLineInput(0), output: openLineOutput(1), maxLine, report: (error: Fault) => reporter.report(error) }
  const server = await serveStdio(context, io)
  return succeed({ server, finished: server.finished })
}

const onHttp = async (
  context: ServerContext,
  port: number,
  token: string | undefined,
  limits: Limits,
  allowedOrigins: readonly string[],
): Promise<Started> => {
  const server = await serveHttp(context, { port, token, allowedOrigins, ...limits })
  if (!server.ok) return server
  return succeed({ server: server.value, finished: new Promise<void>(() => {}) })
}
