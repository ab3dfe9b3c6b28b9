// How answers name the processes of a run that asked for them: a part names its own, and the run all of them.

import type { Graph } from '@plumb/lang'
import { placeName } from '@plumb/ledger/kept'
import { keptPlacesOf } from '@plumb/runtime/record'
import { placesInParts } from './merged-events.js'

export interface PlacesOfAnswers {
  /** Those of all processes that ask. */
  readonly all: readonly string[]
  /** From the place in a part. */
  readonly placeOf: (part: number, place: string) => string
  /** What it answers is in no record, since it may hold a secret. */
  readonly isSecret: (place: string) => boolean
}

export const placesOfAnswers = (graph: Graph, agentProgram: string | undefined, secretPlaces: readonly string[]): PlacesOfAnswers => {
  const names = new Map(
    [...placesInParts(graph)].map(([part, places]) => [
      part,
      new Map([...places].map(([inside, place]) => [placeName(inside), placeName(place)])),
    ]),
  )
  const secrets = new Set(secretPlaces.map(placeName))
  return {
    all: keptPlacesOf(graph, agentProgram).map(placeName),
    placeOf: (part, place) => {
      const [outer = '', ...inner] = place.split(WITHIN)
      return [names.get(part)?.get(outer) ?? outer, ...inner].join(WITHIN)
    },
    isSecret: (place) => secrets.has(place.split(WITHIN)[0] ?? ''),
  }
}

/** Between the place of a nested plumb and one in it. */
const WITHIN = '~'
