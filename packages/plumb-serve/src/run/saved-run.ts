// A run as texts, so that the next server knows it.

import { fail, fault, isRecord, type Result, succeed } from '@plumb/wire'
import type { Binding } from '../binding/binding.js'
import type { FeedItem } from './feed.js'
import type { SavedRun } from './run.js'
import type { FoundRun, RunRequest } from './runs.js'

interface SavedRequest {
  readonly binding: string
  readonly owner: string
  readonly key?: string
  readonly conversation?: string
  readonly digest: string
  readonly events: readonly string[]
  readonly max_cost?: number
  readonly created: string
}

export interface SavedTexts {
  readonly id: string
  readonly request: string
  /** Undefined: it has not ended. */
  readonly outcome: string | undefined
  readonly input: Buffer
}

export const savedRequest = (request: RunRequest, created: Date): string => {
  const { binding, owner, key, digest, conversation, events, maxCost } = request
  const saved: SavedRequest = {
    ...{ binding: binding.name, owner, digest, events: [...events], created: created.toISOString() },
    ...(key === undefined ? {} : { key }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(maxCost === undefined ? {} : { max_cost: maxCost }),
  }
  return JSON.stringify(saved)
}

/** `spec_changed`: its binding is not served any more. */
export const foundRun = ({ id, request: text, outcome, input }: SavedTexts, bindings: readonly Binding[]): Result<FoundRun> => {
  try {
    const { binding: name, owner, digest, key, conversation, events, max_cost: maxCost, created } = JSON.parse(text) as SavedRequest
    const binding = bindings.find((one) => one.name === name)
    if (!binding) return fail('spec_changed', `run ${id} is of '${name}', which is not served any more: it waits`)
    const request = { binding, owner, digest, key, conversation, events: new Set(events), maxCost, input }
    return succeed({ id, request, created: new Date(created), saved: outcome === undefined ? undefined : savedOf(JSON.parse(outcome)) })
  } catch (error) {
    return { ok: false, error: fault('record_invalid', `run ${id} cannot be read: ${(error as Error).message}`) }
  }
}

const savedOf = (value: unknown): SavedRun => {
  if (!isRecord(value) || !Array.isArray(value.items)) throw new Error('its outcome is of another form')
  return value as unknown as SavedRun & { readonly items: readonly FeedItem[] }
}
