// Flows held against runs: no mark of a stranger comes into an argument that asks for trust in a program that passes, whatever its models do;
// and of the programs that are refused at least half let one through.

import type { Bound, ScriptedAnswer } from '@plumb/lang'
import fc from 'fast-check'
import t from 'tap'
import { type FlowProgram, readFlowProgram, runScripted } from './flow-plan.js'
import { arbitraryFlowProgram, type RandomProgram, type ToolName, toolNamed } from './flow-program.js'

/** No function of the language takes it apart. */
const MARK = 'q7strangerq7'
const CLEAN = 'clean'
/** Of the inputs and of what goes round loops. */
const MAX_ANSWERS = 10
/** Those that are no chains of others. */
const TOOLS: readonly ToolName[] = ['page', 'fetch', 'rank', 'note', 'post', 'list']
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

// Calls each of its tools, and answers with what it knows.
const agentScript = (bound: Bound, tools: readonly ToolName[], knows: boolean): ScriptedAnswer[] => {
  const text = atom(knows)
  const calls = tools.map((tool): ScriptedAnswer => {
    const input = Object.fromEntries(toolNamed(tool).arguments.map((name) => [name, text]))
    return { kind: 'call', tool, json: JSON.stringify(input) }
  })
  const isClosed = bound.outputs[0]?.kind === 'sum'
  const turn: ScriptedAnswer[] = [...calls, { kind: 'value', json: isClosed ? '"x"' : messageOf(text) }]
  return Array.from({ length: MAX_ANSWERS }, () => turn).flat()
}

/** The arguments that a mark came into although they ask for trust. An agent that has read one writes it everywhere in the next run. */
const leaksOf = async (program: FlowProgram, made: RandomProgram): Promise<readonly string[]> => {
  const { bindings } = program.program.entry
  const boundOf = (name: string) => bindings.get(name) as Bound
  const knowing = new Set<string>()
  const leaks = new Set<string>()
  const tools = TOOLS.map((name) => [boundOf(name), toolNamed(name).result.replace('ATOM', MARK)] as const)
  for (let before = -1; before !== knowing.size; ) {
    before = knowing.size
    const agents = [...made.agents].map(([name, tools]) => [boundOf(name), agentScript(boundOf(name), tools, knowing.has(name))] as const)
    const asked = await runScripted(program, { inputs: [inputOf(made), inputOf(made)], agents: new Map(agents), tools: new Map(tools) })
    for (const [name, tools] of made.agents) {
      const wasAsked = asked.of(boundOf(name))
      const reads =
        wasAsked.some(isMarked) || (wasAsked.length > 0 && tools.some((tool) => isMarked(toolNamed(tool).result.replace('ATOM', MARK))))
      if (reads) knowing.add(name)
    }
    for (const [bound] of tools) {
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
  for (const made of fc.sample(arbitraryFlowProgram, { numRuns: PROGRAMS, seed: SEED })) {
    const program = readFlowProgram('random.plumb', made.text)
    const { errors, refusals } = program
    if (errors.length > 0) {
      t.fail(`${errors[0]?.message}\n${made.text}`)
      continue
    }
    const leaks = await leaksOf(program, made)
    if (refusals.length === 0) {
      count.passed++
      if (leaks.length > 0) t.fail(`${leaks.join(', ')} in a program that passed:\n${made.text}`)
    } else {
      count.refused++
      if (leaks.length > 0) count.leaking++
      else if (process.env.FLOW_SHOW) t.comment(`${refusals.map(({ message }) => message).join('; ')}\n${made.text}`)
    }
  }
  t.comment(JSON.stringify(count))
  t.ok(count.passed >= PROGRAMS / 10, 'some pass')
  t.ok(count.leaking * 2 >= count.refused, 'of those that are refused at least half leak')
})
