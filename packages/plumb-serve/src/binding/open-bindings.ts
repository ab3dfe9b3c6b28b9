// From the files of the command line to what is served: the bindings under @serve, else main, each at a path of its own.

import type { Bound } from '@plumb/lang'
import { loadPrices, type Prices, readPrices } from '@plumb/ledger'
import { loadingOptions, type RunOptions, runOptions } from '@plumb/runtime/options'
import { type OpenRequestTrace, openServedBinding, openServiceBudget } from '@plumb/runtime/service'
import { type LoadedSpec, loadSpec, refuseErrors, selectBinding } from '@plumb/runtime/spec'
import { type Fault, fail, fault, type Reporter, type Result, succeed } from '@plumb/wire'
import { Binding } from './binding.js'

/** The first segments of paths that are the server's own. */
const OWN_PATHS: ReadonlySet<string> = new Set([
  '',
  'v1',
  'runs',
  'pending',
  'conversations',
  'openapi.json',
  'healthz',
  'readyz',
  'pictures',
  'metrics',
  'a2a',
  '.well-known',
])

interface Chosen {
  readonly bound: Bound
  readonly loaded: LoadedSpec
  readonly file: string
  readonly path: string
}

interface OpeningOptions {
  readonly traces: OpenRequestTrace | undefined
  /** What is spent of the limits is kept elsewhere. */
  readonly keepsLimits: boolean
}

/** Errors are reported; undefined: there were some, and nothing was started. */
export const openBindings = async (
  specs: readonly string[],
  options: RunOptions,
  hasTools: boolean,
  reporter: Reporter,
  { traces, keepsLimits }: OpeningOptions,
): Promise<readonly Binding[] | undefined> => {
  if (specs.length === 0) return refuse(reporter, fault('usage', "no spec is named, as in 'plumb-serve desk.plumb'"))
  const chosen: Chosen[] = []
  let hasFailed = false
  for (const file of specs) {
    const loaded = await loadSpec(file, loadingOptions(options))
    if (loaded.ok && refuseErrors(loaded.value, reporter)) hasFailed = true
    else {
      const found = loaded.ok ? chosenOf(loaded.value, file, hasTools) : loaded
      if (found.ok) chosen.push(...found.value)
      else {
        reporter.report(found.error)
        hasFailed = true
      }
    }
  }
  for (const clash of clashesOf(chosen)) {
    reporter.report(clash)
    hasFailed = true
  }
  const prices = await pricesOf(options)
  if (!prices.ok) return refuse(reporter, prices.error)
  if (hasFailed) return undefined
  const budget = openServiceBudget(
    chosen.map(({ loaded }) => loaded),
    keepsLimits ? { ...options, limits: runOptions('run', {}).limits } : options,
  )
  if (!budget.ok) return refuse(reporter, budget.error)
  const bindings: Binding[] = []
  for (const { bound, loaded, file, path } of chosen) {
    const served = await openServedBinding(bound, loaded, options, reporter)
    const recording = { spec: file, loaded, options, reporter }
    if (served) bindings.push(new Binding(path, served, prices.value, recording, traces))
    else hasFailed = true
  }
  return hasFailed ? undefined : bindings
}

const refuse = (reporter: Reporter, error: Fault): undefined => reporter.report(error) as undefined

const pricesOf = async ({ display: { prices } }: RunOptions): Promise<Result<Prices>> => {
  const given = prices === undefined ? succeed(undefined) : readPrices(prices)
  return given.ok ? succeed(await loadPrices(given.value)) : given
}

const chosenOf = (loaded: LoadedSpec, file: string, hasTools: boolean): Result<readonly Chosen[]> => {
  const { program } = loaded.compiled
  const exposed = hasTools ? [...program.entry.bindings.values()].filter(isExposed) : []
  const tools = exposed.map((bound) => ({ bound, loaded, file, path: `/${bound.name}` }))
  const annotated = [...program.entry.bindings.values()].filter(({ served }) => served !== undefined)
  if (annotated.length > 0) return succeed([...annotated.map((bound) => ({ bound, loaded, file, path: bound.served ?? '' })), ...tools])
  const main = selectBinding(program, 'main')
  if (main.ok) return succeed([{ bound: main.value, loaded, file, path: '/main' }, ...tools])
  if (tools.length > 0) return succeed(tools)
  return fail('spec_invalid', `'${file}' has nothing to serve: neither a binding under @serve, nor a main`)
}

/** Under `@tool true`. */
const isExposed = ({ category, binding }: Bound): boolean =>
  category === 'base' && binding.annotations.some(({ name, value }) => name.text === 'tool' && value.value === true)

const clashesOf = (chosen: readonly Chosen[]): readonly Fault[] => {
  const errors: Fault[] = []
  for (const [i, { bound, file, path }] of chosen.entries()) {
    const own = `'${bound.name}' of '${file}'`
    const before = chosen.slice(0, i).find((other) => other.path === path)
    if (OWN_PATHS.has(path.split('/')[1] ?? ''))
      errors.push(fault('spec_invalid', `${own} cannot be served at '${path}': that is the server's own`))
    else if (before) {
      const help = `give one another path, as in @serve "/${bound.name}2"`
      errors.push(fault('spec_invalid', `${own} and '${before.bound.name}' of '${before.file}' are both at '${path}': ${help}`))
    } else if (chosen.slice(0, i).some((other) => other.bound.name === bound.name))
      errors.push(fault('spec_invalid', `${own} has the name of a binding of another file: both cannot be served`))
    if (bound.inputs.length === 0) errors.push(fault('spec_invalid', `${own} takes no input, and so no request`))
  }
  return errors
}
