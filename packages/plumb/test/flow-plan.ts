// A run of a program as a test of it whose models and tools are all scripted, for tests of where data goes.

import { type Bound, compile, type Diagnostic, hasErrors, type Program, type Script, type ScriptedAnswer, type TestPlan } from '@plumb/lang'
import { checkFlows } from '@plumb/lang/flow'
import { effectsOf } from '@plumb/policy'
import { bundledFiles } from '@plumb/wire'
import { CallLog } from '../../spec-test/src/call-log.js'
import { type RunOutcome, runOnce } from '../../spec-test/src/run-once.js'
import { ModelSpending } from '../../spec-test/src/spending.js'
import { scaled } from '../../wire/test/patience.js'

export interface FlowProgram {
  readonly path: string
  readonly text: string
  readonly program: Program
  /** Errors of it before its flows are looked at, and if there are none those of its flows. */
  readonly errors: readonly Diagnostic[]
  readonly refusals: readonly Diagnostic[]
}

/** A program in one file, that names no others. */
export const readFlowProgram = (path: string, text: string): FlowProgram => {
  const files = { read: () => ({ ok: false }) as never, find: () => undefined, beside: (path: string) => path }
  const { program, diagnostics } = compile({ path, text, files })
  const refusals = hasErrors(diagnostics) ? [] : checkFlows(program, { effectsOf, isStrict: true })
  return { path, text, program, errors: diagnostics.filter(({ severity }) => severity === 'error'), refusals }
}

export interface ScriptedRun {
  readonly inputs: readonly string[]
  /** What an agent writes and calls, in order; what it is asked beyond that fails. */
  readonly agents: ReadonlyMap<Bound, readonly ScriptedAnswer[]>
  /** What a tool gives, always. */
  readonly tools: ReadonlyMap<Bound, ScriptedAnswer>
}

const JSON_TYPE = { kind: 'json' } as const

const scriptOf = (bound: Bound, answers: readonly ScriptedAnswer[], isList: boolean): Script => ({
  name: bound.name,
  input: JSON_TYPE,
  output: bound.outputs[0] ?? JSON_TYPE,
  isList,
  answers,
  span: bound.binding.span,
})

export const runScripted = async ({ path, text, program }: FlowProgram, { inputs, agents, tools }: ScriptedRun): Promise<RunOutcome> => {
  const main = program.entry.bindings.get('main') as Bound
  const plan: TestPlan = {
    name: 'flows',
    of: main,
    span: main.binding.span,
    inputs: [{ name: 'input', type: main.inputs[0] ?? JSON_TYPE }],
    outputs: [{ name: 'output', type: main.outputs[0] ?? JSON_TYPE }],
    isAnyOrder: true,
    judges: [],
    errors: [],
    models: new Map([...agents].map(([bound, answers]) => [bound, scriptOf(bound, answers, true)])),
    tools: new Map([...tools].map(([bound, answer]) => [bound, scriptOf(bound, [answer], false)])),
    offered: new Map(),
    calls: [],
    live: new Set(),
    wires: new Map(),
    model: 'scripted',
    runs: 1,
    timeoutMs: scaled(20_000),
  }
  const setting = {
    files: bundledFiles({ entry: path, files: { [path]: text }, modules: {} }),
    docroot: undefined,
    isLive: false,
    provider: undefined,
    model: undefined,
    randomAnswer: () => 'null',
    spending: new ModelSpending(undefined),
  }
  const outcome = await runOnce(plan, new Map([['input', inputs]]), { setting, asked: new CallLog() })
  if (outcome.isTimedOut) throw new Error(`it did not end:\n${text}`)
  return outcome
}
