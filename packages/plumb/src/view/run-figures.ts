// The numbers of a run for a picture of its wiring: on its boxes, and on its wires.

import { type BoxFigures, type Figures, wireKey } from '@plumb/runtime/draw'
import { turnId } from './inputs.js'
import type { Lane, RunModel } from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { spentText } from './spent.js'
import { usageOf } from './verdict.js'

/** `places`: of the boxes of the picture, by their ids. `links`: boxes lead to what their process did first, on a page. */
export const figuresOf = (run: RunModel, places: ReadonlyMap<string, string>, { links = false } = {}): Figures => {
  const boxes = new Map<string, BoxFigures>()
  const ids = new Map([...places].map(([id, place]) => [place, id]))
  for (const [id, place] of places) {
    const at = run.lanes.findIndex((lane) => lane.place === place)
    const lane = run.lanes[at]
    if (!lane || lane.runs === 'stage' || lane.work.length === 0) continue
    boxes.set(id, { ...laneFigures(lane), ...(links ? { href: `#${turnId(at, 0)}` } : {}) })
  }
  return { boxes, wires: wiresOf(run, ids) }
}

const laneFigures = (lane: Lane): BoxFigures => {
  const { work } = lane
  const failed = work.filter(({ error }) => error !== undefined).length
  const took = work.reduce((sum, { start, end }) => sum + end - start, 0) / work.length
  const parts = [
    `${work.length} in`,
    failed > 0 ? `${failed} failed` : '',
    spentText(usageOf(lane).cost) ?? '',
    `${showMicroseconds(took)} each`,
  ]
  return { text: parts.filter((part) => part !== '').join(', '), isBad: failed > 0 }
}

// A channel, or an end of a chain, that has no box is on the way of a wire.
const wiresOf = (run: RunModel, ids: ReadonlyMap<string, string>): ReadonlyMap<string, readonly number[]> => {
  const found = new Map<string, number[]>()
  for (const { wire, total } of run.wires) {
    const from = ids.get(wire.from)
    let to: string | undefined = wire.to
    for (let hops = 0; to !== undefined && !ids.has(to) && hops < run.wires.length; hops++) {
      const next = run.wires.filter((other) => other.wire.from === to)
      to = next.length === 1 ? next[0]?.wire.to : undefined
    }
    const end = to === undefined ? undefined : ids.get(to)
    if (from === undefined || end === undefined) continue
    const key = wireKey(from, end)
    found.set(key, [...(found.get(key) ?? []), total])
  }
  return found
}

/** The boxes of a picture that a trace holds, whose names are mostly those of its processes. */
export const placesInDot = (dot: string, { lanes }: RunModel): ReadonlyMap<string, string> => {
  const known = new Set(lanes.map(({ place }) => place))
  const places = new Map<string, string>()
  for (const [, id = ''] of dot.matchAll(/^\s*"([^"\\]*)" \[label=</gm)) {
    const place = [id, id.replace(/ (\d+)$/, '.$1')].find((name) => known.has(name))
    if (place !== undefined) places.set(id, place)
  }
  return places
}
