// plumb render: prints the wiring of a binding as a picture, or as text for programs that draw pictures.

import { extname } from 'node:path'
import { type Bound, type Program, planOf } from '@plumb/lang'
import { effectsOf } from '@plumb/policy'
import { pictureOf, toDot, toJson, toMermaid, tooLarge, toPng, toSvg } from '@plumb/runtime/draw'
import { FORMATS, type Format, type RenderOptions } from '@plumb/runtime/options'
import { writeWhole } from '@plumb/runtime/record'
import { loadSpec, refuseErrors, selectBinding } from '@plumb/runtime/spec'
import { fail, preview, Reporter, type Result, succeed } from '@plumb/wire'

export const render = async (path: string | undefined, options: RenderOptions): Promise<number> => {
  const reporter = new Reporter('plumb')
  const bound = await drawable(path, options, reporter)
  if (bound?.ok === false) reporter.report(bound.error)
  if (bound?.ok) {
    const drawn = await draw(bound.value, options)
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
  const loaded = await loadSpec(path, { ...options, ignoresFlows: options.colours })
  if (!loaded.ok) return loaded
  const { program } = loaded.value.compiled
  if (refuseErrors(loaded.value, reporter)) return undefined
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

interface Drawable {
  readonly program: Program
  readonly bound: Bound
}

const draw = async ({ program, bound }: Drawable, options: RenderOptions): Promise<Result<Uint8Array>> => {
  const { binding: name, theme } = options
  const format = formatOf(options)
  const plan = planOf(bound)
  const graph = options.parts ? (await import('@plumb/runtime/draw/framed-parts')).framedParts(plan) : plan
  const labelsOf = options.colours ? (await import('@plumb/lang/flow')).flowsOfWires(program, bound, graph, effectsOf).labelsOn : undefined
  if (format === 'json') return succeed(Buffer.from(toJson(name, graph, labelsOf)))
  const picture = pictureOf(name, graph, labelsOf)
  if (format === 'mermaid') return succeed(Buffer.from(toMermaid(picture)))
  const dot = toDot(picture, theme ?? (format === 'png' ? 'light' : 'none'))
  if (format === 'dot') return succeed(Buffer.from(dot))
  const refused = tooLarge(picture)
  if (refused) return { ok: false, error: refused }
  const svg = await toSvg(dot)
  return succeed(format === 'svg' ? Buffer.from(svg) : await toPng(svg))
}
