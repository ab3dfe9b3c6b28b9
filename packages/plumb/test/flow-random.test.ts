// Flows held against runs: no mark of a stranger comes into an argument that asks for trust in a program that passes, whatever its models do;
// and of the programs that are refused at least half let one through.

import { type Bound, compile, hasErrors, type Program, type Script, type ScriptedAnswer, type TestPlan } from '@plumb/lang'
import { checkFlows } from '@plumb/lang/flow'
import { effectsOf } from '@plumb/policy'
import { bundledFiles } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { CallLog } from '../src/test/call-log.js'
import { runOnce } from '../src/test/run-once.js'
import { Spending } from '../src/test/spending.js'
import { arbitraryFlowProgram, type RandomProgram, type ToolName, toolNamed } from './flow-program.js'

/** No function of the language takes it apart. */
const MARK = 'q7strangerq7'
const CLEAN = 'clean'
/** Of the inputs and of what goes round loops. */
const MAX_ANSWERS = 10
const PROGRAMS = Number(process.env.FLOW_PROGRAMS ?? 60)
const SEED = Number(process.env.FLOW_SEED ?? 26)

const isMarked = (json: string): boolean => json.toLowerCase().includes(MARK)

/** What the worst model knows: it copies it into all it writes. */
const atom = (knows: boolean): string => (knows ? MARK : CLEAN)

const messageOf = (text: string): string => JSON.stringify({ s: text, n: 2, k: 'x', l: [text], j: text })

const inputOf = ({ input }: RandomProgram): string => {
  if (input === 'untrusted') return messageOf(MARK)
  return input === 'field' ? JSON.stringify({ s: CLEAN, n: 2, k: 'x', l: [MARK], j: MARK }) : messageOf(CLEAN)
}

const scriptOf = (name: string, answers: readonly ScriptedAnswer[], isList: boolean, bound: Bound): Script => ({
  name,
  input: { kind: 'json' },
  output: bound.outputs[0] ?? { kind: 'json' },
  isList,
  answers,
  span: bound.binding.span,
})

// Calls each of its tools, and answers with what it knows.
const agentScript = (bound: Bound, tools: readonly ToolName[], knows: boolean): Script => {
  const text = atom(knows)
  const calls = tools.map((tool): ScriptedAnswer => {
    const input = Object.fromEntries(toolNamed(tool).arguments.map((name) => [name, text]))
    return { kind: 'call', tool, json: JSON.stringify(input) }
  })
  const isClosed = bound.outputs[0]?.kind === 'sum'
  const turn: ScriptedAnswer[] = [...calls, { kind: 'value', json: isClosed ? '"x"' : messageOf(text) }]
  return scriptOf(bound.name, Array.from({ length: MAX_ANSWERS }, () => turn).flat(), true, bound)
}

const setting = (files: Parameters<typeof runOnce>[2]['setting']['files']) => ({
  files,
  docroot: undefined,
  handedOn: [],
  provider: undefined,
  model: undefined,
  randomAnswer: () => 'null',
  spending: new Spending(undefined),
})

/** The arguments that a mark came into although they ask for trust. An agent that has read one writes it everywhere in the next run. */
const leaksOf = async (program: Program, made: RandomProgram): Promise<readonly string[]> => {
  const { bindings, module } = program.entry
  const main = bindings.get('main') as Bound
  const knowing = new Set<string>()
  const leaks = new Set<string>()
  const files = bundledFiles({ entry: module.path, files: { [module.path]: made.text } } as never)
  for (let before = -1; before !== knowing.size; ) {
    before = knowing.size
    const asked = new CallLog()
    const agents = [...made.agents].map(
      ([name, tools]) => [bindings.get(name) as Bound, agentScript(bindings.get(name) as Bound, tools, knowing.has(name))] as const,
    )
    const doubles = (['page', 'fetch', 'rank', 'note', 'post', 'list'] as const).map((name) => {
      const bound = bindings.get(name) as Bound
      const json = toolNamed(name).result.replace('ATOM', MARK)
      return [bound, scriptOf(name, [{ kind: 'value', json }], false, bound)] as const
    })
    const plan: TestPlan = {
      name: 'flows',
      of: main,
      span: main.binding.span,
      inputs: [{ name: 'input', type: main.inputs[0] ?? { kind: 'json' } }],
      outputs: [{ name: 'output', type: main.outputs[0] ?? { kind: 'json' } }],
      isAnyOrder: true,
      errors: [],
      models: new Map(agents),
      tools: new Map(doubles),
      offered: new Map(),
      calls: [],
      live: new Set(),
      wires: new Map(),
      model: 'scripted',
      runs: 1,
      timeoutMs: 20_000,
    }
    const { isTimedOut } = await runOnce(plan, new Map([['input', [inputOf(made), inputOf(made)]]]), { setting: setting(files), asked })
    if (isTimedOut) throw new Error(`it did not end:\n${made.text}`)
    for (const [name, tools] of made.agents) {
      const wasAsked = asked.of(bindings.get(name) as Bound)
      const reads =
        wasAsked.some(isMarked) || (wasAsked.length > 0 && tools.some((tool) => isMarked(toolNamed(tool).result.replace('ATOM', MARK))))
      if (reads) knowing.add(name)
    }
    for (const [bound] of doubles) {
      for (const call of asked.of(bound)) {
        const given = JSON.parse(call) as Record<string, unknown>
        for (const name of toolNamed(bound.name as ToolName).trusted)
          if (isMarked(JSON.stringify(given[name] ?? ''))) leaks.add(`${bound.name}.${name}`)
      }
    }
  }
  return [...leaks]
}

t.test(`flows of ${PROGRAMS} random programs (seed ${SEED})`, async (t) => {
  const count = { passed: 0, refused: 0, leaking: 0 }
  const noFiles = { read: () => ({ ok: false }) as never, find: () => undefined, beside: (path: string) => path }
  for (const made of fc.sample(arbitraryFlowProgram, { numRuns: PROGRAMS, seed: SEED })) {
    const { program, diagnostics } = compile({ path: 'random.plumb', text: made.text, files: noFiles })
    if (hasErrors(diagnostics)) {
      t.fail(`${diagnostics.find(({ severity }) => severity === 'error')?.message}\n${made.text}`)
      continue
    }
    const found = checkFlows(program, { effectsOf, isStrict: true })
    const leaks = await leaksOf(program, made)
    if (found.length === 0) {
      count.passed++
      if (leaks.length > 0) t.fail(`${leaks.join(', ')} in a program that passed:\n${made.text}`)
    } else {
      count.refused++
      if (leaks.length > 0) count.leaking++
      else if (process.env.FLOW_SHOW) t.comment(`${found.map(({ message }) => message).join('; ')}\n${made.text}`)
    }
  }
  t.comment(JSON.stringify(count))
  t.ok(count.passed >= PROGRAMS / 10, 'some pass')
  t.ok(count.leaking * 2 >= count.refused, 'of those that are refused at least half leak')
})
