// plumb render: the wiring of a binding as a picture, or as text that other programs make pictures of.

import { type Bound, planOf } from '@plumb/lang'
import { fail, Reporter, type Result } from '@plumb/wire'
import { toDot } from './draw/dot.js'
import { toJson } from './draw/json.js'
import { toMermaid } from './draw/mermaid.js'
import { pictureOf } from './draw/picture.js'
import { toPng } from './draw/png.js'
import { toSvg } from './draw/svg.js'
import { load, refuseErrors } from './load.js'
import { processNamed } from './process-named.js'
import { FORMATS, type Format, type RenderOptions } from './render-options.js'
import { writeWhole } from './write-whole.js'

export const render = async (path: string | undefined, options: RenderOptions): Promise<number> => {
  const reporter = new Reporter('plumb')
  const bound = drawable(path, options, reporter)
  if (bound?.ok === false) reporter.report(bound.error)
  if (bound?.ok) {
    const failure = await writeWhole(await draw(bound.value, options.binding, formatOf(options)), fileOf(options))
    if (failure) reporter.report(failure)
  }
  await reporter.end()
  return reporter.status
}

/** Undefined when the spec has errors, told by now. */
const drawable = (path: string | undefined, options: RenderOptions, reporter: Reporter): Result<Bound> | undefined => {
  if (fileOf(options) === undefined && formatOf(options) === 'png' && process.stdout.isTTY) {
    return fail('usage', "a terminal shows no png; name a file with '-o FILE', or redirect standard output")
  }
  const loaded = load(path, options)
  if (!loaded.ok) return loaded
  return refuseErrors(loaded.value, reporter) ? undefined : processNamed(loaded.value.compiled.program, options.binding)
}

const fileOf = ({ output }: RenderOptions): string | undefined => (output === '-' ? undefined : output)

const formatOf = ({ format, output }: RenderOptions): Format => format ?? FORMATS.find((name) => output?.endsWith(`.${name}`)) ?? 'svg'

const draw = async (bound: Bound, name: string, format: Format): Promise<Uint8Array> => {
  const graph = planOf(bound)
  if (format === 'json') return Buffer.from(toJson(name, graph))
  const picture = pictureOf(name, graph)
  if (format === 'mermaid') return Buffer.from(toMermaid(picture))
  const dot = toDot(picture)
  if (format === 'dot') return Buffer.from(dot)
  const svg = await toSvg(dot)
  return format === 'svg' ? Buffer.from(svg) : toPng(svg)
}
