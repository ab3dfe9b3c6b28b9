// The numbers of a run for a picture of its wiring: on its boxes, and on its wires.

import { type BoxFigures, type Figures, wireKey } from '@plumb/runtime/draw'
import { hasFailed, isParked, turnId } from './inputs.js'
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
  const [failed, waiting] = [hasFailed, isParked].map((is) => work.filter(is).length) as [number, number]
  const took = work.reduce((sum, { start, end }) => sum + end - start, 0) / work.length
  const parts = [
    `${work.length} in`,
    failed > 0 ? `${failed} failed` : '',
    waiting > 0 ? `${waiting} waiting` : '',
    spentText(usageOf(lane).cost) ?? '',
    `${showMicroseconds(took)} each`,
  ]
  return { text: parts.filter((part) => part !== '').join(', '), isBad: failed > 0 }
}

// A channel, the end of a chain, or that of a plumb which is drawn open, may have no box: it is on the way of a wire.
const wiresOf = (run: RunModel, ids: ReadonlyMap<string, string>): ReadonlyMap<string, readonly number[]> => {
  const opened = new Set(run.innerWires.map(({ wire }) => wire.from.slice(0, wire.from.lastIndexOf('~'))))
  const endOf = (place: string, port: string): string => (opened.has(place) && !ids.has(place) ? `${place}~${port}` : place)
  const all = [...run.wires, ...run.innerWires].map(({ wire, total }) => ({
    from: endOf(wire.from, wire.fromPort),
    to: endOf(wire.to, wire.toPort),
    total,
  }))
  const next = new Map<string, string[]>()
  for (const { from, to } of all) next.set(from, [...(next.get(from) ?? []), to])
  const found = new Map<string, number[]>()
  for (const { from, to, total } of all) {
    const begin = ids.get(from)
    for (const end of begin === undefined ? [] : boxesBehind(to, next, ids)) {
      const key = wireKey(begin ?? '', end)
      found.set(key, [...(found.get(key) ?? []), total])
    }
  }
  return found
}

const boxesBehind = (start: string, next: ReadonlyMap<string, readonly string[]>, ids: ReadonlyMap<string, string>): readonly string[] => {
  const reached = new Set([start])
  for (const place of reached) if (!ids.has(place)) for (const one of next.get(place) ?? []) reached.add(one)
  return [...reached].flatMap((place) => ids.get(place) ?? [])
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
