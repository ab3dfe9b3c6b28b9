// What functions say of themselves is asked when their tools are loaded, before anything is called: descriptions, and parameters, which must
// not contradict the signature.

import { pathToFileURL } from 'node:url'
import { type Bound, type Json, type ToolPlan, toolOf } from '@plumb/lang'
import { addMissingAccess, stopWhenAborted } from '@plumb/sandbox'
import { type Exit, type Fault, fail, fault, isRecord, LineReader, parseJson, preview, type Result, succeed } from '@plumb/wire'
import type { Session } from '../../call/call.js'
import { typeOfSchema } from '../../call/type-of-schema.js'
import { dependenciesOf } from '../dependency.js'
import { type OwnWords, withOwnWords } from '../described-plan.js'
import { findContradiction } from './contradiction.js'
import { type FunctionTarget, functionTarget, spawnFunctionChild } from './function-child.js'
import { type Parameters, schemaOfParameters } from './parameters.js'
import { isPython, pythonProcess } from './python-process.js'
import { keyOf, wordsOfPython } from './python-run.js'
import runner from './runner.child.cjs'
import { howItEnded, noSuchFunction } from './runner-reply.js'
import { isTypeScript, stripTypes } from './strip-types.js'

export interface LoadedFunctions {
  /** Those that were given, with the words of their functions where they have none of their own. */
  readonly plans: readonly ToolPlan[]
  /** Errors of category `config`. */
  readonly faults: readonly Fault[]
}

type FunctionPlan = ToolPlan & { readonly body: Extract<ToolPlan['body'], { kind: 'tool' }> }

/** Starts a child for each file with functions, those of parts of the tools among them; nothing where there are none. */
export const loadFunctions = async (
  plans: readonly ToolPlan[],
  session: Session,
  standIn: (plan: ToolPlan) => unknown = () => undefined,
): Promise<LoadedFunctions> => {
  const asked = new Map<string, Promise<Result<Exports>>>()
  const askPython = async (plan: FunctionPlan, target: FunctionTarget): Promise<Result<OwnWords>> => {
    const functions = await pythonProcess(target, keyOf(target.file, plan.body.config), plan.specPath, session).functions()
    return functions.ok ? wordsOfPython(plan, target, functions.value) : functions
  }
  const ask = async (plan: FunctionPlan, target: FunctionTarget): Promise<Result<OwnWords>> => {
    const key = keyOf(target.file, plan.body.config)
    const answer = asked.get(key) ?? askModule(target, session)
    asked.set(key, answer)
    return wordsOf(plan, target, await answer)
  }
  const functions = [...withParts(plans)].filter(isFunction).filter((plan) => !standIn(plan))
  if (functions.length === 0) return { plans, faults: [] }
  const loading = functions.map(async (plan) => {
    const { config } = plan.body
    const target = functionTarget(plan, config, session.docroot)
    // Reported by whoever makes the tool.
    if (!target.ok) return { plan, words: undefined, fault: undefined }
    const words = isPython(target.value.file) ? await askPython(plan, target.value) : await ask(plan, target.value)
    return words.ok ? { plan, words: words.value, fault: undefined } : { plan, words: undefined, fault: words.error }
  })
  const loaded = await Promise.all(loading)
  const words = new Map(loaded.map((one) => [one.plan.bound, one.words]))
  const described = plans.map((plan) => {
    const own = isFunction(plan) ? words.get(plan.bound) : undefined
    return own ? withOwnWords(plan, own) : plan
  })
  return { plans: described, faults: loaded.flatMap((one) => one.fault ?? []) }
}

const isFunction = (plan: ToolPlan): plan is FunctionPlan => plan.body.kind === 'tool' && plan.body.source === 'function'

const withParts = (plans: readonly ToolPlan[]): ReadonlySet<ToolPlan> => {
  const seen = new Map<Bound, ToolPlan>(plans.map((plan) => [plan.bound, plan]))
  // A map iterates over entries that are added meanwhile.
  for (const plan of seen.values())
    for (const bound of dependenciesOf(plan)) if (bound.category === 'base' && !seen.has(bound)) seen.set(bound, toolOf(bound))
  return new Set(seen.values())
}

/** What each function of a module says of itself, by the name of its export. */
type Exports = Readonly<Record<string, { readonly description?: Json; readonly parameters?: Json }>>

const TIMEOUT_MS = 30_000

const askModule = async (target: FunctionTarget, session: Session): Promise<Result<Exports>> => {
  const { file } = target
  const modules = isTypeScript(file) ? await stripTypes(file) : undefined
  if (modules?.ok === false) return modules
  const started = await spawnFunctionChild(target, session, [process.execPath, '-', file], {})
  if (!started.ok) return started
  const { child, requests, answers } = started.value
  let said: Result<Exports> | undefined
  const take = (): void => {
    while (reader.next()) said ??= readExports(reader, file)
  }
  const reader = new LineReader(answers, { onReadable: take })
  child.stdin.end(runner)
  requests.write(`${JSON.stringify({ url: pathToFileURL(file).href, modules: modules?.value, asks: true })}\n`)
  const exit = await stopWhenAborted(child, AbortSignal.timeout(TIMEOUT_MS))
  return addMissingAccess(said ?? notLoaded(file, exit), child)
}

const readExports = ({ fault: unread, buf, start, end }: LineReader, file: string): Result<Exports> | undefined => {
  const parsed = unread ? undefined : parseJson(buf, start, end)
  const { kind, functions, message } = (parsed?.ok && isRecord(parsed.value) ? parsed.value : {}) as { readonly [key: string]: Json }
  if (kind === 'exports' && isRecord(functions)) return succeed(functions as Exports)
  // Others are of the module itself, which may have written to the descriptor too.
  return kind === 'unloaded' || kind === 'threw' ? cannotLoad(file, String(message)) : undefined
}

const notLoaded = (file: string, exit: Exit | 'aborted'): Result<never> =>
  cannotLoad(file, exit === 'aborted' ? `it had not been loaded after ${TIMEOUT_MS / 1000} s` : `its process ${howItEnded(exit)}`)

const cannotLoad = (file: string, why: string): Result<never> =>
  fail('config_invalid', `'${preview(file, 200)}' cannot be loaded: ${preview(why, 400)}`)

const wordsOf = (plan: FunctionPlan, { file, name }: FunctionTarget, asked: Result<Exports>): Result<OwnWords> => {
  if (!asked.ok) return asked
  if (!Object.hasOwn(asked.value, name)) return { ok: false, error: noSuchFunction(file, name, Object.keys(asked.value)) }
  const { description, parameters } = asked.value[name] ?? {}
  const said = typeof description === 'string' && description !== '' ? description : undefined
  if (!isRecord(parameters)) return succeed({ description: said, input: { kind: 'json' } })
  const input = typeOfSchema(schemaOfParameters(parameters as Parameters))
  const contradiction = findContradiction(plan.input, input)
  if (contradiction === undefined) return succeed({ description: said, input })
  return { ok: false, error: fault('type_mismatch', `function '${name}' of tool '${plan.name}' declares ${contradiction}`) }
}
