// Sends the arguments of a call in their original text, so that numbers keep their digits: the SDK gets a placeholder, which is replaced
// when the message is written.

import { randomUUID } from 'node:crypto'

export interface RawArguments {
  /** Returns a placeholder for the value; `release` it when the message was answered. `onSent`: called with the id of the message. */
  readonly hold: (json: string, onSent?: (id: string) => void) => string
  readonly release: (place: string) => void
  /** One message as JSON. */
  readonly fill: (text: string) => string
}

export const openRawArguments = (): RawArguments => {
  const held = new Map<string, { readonly json: string; readonly onSent: ((id: string) => void) | undefined }>()
  return {
    hold: (json, onSent) => {
      const place = randomUUID()
      held.set(place, { json: json.replace(/[\r\n]+/g, ' '), onSent })
      return place
    },
    release: (place) => void held.delete(place),
    fill: (text) => {
      for (const [place, { json, onSent }] of held) {
        const at = text.indexOf(`"${place}"`)
        if (at < 0) continue
        onSent?.(idIn(text))
        return text.slice(0, at) + json + text.slice(at + place.length + 2)
      }
      return text
    },
  }
}

const idIn = (text: string): string => String((JSON.parse(text) as { readonly id?: unknown }).id)
