// An answer that is no text while it grows: each of its fields, or items, once nothing of it may change any more.

import type { ProgramEvent } from './program/events.js'

type Partial = ProgramEvent & { readonly kind: 'partial' }

/** Of one value, in characters. */
const MAX_SHOWN = 500

/** `show` gets `team: "billing"`. */
export const openGrowing = (show: (agent: string, text: string) => void) => {
  /** How many parts of it were shown, by agent. */
  const shown = new Map<string, Set<string>>()
  return ({ agent, value, open: told }: Partial): void => {
    // What a program of others says may be anything.
    const open = Array.isArray(told) ? told.filter((pointer) => typeof pointer === 'string') : []
    const before = shown.get(agent) ?? new Set<string>()
    // An attempt begins, or the whole is there, and is shown as such.
    if (typeof value !== 'object' || value === null) return void shown.delete(agent)
    shown.set(agent, before)
    for (const [key, part] of Object.entries(value)) {
      if (before.has(key) || isOpen(key, open)) continue
      before.add(key)
      const text = JSON.stringify(part)
      show(agent, `${key}: ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}`)
    }
    if (open.length === 0) shown.delete(agent)
  }
}

const isOpen = (key: string, open: readonly string[]): boolean => {
  const place = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return open.some((pointer) => pointer === place || pointer.startsWith(`${place}/`))
}
