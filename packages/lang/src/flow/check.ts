// Checks the whole program: whether untrusted data can command, or secrets can leave. The errors are the paths (plumb-flows(7)).

import type { Program } from '../compile.js'
import { type Diagnostic, Diagnostics, warning } from '../diagnostic/diagnostic.js'
import type { Bound, Scope } from '../names/names.js'
import { agentTools } from '../program/tool-plan.js'
import type { EffectsOf } from './analysis.js'
import { labelled } from './declared.js'
import { FlowEngine } from './engine.js'
import { begin, type Trail, trailSteps } from './label.js'
import { PLAIN, type Shape, violationsOf } from './shape.js'
import { givenTo, isWorded, saidOf, wayAcross } from './signature.js'
import { isInLibrary, mayLabel, writesFlowWords } from './words.js'

export interface FlowOptions {
  readonly effectsOf: EffectsOf
  /** Reports errors also where the spec uses no label; else only warnings are given there. */
  readonly isStrict: boolean
  /** An outsider sends the input of main. */
  readonly isInputUntrusted?: boolean
  /** Whose input a client sends, whatever else is followed. */
  readonly isServed?: (bound: Bound) => boolean
}

/** Only for a program without errors. */
export const checkFlows = (program: Program, options: FlowOptions): readonly Diagnostic[] =>
  options.isInputUntrusted === true || mayLabel(program) ? followFlows(program, options) : []

/** The same, also where nothing can have a label. */
export const followFlows = (program: Program, options: FlowOptions): readonly Diagnostic[] => {
  let engine = new FlowEngine(program.scopes, options.effectsOf)
  followAll(program, options, engine)
  // What was read before it was written is read again.
  while (engine.places.takeNews()) {
    engine = new FlowEngine(program.scopes, options.effectsOf, engine.places)
    followAll(program, options, engine)
  }
  const { entry } = program
  const diagnostics = new Diagnostics()
  if (options.isStrict || writesFlowWords(program)) for (const d of engine.findings.diagnostics) diagnostics.report(d)
  else for (const d of warnOfAll(engine, options.effectsOf)) diagnostics.report(d)
  return diagnostics.list({ ...entry.module.program.span, end: entry.module.program.span.start })
}

const followAll = (
  { entry, scopes }: Program,
  { isInputUntrusted = false, isServed = () => false }: FlowOptions,
  engine: FlowEngine,
): void => {
  const main = entry.bindings.get('main')
  const own = scopes.filter((scope) => !isInLibrary(scope)).flatMap((scope: Scope) => [...scope.bindings.values()])
  for (const bound of main ? [main, ...own] : own) {
    const isFromOutside = isServed(bound) || (isInputUntrusted && (bound === main || !main))
    const isKnown = engine.reached.has(bound) && !isServed(bound)
    if (isKnown || (bound.category !== 'stream' && bound.category !== 'base')) continue
    const inputs = bound.inputs.map((_, i) => (isFromOutside ? fromClient(bound, i) : givenTo(bound, i)))
    decide(bound, engine, () => {
      if (bound.category === 'base') engine.call(bound, inputs[0] ?? givenTo(bound, 0))
      else holdMain(bound, engine.open(bound).run(inputs).outputs, engine)
    })
  }
}

// What is too deep to be followed is refused: nothing is known of it.
const decide = ({ name, binding }: Bound, { findings }: FlowEngine, work: () => void): void => {
  try {
    work()
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure
    const { span } = binding.name
    findings.add({
      label: 'untrusted',
      sink: `'${name}', perhaps: it is too deep to be followed`,
      span,
      trail: begin({ text: `from anywhere in '${name}'`, span }),
      last: [],
      help: 'name its parts, and give them signatures',
    })
  }
}

const fromClient = (bound: Bound, i: number): Shape =>
  labelled(bound.inputs[i], {
    untrusted: begin({ text: `from the input of '${bound.name}', which a client sends`, span: bound.binding.name.span }),
  })

// Output of main leaves the program. A labelled signature was checked before, but for the control and the telemetry of an agent.
const holdMain = (bound: Bound, outputs: readonly Shape[], { findings }: FlowEngine): void => {
  if (bound.name !== 'main') return
  const { name, signature, impl } = bound.binding
  const declared = bound.inputs.length > 1 && impl.kind === 'agent' ? [0, undefined, 1] : outputs.keys()
  for (const [i, port] of [...declared].entries()) {
    if (isWorded(bound) && (i === 0 || impl.kind !== 'agent')) continue
    const said = port === undefined ? PLAIN : saidOf(bound, port)
    const secret = violationsOf(outputs[i] ?? PLAIN, said).find(({ label }) => label === 'secret')
    if (!secret) continue
    findings.add({
      label: 'secret',
      sink: port === undefined ? "the control output of 'main'" : "the output of 'main'",
      span: (port === undefined ? undefined : signature?.outputs[port]?.span) ?? name.span,
      trail: secret.trail,
      last: [{ text: "leaves 'main'", span: name.span }],
      help:
        port === undefined
          ? `wire it in a 'plumb', where ${wayAcross('secret')} may be behind it`
          : `write 'secret' there if it may leave so, or put ${wayAcross('secret')} before it leaves`,
    })
  }
}

// An agent that reads untrusted text, reaches private data and can send or run something: any page may exploit it.
const warnOfAll = ({ read }: FlowEngine, effectsOf: EffectsOf): readonly Diagnostic[] =>
  [...read].flatMap(([agent, { untrusted }]) => {
    if (!untrusted) return []
    const tools = agentTools(agent).map((tool) => ({ name: tool.name, effects: effectsOf(tool) }))
    const of = (wanted: string) => tools.find(({ effects }) => effects.some((e) => e === wanted))?.name
    const [reads, sends] = [of('fs.read'), of('exec') ?? of('net.private') ?? of('net')]
    if (reads === undefined || sends === undefined) return []
    const source = trailSteps(untrusted)[0]?.text.replace(/^from /, '') ?? ''
    const message = `agent '${agent.name}' reads what strangers may have written (${source}), reaches private data ('${reads}') and can send or run something ('${sends}')`
    return [{ ...warning('untrusted_flow', message, agent.binding.name.span, helpFor(untrusted)), path: [] }]
  })

const helpFor = (trail: Trail): string => {
  const [first] = trailSteps(trail)
  const { source, start } = first?.span ?? {}
  if (first?.text.startsWith("from server '"))
    return "with 'trusted: true' in it what the server gives is trusted, else take a tool away; 'plumb check --flows' shows every way from there"
  const line = source?.text.slice(start).split('\n', 1)[0] ?? ''
  const signature = /^(\w+)\s*:\s*(.*?)\s*->\s*(.*?)\s*=/.exec(line)
  const words = signature
    ? `'let ${signature[1]} : ${signature[2]} -> untrusted ${signature[3]} = …'`
    : "'untrusted' in front of the type that it gives,"
  return `write ${words} and every way from there is checked; 'plumb check --flows' shows them now`
}
