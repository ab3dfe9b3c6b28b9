// plumb render: prints the wiring of a binding as a picture, or as text for programs that draw pictures.

import { extname } from 'node:path'
import { type Bound, type Graph, type GraphNode, type Program, planOf } from '@plumb/lang'
import { effectsOf } from '@plumb/policy'
import { lackingInPng, type Picture, pictureOf, toDot, toJson, toMermaid, tooLarge, toPng, toSvg, withFigures } from '@plumb/runtime/draw'
import { FORMATS, type Format, type RenderOptions } from '@plumb/runtime/options'
import { writeWhole } from '@plumb/runtime/record'
import { loadSpec, refuseErrors, selectBinding } from '@plumb/runtime/spec'
import { fail, fault, preview, Reporter, type Result, succeed } from '@plumb/wire'
import type { Automaton } from '@plumb/wire/protocol'

export const render = async (path: string | undefined, options: RenderOptions): Promise<number> => {
  const reporter = new Reporter('plumb')
  const bound = await drawable(path, options, reporter)
  if (bound?.ok === false) reporter.report(bound.error)
  if (bound?.ok) {
    const drawn = await draw(bound.value, options, reporter)
    const failure = drawn.ok ? await writeWhole(drawn.value, fileOf(options)) : drawn.error
    if (failure) reporter.report(failure)
  }
  await reporter.end()
  return reporter.status
}

/** Undefined if the spec has errors, which were reported. */
const drawable = async (path: string | undefined, options: RenderOptions, reporter: Reporter): Promise<Result<Drawable> | undefined> => {
  const format = formatOf(options)
  if (format === undefined) {
    return fail(
      'usage',
      `'${preview(options.output ?? '')}' is not the name of a picture: it ends with ${listed(FORMATS)}, or --format says what it is`,
    )
  }
  if (fileOf(options) === undefined && format === 'png' && process.stdout.isTTY) {
    return fail('usage', "a terminal shows no png; name a file with '-o FILE', or redirect standard output")
  }
  if (options.theme !== undefined && format !== 'svg' && format !== 'png')
    return fail('usage', `a theme is for svg and png, not for ${format}`)
  if (format === 'json' && options.direction !== undefined)
    return fail('usage', '--direction is for pictures, and json is none: leave it out')
  if (options.run !== undefined && (format === 'json' || format === 'mermaid'))
    return fail('usage', `--run is for svg, png and dot, not for ${format}`)
  if (options.expand > 0 && (options.parts || options.colours))
    return fail('usage', '--expand draws no parts and no flows: leave out --parts and --flows, or --expand')
  if (options.protocol !== undefined && (options.expand > 0 || options.parts || options.colours || options.run !== undefined))
    return fail('usage', '--protocol draws no wiring: leave out --expand, --parts, --flows and --run')
  const loaded = await loadSpec(path, { ...options, ignoresFlows: options.colours })
  if (!loaded.ok) return loaded
  const { program } = loaded.value.compiled
  if (refuseErrors(loaded.value, reporter)) return undefined
  if (options.protocol !== undefined) {
    const found = (await import('./render-protocol.js')).protocolNamed(program, options.protocol)
    return found.ok ? succeed({ program, protocol: found.value }) : found
  }
  const bound = selectBinding(program, options.binding)
  return bound.ok ? succeed({ program, bound: bound.value }) : bound
}

const fileOf = ({ output }: RenderOptions): string | undefined => (output === '-' ? undefined : output)

/** Undefined: the extension of the file selects another format. */
const formatOf = ({ format, output = '' }: RenderOptions): Format | undefined => {
  const ending = extname(output).slice(1)
  return format ?? (ending === '' ? 'svg' : FORMATS.find((name) => name === ending))
}

const listed = (formats: readonly string[]): string =>
  `${formats
    .slice(0, -1)
    .map((name) => `.${name}`)
    .join(', ')} or .${formats.at(-1)}`

type Drawable = WiringSubject | { readonly program: Program; readonly protocol: Automaton }

