// long
// Flows held against runs: in a program that passes no mark of a stranger comes into an argument that asks for trust, and no secret leaves,
// whatever its models do; and of the programs that are refused at least half let one through.

import type { Bound, ScriptedAnswer } from '@plumb/lang'
import fc from 'fast-check'
import t from 'tap'
import type { RunOutcome } from '../../spec-test/src/run-once.js'
import { configuredSends, SANDBOXES } from './flow-configured.js'
import { type FlowProgram, readFlowProgram, runScripted } from './flow-plan.js'
import { arbitraryFlowProgram, type RandomProgram } from './flow-program.js'
import { MARK, SECRET, type ToolName, toolNamed } from './flow-tools.js'

const CLEAN = 'clean'
/** Of the inputs and of what goes round loops. */
const MAX_ANSWERS = 10
/** Those that are not chains of others. */
const TOOLS: readonly ToolName[] = ['page', 'fetch', 'rank', 'note', 'post', 'list', 'vault', 'ping', 'count', 'curl', 'lookup', 'tell']
const PROGRAMS = Number(process.env.FLOW_PROGRAMS ?? 60)
const AT_ONCE = 8
const SEED = Number(process.env.FLOW_SEED ?? 26)

const marksIn = (json: string): readonly string[] => [MARK, SECRET].filter((mark) => json.toLowerCase().includes(mark))

const messageOf = (text: string): string => JSON.stringify({ s: text, n: 2, k: 'x', l: [text], j: text })

const markOf = (param: string | undefined): string => (param === 'stranger' ? MARK : param === 'key' ? SECRET : '')

const inputOf = ({ input }: RandomProgram): string => {
  if (input === 'field') return JSON.stringify({ s: CLEAN, n: 2, k: 'x', l: [MARK], j: MARK })
  return messageOf({ untrusted: MARK, secret: SECRET, trusted: CLEAN }[input])
}

// The worst model: it calls each of its tools with what it knows in each argument, and answers so.
const answersOf = (bound: Bound, tools: readonly ToolName[], known: ReadonlySet<string>): ScriptedAnswer[] => {
  const text = [CLEAN, ...known].join(' ')
  const calls = tools.map((tool): ScriptedAnswer => {
    const input = Object.fromEntries(toolNamed(tool).arguments.map((name) => [name, text]))
    return { kind: 'call', tool, json: JSON.stringify(input) }
  })
  const isClosed = bound.outputs[0]?.kind === 'sum'
  const turn: ScriptedAnswer[] = [...calls, { kind: 'value', json: isClosed ? '"x"' : messageOf(text) }]
  return Array.from({ length: MAX_ANSWERS }, () => turn).flat()
}

/** What came over the control ports of agents, by their names. */
const controlsOf = ({ carried, nested }: RunOutcome): readonly (readonly [string, string])[] =>
  [carried, ...nested].flatMap(({ typed }) =>
    typed.flatMap(({ edge: { to, input }, messages }) =>
      to.work.kind === 'agent' && to.inputs[input]?.name === 'ctrl_in' ? [[to.work.bound.name, messages.join()] as const] : [],
    ),
  )

