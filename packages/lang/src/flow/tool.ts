// Tools as sources and sinks: the labels that they accept, and those of their results.

import type { Effect } from '../check/rules.js'
import { unreachable } from '../diagnostic/unreachable.js'
import type { Bound } from '../names/names.js'
import type { ProcessPlan, ToolBody } from '../program/tool-plan.js'
import { JSON_TYPE, type Json, resolve, type Type } from '../types/type.js'
import type { Analysis, ToolConfig } from './analysis.js'
import { joinShapes, overlay } from './combine.js'
import { holdTool } from './config-sinks.js'
import { labelled } from './declared.js'
import { begin, extend, isTagged, type Label, NO_TAGS, type Tags, type Trail, type TrailStep, uniteTags } from './label.js'
import { labelsOf } from './labelled-roots.js'
import { rootPaths, writtenPaths } from './places.js'
import { reachOfTool } from './reach.js'
import { flat, type LabelViolation, PLAIN, type Shape, through, tupleOf, violationsOf, without } from './shape.js'
import { isWorded, ofSignature, saidOf, takenBy, wayAcross } from './signature.js'

type Body = Extract<ToolBody, { kind: 'tool' }>

export const flowThroughTool = (bound: Bound, given: Shape, a: Analysis): Shape => {
  const { plan, effects } = a.tool(bound)
  const { body } = plan
  if (body.kind === 'chain') return PLAIN
  const own = holdTool(bound, maySend(body, effects), a)
  // What it says of an input, and of what its signature calls so, is so whatever the type of its result.
  a.fails(tagsThrough(given, stepOf(bound, 'through')))
  a.fails(own)
  if (isWorded(bound)) a.fails(flat(saidOf(bound, 0)))
  switch (body.source) {
    case 'mock':
    case 'failing':
      return signedResult(bound, labelled(plan.output, own), a)
    case 'spy':
      return spied(bound, given, body, a)
    case 'flaky':
    case 'pool':
    case 'handoff':
      return ofParts(bound, given, body, a)
    case 'process':
      return made(bound, given, body, a, (shape) => (body.process ? ofProcess(body.process, shape, body.config, a) : shape))
    case 'mcp':
    case 'command':
    case 'function':
    case 'builtin':
    case 'agent':
      return callSource(bound, body, effects, plan.output, given, own, a)
    default:
      return unreachable(body.source)
  }
}

const ofProcess = (process: ProcessPlan, given: Shape, around: ToolConfig, a: Analysis): Shape => {
  if (process.kind === 'bound') return a.lower(process.bound, given, around)
  switch (process.word) {
    case 'id':
      return given
    case 'copy':
      return tupleOf([given, given])
    case 'discard':
      return PLAIN
    default:
      return unreachable(process.word)
  }
}

const stepOf = ({ name, binding }: Bound, text: string, effects: readonly Effect[] = []): TrailStep => ({
  text: `${text} '${name}'`,
  span: binding.name.span,
  ...(effects.length > 0 ? { note: `effect ${effects.join(', ')}` } : {}),
})

// A person who approves the call takes responsibility for its input; its result keeps its labels.
const made = (bound: Bound, given: Shape, { config }: Body, a: Analysis, work: (shape: Shape) => Shape): Shape => {
  const signature = ofSignature(bound, a)
  const needsConsent = config.approval === 'ask'
  const [input = PLAIN] = signature.enter([needsConsent ? without(given, 'untrusted') : given])
  const output = through(work(input), stepOf(bound, 'through'))
  const { untrusted } = flat(given)
  return signature.leave([needsConsent ? joinShapes(output, labelled(bound.outputs[0], { untrusted })) : output])[0] ?? PLAIN
}

const ofParts = (bound: Bound, given: Shape, body: Body, a: Analysis): Shape =>
  made(bound, given, body, a, (shape) => body.parts.map((part) => a.call(part, shape)).reduce(joinShapes, PLAIN))

// Its record has all that its calls were given, gave, and failed on.
const spied = (bound: Bound, given: Shape, body: Body, a: Analysis): Shape => {
  const { result, errors } = a.listen(() => ofParts(bound, given, body, a))
  const { record, approval } = body.config
  const { untrusted, secret } = extend([flat(given), flat(result), errors].reduce(uniteTags), stepOf(bound, 'recorded by'))
  if (typeof record === 'string') a.places.write([record], { untrusted: approval === 'ask' ? undefined : untrusted, secret })
  return result
}

// A constant, which may be that of a param.
const signedResult = (bound: Bound, made: Shape, a: Analysis): Shape => {
  const [result = PLAIN] = ofSignature(bound, a).leave([made])
  return isWorded(bound) ? joinShapes(saidOf(bound, 0), result) : result
}

const callSource = (bound: Bound, body: Body, effects: readonly Effect[], output: Type, given: Shape, own: Tags, a: Analysis): Shape => {
  const { source, config } = body
  const needsConsent = config.approval === 'ask'
  const leaves = maySend(body, effects)
  const stored = keptIn(bound, body, effects, given, a)
  a.fails(uniteTags(errorTags(bound, body, effects), stored))
  const harmful = effects.filter((e) => e !== 'fs.read' && e !== 'model')
  for (const violation of violationsOf(given, takenBy(bound, 0))) {
    const isUntrusted = violation.label === 'untrusted'
    if (isUntrusted && (needsConsent || (harmful.length === 0 && !isWorded(bound)))) continue
    if (!isUntrusted && !leaves) continue
    refuse(
      bound,
      violation,
      source === 'mcp' ? 'calls a server' : isUntrusted ? doing(harmful) : sending(effects),
      isUntrusted ? harmful : effects,
      a,
    )
  }
  const tags = [own, sourceTags(bound, body, effects), stored, tagsThrough(given, stepOf(bound, 'through'))].reduce(uniteTags)
  const result = labelled(output, tags)
  if (!isWorded(bound)) return result
  const said = saidOf(bound, 0)
  holdToSource(bound, labelled(output, uniteTags(sourceTags(bound, body, effects), stored)), said, a)
  const kept = leaves ? PLAIN : labelled(output, { secret: tags.secret })
  return joinShapes(overlay(said, result), kept)
}