interface WiringSubject {
  readonly program: Program
  readonly bound: Bound
}

const draw = async (subject: Drawable, options: RenderOptions, reporter: Reporter): Promise<Result<Uint8Array>> => {
  if ('bound' in subject) return drawWiring(subject, options, reporter)
  const { protocol } = subject
  const { theme, direction } = options
  const format = formatOf(options)
  if (format === 'json') return succeed(Buffer.from(`${JSON.stringify({ protocol: protocol.name, ...protocol })}\n`))
  const picture = (await import('@plumb/runtime/draw/protocol-picture')).protocolPicture(protocol)
  if (format === 'mermaid') return succeed(Buffer.from(toMermaid(picture, direction)))
  return drawDot(picture, toDot(picture, theme ?? (format === 'png' ? 'light' : 'none'), direction), format, reporter)
}

const drawWiring = async ({ program, bound }: WiringSubject, options: RenderOptions, reporter: Reporter): Promise<Result<Uint8Array>> => {
  const { binding: name, theme, direction } = options
  const format = formatOf(options)
  const plan = planOf(bound)
  const { graph, places } = await opened(
    options.parts ? (await import('@plumb/runtime/draw/framed-parts')).framedParts(plan) : plan,
    options,
  )
  const labelsOf = options.colours ? (await import('@plumb/lang/flow')).flowsOfWires(program, bound, graph, effectsOf).labelsOn : undefined
  if (format === 'json') return succeed(Buffer.from(toJson(name, graph, labelsOf)))
  const picture = pictureOf(name, graph, labelsOf, places)
  if (format === 'mermaid') return succeed(Buffer.from(toMermaid(picture, direction)))
  const plain = toDot(picture, theme ?? (format === 'png' ? 'light' : 'none'), direction)
  const dot = options.run === undefined ? succeed(plain) : await withRun(plain, picture, options.run, options)
  return dot.ok ? drawDot(picture, dot.value, format, reporter) : dot
}

const drawDot = async (picture: Picture, dot: string, format: Format | undefined, reporter: Reporter): Promise<Result<Uint8Array>> => {
  if (format === 'dot') return succeed(Buffer.from(dot))
  const refused = tooLarge(picture)
  if (refused) return { ok: false, error: refused }
  const svg = await toSvg(dot)
  if (format === 'svg') return succeed(Buffer.from(svg))
  const lacking = await lackingInPng(svg)
  if (lacking.length > 0) reporter.warn(fault('missing_glyph', lackingText(lacking)))
  return succeed(await toPng(svg))
}

const MAX_NAMED = 5

const lackingText = (signs: readonly string[]): string => {
  const named = signs.slice(0, MAX_NAMED).map((sign) => `'${sign}'`)
  const more = signs.length > MAX_NAMED ? ` and ${signs.length - MAX_NAMED} more` : ''
  return `the font of png pictures has no ${named.join(', ')}${more}, which are boxes in it: '-o NAME.svg' is shown with the fonts of the machine`
}

const opened = async (graph: Graph, { expand }: RenderOptions): Promise<{ graph: Graph; places?: ReadonlyMap<GraphNode, string> }> =>
  expand === 0 ? { graph } : (await import('@plumb/runtime/draw/expand-plumbs')).expandPlumbs(graph, expand)

/** With the numbers of a recorded run of this binding. */
const withRun = async (dot: string, { boxes }: Picture, path: string, { binding, theme }: RenderOptions): Promise<Result<string>> => {
  const { readRunParts } = await import('../view/run-parts.js')
  const parts = await readRunParts(path)
  if (!parts.ok) return parts
  const { run } = parts.value
  if (run.binding !== binding)
    return fail(
      'record_invalid',
      `'${preview(path, 200)}' is a run of '${preview(run.binding)}', and this is '${preview(binding)}': --binding says what is drawn`,
    )
  const { figuresOf } = await import('../view/run-figures.js')
  return succeed(withFigures(dot, figuresOf(run, new Map(boxes.map(({ id, place }) => [id, place]))), theme))
}