/** Where a mark came to although it may not. An agent that has read one writes it everywhere in the next run. */
const leaksOf = async (program: FlowProgram, made: RandomProgram): Promise<readonly string[]> => {
  const { bindings } = program.program.entry
  const boundOf = (name: string) => bindings.get(name) as Bound
  const knowledge = new Map([...made.agents.keys()].map((name) => [name, new Set<string>()]))
  const sizeOf = () => [...knowledge.values()].reduce((sum, { size }) => sum + size, 0)
  const leaks = new Set<string>()
  const configured = [...made.configured].map(([name, tool]) => [boundOf(name), tool] as const)
  const tools = [
    ...TOOLS.map((name) => [boundOf(name), toolNamed(name)] as const),
    ...configured.map(([bound]) => [bound, { result: JSON.stringify(MARK), error: MARK }] as const),
  ]
  for (let before = -1; before !== sizeOf(); ) {
    before = sizeOf()
    const agents = [...made.agents].map(
      ([name, { tools }]) => [boundOf(name), answersOf(boundOf(name), tools, knowledge.get(name) ?? new Set())] as const,
    )
    const inputs = [inputOf(made), inputOf(made)]
    // Each tool gives what it gives, and then once each tool fails.
    for (const fails of [false, true]) {
      const scripts = tools.map(([bound, { result, error }]): [Bound, ScriptedAnswer] => [
        bound,
        fails ? { kind: 'error', code: error } : { kind: 'value', json: result },
      ])
      const outcome = await runScripted(program, { inputs, agents: new Map(agents), tools: new Map(scripts) })
      const controls = controlsOf(outcome)
      for (const [name, agent] of made.agents) {
        const asked = outcome.asked.of(boundOf(name))
        if (asked.length === 0) continue
        const reported = controls.flatMap(([of, messages]) => (of === name ? [messages] : []))
        const told = markOf(agent.told?.param)
        const { fetches, sends } = agent.program === undefined ? { fetches: false, sends: true } : SANDBOXES[agent.program]
        const heard = agent.tools.flatMap((tool) => [toolNamed(tool).result, toolNamed(tool).error])
        const read = marksIn([...asked, ...reported, told, ...heard, fetches ? MARK : ''].join())
        for (const mark of read) knowledge.get(name)?.add(mark)
        if (read.includes(SECRET) && sends && !agent.seesSecrets) leaks.add(`secret: the provider of ${name}`)
        if (told === MARK) leaks.add(`the configuration of ${name}`)
        if (!agent.isOpenToControl && marksIn(reported.join()).includes(MARK)) leaks.add(`the control of ${name}`)
      }
      for (const name of TOOLS) {
        const { trusted, sends } = toolNamed(name)
        for (const call of outcome.asked.of(boundOf(name))) {
          const given = JSON.parse(call) as Record<string, unknown>
          for (const argument of trusted)
            if (marksIn(JSON.stringify(given[argument] ?? '')).includes(MARK)) leaks.add(`${name}.${argument}`)
          if (sends && marksIn(call).includes(SECRET)) leaks.add(`secret: ${name}`)
        }
      }
      for (const [bound, tool] of configured) {
        const calls = outcome.asked.of(bound)
        const told = markOf(tool.param)
        if (calls.length > 0 && told === MARK) leaks.add(`the configuration of ${bound.name}`)
        if (calls.length > 0 && told === SECRET && configuredSends(tool)) leaks.add(`secret: the configuration of ${bound.name}`)
        if (marksIn(calls.join()).includes(MARK)) leaks.add(bound.name)
        if (tool.key !== 'command' && tool.key !== 'description' && marksIn(calls.join()).includes(SECRET))
          leaks.add(`secret: ${bound.name}`)
      }
      const shown = [...outcome.outputs.values()].flat().map(({ json }) => json)
      if (!made.isOutputSecret && marksIn(shown.join()).includes(SECRET)) leaks.add('secret: the output')
    }
  }
  return [...leaks]
}

t.test(`flows of ${PROGRAMS} random programs (seed ${SEED})`, async (t) => {
  const count = { passed: 0, refused: 0, leaking: 0, crossing: 0 }
  const tryOne = async (made: RandomProgram): Promise<void> => {
    const { errors, refusals } = readFlowProgram('random.plumb', made.text)
    const program = readFlowProgram('random.plumb', made.crossed)
    if (errors.length + program.errors.length > 0) {
      t.fail(`${[...errors, ...program.errors][0]?.message}\n${made.text}`)
      return
    }
    const leaks = await leaksOf(program, made)
    if (refusals.length === 0) {
      count.passed++
      if (made.text !== made.crossed) count.crossing++
      if (leaks.length > 0) t.fail(`${leaks.join(', ')} in a program that passed:\n${made.text}`)
    } else {
      count.refused++
      if (leaks.length > 0) count.leaking++
      else if (process.env.FLOW_SHOW) t.comment(`${refusals.map(({ message }) => message).join('; ')}\n${made.text}`)
    }
  }
  // Loops wait until they are quiet, so that several go on at once.
  const waiting = fc.sample(arbitraryFlowProgram, { numRuns: PROGRAMS, seed: SEED })
  const work = async (): Promise<void> => {
    for (let made = waiting.pop(); made; made = waiting.pop()) await tryOne(made)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  t.comment(JSON.stringify(count))
  t.ok(count.passed >= PROGRAMS / 10, 'some pass')
  t.ok(count.leaking * 2 >= count.refused, 'of those that are refused at least half leak')
})