// A file keeps the labels of what is written into it, and what reads below there has them: built-in tools, whose roots are known.
const keptIn = (bound: Bound, { source, config }: Body, effects: readonly Effect[], given: Shape, a: Analysis): Tags => {
  const isBuiltIn = source === 'builtin'
  const roots = rootPaths(config.roots)
  const { untrusted, secret } = tagsThrough(given, stepOf(bound, 'written by'))
  const written = isBuiltIn ? (effects.includes('fs.write') ? roots : []) : reachesFiles(source) ? writtenPaths(config) : []
  a.places.write(written, { untrusted: config.approval === 'ask' ? undefined : untrusted, secret })
  return isBuiltIn && effects.includes('fs.read') ? a.places.read(roots, stepOf(bound, 'read by')) : NO_TAGS
}

const reachesFiles = (source: string): boolean => source === 'command' || source === 'function'

const tagsThrough = (given: Shape, step: TrailStep): Tags => flat(through(given, step))

/** Does what it is given leave the machine? */
const maySend = ({ source, config }: Body, effects: readonly Effect[]): boolean =>
  source === 'mcp' || effects.some((e) => e === 'net' || e === 'net.private' || e === 'model') || reachOfTool(source, config).leaves

/** The labels of a tool's own results. Null carries no information. */
export const sourceTags = (bound: Bound, body: Body, effects: readonly Effect[]): Tags =>
  resolve(bound.outputs[0] ?? JSON_TYPE).kind === 'unit' ? NO_TAGS : ownTags(body, effects, begin(stepOf(bound, 'from')))

/** Those of its errors, which are text whatever its results are. */
export const errorTags = (bound: Bound, body: Body, effects: readonly Effect[]): Tags =>
  ownTags(body, effects, begin(stepOf(bound, 'from an error of')))

const ownTags = ({ source, config }: Body, effects: readonly Effect[], trail: Trail): Tags => {
  const isOutside = source === 'mcp' ? !isTrusted(config.mcp) : effects.includes('net') || reachOfTool(source, config).isOutside
  const roots = source === 'builtin' ? rootLabels(config.roots) : []
  const untrusted = isOutside || roots.includes('untrusted') ? trail : undefined
  const secret = roots.includes('secret') ? trail : undefined
  return untrusted || secret ? { untrusted, secret } : NO_TAGS
}

export const isTrusted = (server: Json | undefined): boolean =>
  typeof server === 'object' && server !== null && 'trusted' in server && server.trusted === true

const rootLabels = (roots: Json | undefined): readonly Label[] => Object.values(roots ?? {}).flatMap(labelsOf)

// In a labelled signature, results of a source are untrusted too.
const holdToSource = (bound: Bound, own: Shape, said: Shape, a: Analysis): void => {
  const { name, signature } = bound.binding
  for (const { label, trail } of violationsOf(own, said)) {
    a.findings.add({
      label,
      sink: `the output of '${bound.name}', whose signature says that it has none`,
      span: signature?.outputs[0]?.span ?? name.span,
      trail,
      last: [],
      help: `write '${label}' there, and put ${wayAcross(label)} behind it where it is meant to be otherwise`,
    })
  }
}

const DOING: readonly (readonly [Effect, string])[] = [
  ['exec', 'runs commands'],
  ['fs.write', 'writes files'],
  ['net.private', 'reaches private addresses'],
  ['net', 'reaches the network'],
  ['model', 'asks a model'],
]

const doing = (effects: readonly Effect[]): string => DOING.find(([effect]) => effects.includes(effect))?.[1] ?? 'takes none'

const sending = (effects: readonly Effect[]): string =>
  effects.some((e) => e === 'net' || e === 'net.private')
    ? 'reaches the network'
    : effects.includes('model')
      ? 'asks a model'
      : 'may send it away, as its sandbox lets it'

const refuse = (bound: Bound, { label, trail, path }: LabelViolation, does: string, effects: readonly Effect[], a: Analysis): void => {
  const { name } = bound.binding
  const isLast = trail.step.span.start === name.span.start && trail.step.span.source === name.span.source
  const at = path === '' ? 'its input' : `'${path.replace(/^\./, '')}'`
  const asked = label === 'untrusted' ? ', give it approval: "ask"' : ''
  a.findings.add({
    label,
    sink: `a tool that ${does}`,
    span: a.place ?? name.span,
    trail,
    last: isLast ? [] : [{ ...stepOf(bound, 'given to', effects) }],
    help: `take '${bound.name}' away${asked}, put ${wayAcross(label)} or a closed type in between, or write '${label}' for ${at} if it may be given any`,
  })
}

/** The input of a tool from an agent: anything that it has read, in any argument. */
export const argumentOf = (bound: Bound, tags: Tags, effects: readonly Effect[]): Shape =>
  isTagged(tags) ? through(labelled(bound.inputs[0], tags), stepOf(bound, 'which may call', effects)) : PLAIN
